// SPDX-License-Identifier: Apache-2.0
// Captioners on the live page: see kinds.js.
export const route = '/v1/caption';
export const controls = ['beam'];
export const looksAt = 'picture';
export const placeholder = '';

export function requestFor(text, { picture, beam }) {
  return { image: picture, beam };
}

export function answerOf({ caption, log_probability, trace }) {
  return { text: caption, notes: `log-probability ${log_probability.toFixed(2)}`, trace };
}
