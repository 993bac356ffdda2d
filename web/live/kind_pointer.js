// SPDX-License-Identifier: Apache-2.0
// Pointer networks on the live page: see kinds.js.

export const route = '/v1/point';
export const controls = ['beam'];
export const placeholder = 'Type points: 0.1,0.2 0.9,0.3 0.5,0.8 0.5,0.4';

// "x,y x,y", or numbers alone for a model that sorts.
export function requestFor(text, { beam }) {
  const words = text.split(/[\s;]+/).filter((word) => word !== '');
  return { points: words.map((word) => word.split(',').map(Number)), beam };
}

export function answerOf({ results }) {
  const { route: points, log_probability: likely, trace } = results[0];
  return { text: points.join(' '), notes: `probability ${Math.exp(likely).toPrecision(3)}`, trace };
}
