// SPDX-License-Identifier: Apache-2.0
// A matrix as colour indices at several sizes, each half the one before: however far out one zooms, a single spike stays.
import { kMaskedIndex } from 'heed/colour.js';

// The larger of shades; masked only where all are.
const stronger = (a, b) => (a === kMaskedIndex ? b : b === kMaskedIndex ? a : Math.max(a, b));

function halved({ rows, columns, indices }) {
  const half = { rows: Math.ceil(rows / 2), columns: Math.ceil(columns / 2) };
  half.indices = new Uint8Array(half.rows * half.columns);
  for (let r = 0, i = 0; r < half.rows; ++r) {
    const upper = 2 * r * columns;
    const lower = 2 * r + 1 < rows ? upper + columns : upper;
    for (let c = 0; c < half.columns; ++c, ++i) {
      const left = 2 * c;
      const right = left + 1 < columns ? left + 1 : left;
      half.indices[i] = stronger(
        stronger(indices[upper + left], indices[upper + right]),
        stronger(indices[lower + left], indices[lower + right]),
      );
    }
  }
  return half;
}

// level(i) has cells of 2^i by 2^i weights, made when first asked for.
export function createPyramid(view, palette) {
  const base = { rows: view.rows.length, columns: view.columns.length, indices: new Uint8Array(view.values.length) };
  for (let i = 0; i < view.values.length; ++i) base.indices[i] = palette.indexOf(view.values[i]);
  const levels = [base];
  return {
    level(i) {
      while (levels.length <= i) levels.push(halved(levels.at(-1)));
      return levels[i];
    },
  };
}

// Which level gives cells of at least a pixel.
export function levelFor(pixelsPerCell) {
  return Math.max(0, Math.ceil(-Math.log2(pixelsPerCell)));
}

// Fills pixels [height, width] with the part of the matrix that a viewport shows. x, y: its corner in pixels from that of
// the matrix; sx, sy: pixels of a cell; rowsShown: rows from there on stay blank; hatch: period of the hatching.
export function paint(pixels, { width, height }, { x, y, sx, sy, rowsShown, hatch }, pyramid, palette) {
  const i = levelFor(Math.min(sx, sy));
  const { columns, rows, indices } = pyramid.level(i);
  const size = 2 ** i;
  const columnOf = Int32Array.from({ length: width }, (_, px) => Math.min(columns - 1, Math.floor((px + 0.5 + x) / (sx * size))));
  const { packed } = palette;
  for (let py = 0; py < height; ++py) {
    const cell = (py + 0.5 + y) / sy;
    const row = Math.min(rows - 1, Math.floor(cell / size)) * columns;
    const out = py * width;
    if (cell >= rowsShown) {
      pixels.fill(packed[0], out, out + width);
      continue;
    }
    for (let px = 0; px < width; ++px) {
      const index = indices[row + columnOf[px]];
      pixels[out + px] = index === kMaskedIndex && (px + x + py + y) % hatch < 1.5 ? palette.hatch : packed[index];
    }
  }
}
