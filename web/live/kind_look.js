// SPDX-License-Identifier: Apache-2.0
// Classifiers of images on the live page: see kinds.js.
import { percent } from './kinds.js';

export const route = '/v1/look';
export const controls = [];
export const looksAt = 'picture';
export const placeholder = '';

export function requestFor(text, { picture }) {
  return { images: picture };
}

export function answerOf({ results }) {
  const [{ classes, trace }] = results;
  const [best, ...others] = classes.slice(0, 4).map((one) => `${one.class} ${percent(one.probability)}`);
  return { text: best, notes: others.join(', '), trace };
}
