// SPDX-License-Identifier: Apache-2.0
// Models of sentence embeddings on the live page: see kinds.js. A vector is not for reading: what is typed is compared
// with what was typed before.
export const route = '/v1/embed';
export const controls = [];
export const placeholder = 'Type a text, then another: how alike are they?';

let before = null;

export function requestFor(text) {
  return before === null ? { text } : { text, second: before };
}

export function answerOf({ results }, text) {
  const { vector, cosine, trace } = results[0];
  const compared = before;
  before = text;
  const alike = cosine === undefined ? '' : `${cosine.toFixed(3)} alike with “${compared}”`;
  const head = vector.slice(0, 5).map((number) => number.toFixed(3));
  return { text: alike, notes: `${vector.length} numbers: ${head.join(', ')}, …`, trace };
}
