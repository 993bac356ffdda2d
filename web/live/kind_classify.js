// SPDX-License-Identifier: Apache-2.0
// Classifiers on the live page: see kinds.js.
import { percent } from './kinds.js';

export const route = '/v1/classify';
export const controls = [];
export const placeholder = 'Type a text to judge';

export function requestFor(text, { second }, model) {
  return model.second ? { text, second } : { text };
}

export function answerOf({ results }) {
  const { aspects, trace } = results[0];
  const names = aspects.map(({ aspect, label, probability }) => `${aspects.length > 1 ? `${aspect}: ` : ''}${label} ${percent(probability)}`);
  return { text: names.join(', '), notes: '', trace };
}

// What is explained: the label.
export const explained = (text, _, { second }, model) => (model.second ? { text, second } : { text });
