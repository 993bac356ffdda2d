// SPDX-License-Identifier: Apache-2.0
// Translators on the live page: see kinds.js.
export const route = '/v1/translate';
export const controls = ['beam', 'draw', 'temperature'];
export const placeholder = 'Type a sentence to translate';

export function requestFor(text, { draw, temperature, beam }) {
  return draw ? { text, sample: true, temperature } : { text, beam };
}

export function answerOf({ results }) {
  const [best] = results[0].translations;
  return { text: best.text, notes: `log-probability ${best.log_probability.toFixed(2)}${best.finished ? '' : ', cut'}`, trace: best.trace };
}

// What is explained: the translation that is shown.
export const explained = (text, { text: second }) => ({ text, second });
