// SPDX-License-Identifier: Apache-2.0
// Reads the page's payload: the header of all examples at once, the weights of a head when it is first opened.

// What a page is drawn from: the header as the program wrote it (src/heed/insight/page/page.cpp), and the weights of a head
// [queries, keys] as numbers, NaN where masked.
export function pageSource(root) {
  const header = JSON.parse(root.getElementById('header').textContent);
  return { header, weightsOf: createWeights(header, (id) => root.getElementById(id).textContent) };
}

export function decodeBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; ++i) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

// Codes of one or two bytes -> weights; NaN is masked. Code 0 is exactly zero, the largest is masked, any other is its
// share of the scale.
export function decodeWeights(bytes, precision, scale) {
  const masked = 2 ** precision - 1;
  const table = Float32Array.from({ length: masked + 1 }, (_, code) => (code * scale) / (masked - 1));
  table[masked] = NaN;
  const weights = new Float32Array(bytes.length / (precision / 8));
  if (precision === 8) {
    for (let i = 0; i < weights.length; ++i) weights[i] = table[bytes[i]];
  } else {
    for (let i = 0; i < weights.length; ++i) weights[i] = table[bytes[2 * i] | (bytes[2 * i + 1] << 8)];
  }
  return weights;
}

// Weights by head, decoded on demand; the least lately used are forgotten beyond `most` cells, so that a trace of
// hundreds of heads does not fill the memory.
export function createWeights(header, textOf, most = 24e6) {
  const kept = new Map();
  let cells = 0;
  return (head) => {
    let weights = kept.get(head.block);
    kept.delete(head.block);
    if (!weights) {
      weights = decodeWeights(decodeBase64(textOf(head.block)), header.precision, head.scale);
      cells += weights.length;
    }
    kept.set(head.block, weights);
    for (const [block, old] of kept) {
      if (cells <= most || block === head.block) break;
      cells -= old.length;
      kept.delete(block);
    }
    return weights;
  };
}

export function stripOf(example, name) {
  return example.strips.find((strip) => strip.name === name);
}

// The layers of a set, and the heads of one of them.
export function layersOf(set) {
  return [...new Set(set.heads.map((head) => head.layer))];
}

export function headsOf(set, layer) {
  return set.heads.filter((head) => head.layer === layer);
}

// Shares with a sign, as explainers give them, are two heads of one layer: what speaks for it and what speaks against it
// (src/heed/insight/trace/signed_set.h).
const kSharesKind = 'shares: ';

export function isSigned({ kind, heads }) {
  return kind.startsWith(kSharesKind) && heads.length === 2 && heads[0].head === 0 && heads[1].head === 1;
}

export function methodOf(set) {
  return isSigned(set) ? set.kind.slice(kSharesKind.length) : set.kind;
}

// NaN where masked, as both halves are.
export function signedWeights(set, weightsOf) {
  const against = weightsOf(set.heads[1]);
  return weightsOf(set.heads[0]).map((weight, i) => weight - against[i]);
}

// The attention to begin with, as the terminal does (src/heed/insight/draw/matrix_view.h): from what was written to what was
// read, or what decided.
export function firstSet(attentions) {
  for (const kind of ['cross', 'pooling']) {
    const found = attentions.findIndex((set) => set.kind === kind);
    if (found >= 0) return found;
  }
  return 0;
}

// Cells that are decoded before anything is seen, at most: a page of 50 MB shall open in a second.
const kFirstCells = 4e6;

// And of that the last layer, the mean of its heads; of one too large for that its first head.
export function firstLook(example) {
  const at = firstSet(example.attentions);
  const set = example.attentions[at];
  const layer = layersOf(set).at(-1);
  const heads = headsOf(set, layer);
  const cells = heads.length * stripOf(example, set.queries).tokens.length * stripOf(example, set.keys).tokens.length;
  return { set: at, layer, aggregate: heads.length > 1 && cells <= kFirstCells ? 'mean' : 'head' };
}

// The largest weight that is written as the smallest code: up to one and a half steps round down to one.
export function floorOf(header, heads) {
  if (!header.precision) return 0; // not rounded at all
  return (1.5 * Math.max(...heads.map((head) => head.scale))) / (2 ** header.precision - 2);
}
