// SPDX-License-Identifier: Apache-2.0
// A trace in JSON, as `--trace` writes it and a server answers, made ready to be drawn: what the program adds when it
// writes a page (src/heed/insight/trace/head_codes.cpp) is computed here.

const kThumbnail = 16; // cells a side, at most

// Rows of numbers and null -> numbers and NaN, in one piece.
function flat(rows, keys) {
  const weights = new Float32Array(rows.length * keys);
  rows.forEach((row, q) => row.forEach((weight, k) => (weights[q * keys + k] = weight === null ? NaN : weight)));
  return weights;
}

// Entropy in bits, a mean over rows that have any weight; the share of allowed cells above zero; the largest weight.
function measures(weights, keys) {
  let [allowed, positive, scale, entropy, rows] = [0, 0, 0, 0, 0];
  for (let start = 0; start < weights.length; start += keys) {
    let [sum, plogp] = [0, 0];
    for (let i = start; i < start + keys; ++i) {
      const weight = weights[i];
      if (weight !== weight) continue;
      ++allowed;
      if (weight <= 0) continue;
      ++positive;
      scale = Math.max(scale, weight);
      sum += weight;
      plogp += weight * Math.log2(weight);
    }
    if (sum === 0) continue;
    entropy += Math.max(0, Math.log2(sum) - plogp / sum);
    ++rows;
  }
  return { scale, entropy: rows ? entropy / rows : 0, density: allowed ? positive / allowed : 0 };
}

// The largest weight of each block of cells as a code: 0 zero, 255 masked, else 1 to 254.
function thumbnail(weights, queries, keys, scale) {
  const rows = Math.min(queries, kThumbnail);
  const columns = Math.min(keys, kThumbnail);
  const blocks = new Float32Array(rows * columns).fill(NaN);
  for (let q = 0, i = 0; q < queries; ++q) {
    for (let k = 0; k < keys; ++k, ++i) {
      const block = Math.floor((q * rows) / queries) * columns + Math.floor((k * columns) / keys);
      if (blocks[block] !== blocks[block] || weights[i] > blocks[block]) blocks[block] = weights[i];
    }
  }
  const code = (weight) => (weight !== weight ? 255 : weight > 0 ? Math.max(1, Math.round((weight / scale) * 254)) : 0);
  return { rows, columns, thumbnail: Uint8Array.from(blocks, code) };
}

// What start() of main.js draws.
export function traceSource(trace) {
  const kept = new Map();
  const examples = trace.examples.map((example) => ({
    title: '',
    ...example,
    gold: example.gold
      ?.trim()
      .split(/\s+/)
      .filter(Boolean)
      .map((link) => {
        const [, source, kind, target] = /^(\d+)([-p?])(\d+)$/.exec(link);
        return [Number(source), Number(target), kind === '-'];
      }),
    attentions: example.attentions.map((set) => {
      const size = (name) => example.strips.find((strip) => strip.name === name).tokens.length;
      const keys = size(set.keys);
      const heads = set.heads.map(({ layer, head, weights: rows }) => {
        const weights = flat(rows, keys);
        const measured = measures(weights, keys);
        const entry = { layer, head, ...measured, ...thumbnail(weights, size(set.queries), keys, measured.scale) };
        kept.set(entry, weights);
        return entry;
      });
      return { stepwise: false, ...set, heads };
    }),
  }));
  const header = { title: trace.model || 'Attention', model: trace.model ?? '', task: trace.task ?? '', examples };
  return { header, weightsOf: (head) => kept.get(head) };
}
