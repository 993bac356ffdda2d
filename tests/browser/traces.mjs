// SPDX-License-Identifier: Apache-2.0
// Traces for the tests: small ones with every feature, large ones that only size matters of.

// A trace of one example.
export function trace(example, more = {}) {
  return { format: 'heed-trace', version: 1, model: 'demo', task: 'translate', examples: [example], ...more };
}

export const source = { name: 'source', tokens: ['▁the', '▁ca', 't', '▁sleeps', '</s>'], words: [0, 1, 1, 2, -1] };
export const target = { name: 'target', tokens: ['▁le', '▁cha', 't', '▁dort', '</s>'], words: [0, 1, 1, 2, -1] };

const kRows = [
  [0.8, 0.1, 0.1, 0, 0],
  [0.1, 0.5, 0.3, 0.1, 0],
  [0, 0.2, 0.7, 0.1, 0],
  [0, 0, 0.1, 0.8, 0.1],
  [0, 0, 0, 0.1, 0.9],
];

// Rows turned by `by` cells: another head that is easy to tell.
const turned = (rows, by) => rows.map((row) => row.map((_, i) => row[(i + by) % row.length]));
const causal = (rows) => rows.map((row, q) => row.map((weight, k) => (k > q ? null : weight)));

// 2 layers of 3 heads, cross and causal self, gold links.
export function translator() {
  const heads = (change) => [0, 1].flatMap((layer) => [0, 1, 2].map((head) => ({ layer, head, weights: change(turned(kRows, layer * 3 + head)) })));
  return trace({
    title: 'the cat sleeps',
    strips: [source, target],
    attentions: [
      { kind: 'cross', queries: 'target', keys: 'source', stepwise: true, heads: heads((rows) => rows) },
      { kind: 'decoder self', queries: 'target', keys: 'target', stepwise: true, heads: heads(causal) },
    ],
    gold: '0-0 1-1 2-2 1p2',
  });
}

// A single matrix in the plain form.
export const plain = (sourceTokens, targetTokens, weights) => ({ source: sourceTokens, target: targetTokens, weights });

// Weights 0 to 9 as JSON text, a band that shifts with the head: fast to write, whatever the size.
function bandText(size, shift) {
  const line = Array.from({ length: 3 * size }, (_, i) => Math.max(0, 9 - Math.floor(Math.abs(((i + shift) % size) - 8) / 2)));
  const rows = [];
  for (let q = 0; q < size; ++q) rows.push(`[${line.slice(size - (q % size), 2 * size - (q % size)).join(',')}]`);
  return `[${rows.join(',')}]`;
}

// layers x heads of size tokens, as text of Heed's own form: JSON.stringify of objects would take minutes.
export function large(size, layers, heads) {
  const tokens = Array.from({ length: size }, (_, i) => `"w${i}"`).join(',');
  const parts = [];
  for (let layer = 0; layer < layers; ++layer) {
    for (let head = 0; head < heads; ++head) {
      parts.push(`{"layer":${layer},"head":${head},"weights":${bandText(size, (layer * heads + head) * 3)}}`);
    }
  }
  return `{"format":"heed-trace","version":1,"model":"large","examples":[{"strips":[{"name":"text","tokens":[${tokens}]}],` +
    `"attentions":[{"kind":"encoder self","queries":"text","keys":"text","heads":[${parts.join(',')}]}]}]}`;
}
