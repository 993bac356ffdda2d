// SPDX-License-Identifier: Apache-2.0
// From the weights of heads to what is shown: aggregated, without special tokens, pieces merged to words, normalised.

// Over heads; masked only where all heads are. A masked cell of a head counts as 0.
export function aggregate(matrices, how) {
  if (matrices.length === 1) return matrices[0];
  const result = new Float32Array(matrices[0].length).fill(NaN);
  const share = how === 'mean' ? 1 / matrices.length : 1;
  for (const weights of matrices) {
    for (let i = 0; i < weights.length; ++i) {
      const weight = weights[i];
      if (weight !== weight) continue;
      const so_far = result[i] !== result[i] ? 0 : result[i];
      result[i] = how === 'mean' ? so_far + weight * share : Math.max(so_far, weight);
    }
  }
  return result;
}

const kSpecial = /^(<[^<>\s]+>|\[(CLS|SEP|PAD|MASK|UNK|BOS|EOS)\])$/;

// A token that is no word of the text, such as the end of a sentence.
export function isSpecial(strip, i) {
  return strip.words ? strip.words[i] === -1 : kSpecial.test(strip.tokens[i]);
}

// A word without the marks that tokenisers leave on its pieces.
function joined(pieces) {
  return pieces.map((piece) => piece.replace(/^(▁|##)/, '').replace(/@@$/, '')).join('');
}

// SentencePiece's mark of a word's beginning is a heavy block in most fonts: a thin one says the same.
const labelOf = (text) => text.replaceAll('▁', 'ˍ');

// What stands for one row or column: its tokens by number, its text, and the text as it is drawn.
export function groupsOf(strip, { merge, hideSpecial }) {
  const groups = [];
  let last = -1;
  strip.tokens.forEach((token, i) => {
    const special = isSpecial(strip, i);
    if (special && hideSpecial) return;
    const word = strip.words && !special ? strip.words[i] : -1;
    if (merge && word !== -1 && word === last) {
      groups.at(-1).tokens.push(i);
    } else {
      groups.push({ tokens: [i], text: token, special });
    }
    last = word;
  });
  for (const group of groups) {
    if (merge && strip.words && !group.special) group.text = joined(group.tokens.map((i) => strip.tokens[i]));
    group.label = labelOf(group.text);
  }
  return groups;
}

// Pieces of a source word add up, pieces of a target word share: the row of a word is the mean of its pieces' rows.
function merged(weights, rows, columns, keys) {
  const values = new Float32Array(rows.length * columns.length);
  rows.forEach((row, r) => {
    columns.forEach((column, c) => {
      let sum = 0;
      let seen = 0;
      for (const q of row.tokens) {
        let any = false;
        for (const k of column.tokens) {
          const weight = weights[q * keys + k];
          if (weight !== weight) continue;
          sum += weight;
          any = true;
        }
        seen += any;
      }
      values[r * columns.length + c] = seen === 0 ? NaN : sum / row.tokens.length;
    });
  });
  return values;
}

// Each row, or each column, scaled to a sum of 1; one without weight stays.
function normalised(values, rows, columns, by) {
  const sums = new Float64Array(by === 'row' ? rows : columns);
  const result = new Float32Array(values.length);
  for (let r = 0, i = 0; r < rows; ++r) {
    for (let c = 0; c < columns; ++c, ++i) {
      if (values[i] > 0) sums[by === 'row' ? r : c] += values[i];
    }
  }
  for (let r = 0, i = 0; r < rows; ++r) {
    for (let c = 0; c < columns; ++c, ++i) {
      const sum = sums[by === 'row' ? r : c];
      result[i] = sum > 0 ? values[i] / sum : values[i];
    }
  }
  return result;
}

// weights [queries, keys] -> {rows, columns, values, max, floor, rowSums, columnSums}. options: merge, hideSpecial,
// normalise: 'none', 'row' or 'column', floor: what the smallest code stands for at most. Weights below zero count for max
// and for the sums of columns.
export function buildView(weights, queries, keys, options) {
  const rows = groupsOf(queries, options);
  const columns = groupsOf(keys, options);
  const whole = rows.length === queries.tokens.length && columns.length === keys.tokens.length;
  let values = whole ? weights : merged(weights, rows, columns, keys.tokens.length);
  if (options.normalise !== 'none') values = normalised(values, rows.length, columns.length, options.normalise);
  const rowSums = new Float64Array(rows.length);
  const columnSums = new Float64Array(columns.length);
  let max = 0;
  for (let r = 0, i = 0; r < rows.length; ++r) {
    for (let c = 0; c < columns.length; ++c, ++i) {
      const value = values[i];
      if (!(Math.abs(value) > 0)) continue;
      if (value > 0) rowSums[r] += value;
      columnSums[c] += value;
      if (Math.abs(value) > max) max = Math.abs(value);
    }
  }
  const floor = options.normalise === 'none' ? (options.floor ?? 0) : 0;
  return { rows, columns, values, max, floor, rowSums, columnSums };
}

export function valueAt(view, r, c) {
  return view.values[r * view.columns.length + c];
}

// 1 for the largest weight of its row.
export function rankOf(view, r, c) {
  const value = valueAt(view, r, c);
  let rank = 1;
  for (let other = 0; other < view.columns.length; ++other) rank += valueAt(view, r, other) > value;
  return rank;
}

// The fewest columns that hold `share` of a row's weight, the heaviest first, at most `most`.
export function heaviest(view, r, share, most = Infinity) {
  const width = view.columns.length;
  const order = [];
  for (let c = 0; c < width; ++c) if (view.values[r * width + c] > 0) order.push(c);
  order.sort((a, b) => view.values[r * width + b] - view.values[r * width + a]);
  let left = view.rowSums[r] * share;
  let count = 0;
  while (count < order.length && count < most && left > 1e-9) left -= view.values[r * width + order[count++]];
  return order.slice(0, count);
}

// Where a token is shown; -1 when it is hidden.
export function groupWith(groups, token) {
  return groups.findIndex((group) => group.tokens.includes(token));
}

// A weight as text: "0.312", "0.0004", "0", "masked". Weights of a page are rounded, and what is positive never to
// zero: below `floor` only that is known.
export function weightText(value, floor = 0) {
  if (value !== value) return 'masked';
  if (value === 0) return '0';
  if (value < 0) return `−${weightText(-value, floor)}`;
  if (value < floor) return `< ${floor.toPrecision(1)}`;
  return value >= 0.001 ? value.toFixed(3) : value.toPrecision(1);
}

// The same in a cell: ".31", "<.01".
export function cellText(value, floor = 0) {
  if (value < 0) return `−${cellText(-value, floor)}`;
  const least = Math.max(0.005, floor);
  const text = value < least ? `<${(Math.ceil(least * 100) / 100).toFixed(2)}` : value.toFixed(2);
  return text.replace('0.', '.');
}

// Gold links between words as cells of a view: a link joins every shown piece of both words.
export function goldCells(example, view, queries, keys) {
  if (!example.gold) return null;
  const tokensOf = (strip, word) =>
    strip.tokens.flatMap((_, i) => ((strip.words ? strip.words[i] : i) === word ? [i] : []));
  const cells = new Map();
  for (const [source, target, sure] of example.gold) {
    for (const key of tokensOf(keys, source)) {
      for (const query of tokensOf(queries, target)) {
        const row = groupWith(view.rows, query);
        const column = groupWith(view.columns, key);
        if (row >= 0 && column >= 0) cells.set(`${row} ${column}`, { row, column, sure });
      }
    }
  }
  return [...cells.values()];
}

const kRightToLeft = /^[^\p{L}]*[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

// Whether most words are of a script that runs from right to left.
export function isRightToLeft(groups) {
  return groups.filter((group) => kRightToLeft.test(group.text)).length > groups.length / 2;
}

// The slope of labels that stand this far apart, in radians: steep enough that lines of this height do not touch.
export const slantOf = (spacing, height) => Math.max(0.9, Math.asin(Math.min(1, height / spacing)));
