// SPDX-License-Identifier: Apache-2.0
// Models of masked words on the live page: see kinds.js.
import { percent } from './kinds.js';

export const route = '/v1/fill';
export const controls = [];
export const placeholder = 'Type a sentence with [MASK] where a word is missing';

export function requestFor(text) {
  return { text };
}

export function answerOf({ gaps, trace }) {
  const lines = gaps.map((guesses) => guesses.map(({ word, probability }) => `${word} ${percent(probability)}`).join(', '));
  return { text: lines.join('\n'), notes: '', trace };
}

// What is explained: the first gap's word.
export const explained = (text) => ({ text });
