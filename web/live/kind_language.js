// SPDX-License-Identifier: Apache-2.0
// Language models on the live page: see kinds.js.
export const route = '/v1/generate';
export const controls = ['draw', 'temperature', 'length'];
export const placeholder = 'Type how a text begins';

export function requestFor(prompt, { draw, temperature, length }) {
  return { prompt, length, ...(draw ? { temperature } : { greedy: true }) };
}

export function answerOf({ text, tokens, trace }, given) {
  return { given, text, notes: `${tokens} tokens`, trace };
}

// What is explained: what was written.
export const explained = (text, { text: second }) => ({ text, second });
