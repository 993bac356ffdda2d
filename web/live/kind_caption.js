// SPDX-License-Identifier: Apache-2.0
// Captioners on the live page: see kinds.js. The text is the bytes of a picture in base64.
export const route = '/v1/caption';
export const controls = [];
export const placeholder = 'Paste a picture in base64 (base64 -w0 picture.png)';

export function requestFor(text) {
  return { image: text.replace(/^data:[^,]*,/, '').trim() };
}

export function answerOf({ caption, log_probability, trace }) {
  return { text: caption, notes: `log-probability ${log_probability.toFixed(2)}`, trace };
}
