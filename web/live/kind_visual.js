// SPDX-License-Identifier: Apache-2.0
// Questions on pictures on the live page: see kinds.js. The text is the question.
import { percent } from './kinds.js';

export const route = '/v1/visual';
export const controls = [];
export const looksAt = 'both';
export const placeholder = 'Type a question: what colour is the cross ?';

export function requestFor(text, { picture }) {
  return { image: picture, question: text };
}

export function answerOf({ answers, unknown, trace }) {
  const lines = answers.slice(0, 3).map(({ answer, probability }) => `${answer} ${percent(probability)}`);
  const notes = unknown.length > 0 ? `words it does not know: ${unknown.join(', ')}` : '';
  return { text: lines.join(', '), notes, trace };
}
