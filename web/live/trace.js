// SPDX-License-Identifier: Apache-2.0
// A trace as the API sends it, made ready for the viewer's own modules: the weights of each head as one array.

function flattened(rows) {
  const columns = rows[0]?.length ?? 0;
  const weights = new Float32Array(rows.length * columns);
  rows.forEach((row, r) => row.forEach((weight, c) => (weights[r * columns + c] = weight ?? NaN)));
  return weights;
}

// The first example, its heads decoded; null without any attention.
export function readTrace(trace) {
  const example = trace?.examples[0];
  if (!example || example.attentions.length === 0) return null;
  return {
    strips: example.strips,
    attentions: example.attentions.map((set) => ({
      ...set,
      heads: set.heads.map(({ layer, head, weights }) => ({ layer, head, weights: flattened(weights) })),
    })),
  };
}

// The attention that people ask for first: from what was written to what was read.
export function firstSet(attentions) {
  const wanted = ['cross', 'pooling', 'history', 'decoder self'];
  for (const kind of wanted) {
    const found = attentions.findIndex((set) => set.kind === kind);
    if (found >= 0) return found;
  }
  return 0;
}
