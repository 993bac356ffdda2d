// SPDX-License-Identifier: Apache-2.0
// Networks that look in glimpses on the live page: see kinds.js.
import { percent } from './kinds.js';

export const route = '/v1/glimpse';
export const controls = [];
export const looksAt = 'picture';
export const placeholder = '';

export function requestFor(text, { picture }) {
  return { image: picture };
}

// What it would have answered after each glimpse stands under the answer.
export function answerOf({ classes, probability, glimpses, trace }) {
  const after = glimpses.map((one, i) => `${i}: ${one.class} ${percent(one.probability)}`);
  return { text: `${classes.join(' ')} ${percent(probability)}`.trim(), notes: `after each glimpse ${after.join(', ')}`, trace };
}
