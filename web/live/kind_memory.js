// SPDX-License-Identifier: Apache-2.0
// Memory networks on the live page: see kinds.js. The text is the story, the second text the question.
import { percent } from './kinds.js';

export const route = '/v1/ask';
export const controls = [];
export const placeholder = 'Tell a story, and ask about it as the second text';

export function requestFor(text, { second }) {
  return { story: text, question: second };
}

export function answerOf({ answers, unknown, trace }) {
  const lines = answers.map(({ answer, probability }) => `${answer} ${percent(probability)}`);
  const notes = unknown.length > 0 ? `words it does not know: ${unknown.join(', ')}` : '';
  return { text: lines.join(', '), notes, trace };
}
