// SPDX-License-Identifier: Apache-2.0
// Questions on pictures on the live page: see kinds.js. The text is the bytes of a picture in base64, the second text
// the question.
import { percent } from './kinds.js';

export const route = '/v1/visual';
export const controls = [];
export const placeholder = 'Paste a picture in base64, and ask about it as the second text';

export function requestFor(text, { second }) {
  return { image: text.replace(/^data:[^,]*,/, '').trim(), question: second };
}

export function answerOf({ answers, unknown, trace }) {
  const lines = answers.slice(0, 3).map(({ answer, probability }) => `${answer} ${percent(probability)}`);
  const notes = unknown.length > 0 ? `words it does not know: ${unknown.join(', ')}` : '';
  return { text: lines.join(', '), notes, trace };
}
