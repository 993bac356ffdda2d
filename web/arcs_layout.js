// SPDX-License-Identifier: Apache-2.0
// Where a text looks at itself: the heads that each word hangs on, its likeliest one marked, and where their arcs lie.
// Each row asks for the head of its word; a word's weight on itself is that of the root.
import { isRightToLeft } from 'heed/view.js';

const kShare = 0.1; // of a word's weight: others than the likeliest are left out below it, unless a threshold is set
const kLeastShare = 0.01; // whatever the threshold: more arcs cannot be told apart
const kGap = 18; // between words
const kWidest = 160; // of a word
const kArrival = 4; // beside the middle of a word, where the arc of its head ends
const kDeparture = 9; // and where those of its dependants begin
const kHighest = 150;

export const kFromAbove = 26; // the length of the root's arrow
export const kHead = 8; // of arrows
export const kHeight = 210; // of all
export const kGround = kHeight - 38; // where arcs end, above the words

// Of all words: [{dependant, head, value, likeliest}], the likeliest of a word first; nothing that is zero or masked.
export function arcsOf({ rows, columns, values, rowSums }, threshold = 0) {
  const arcs = [];
  const width = columns.length;
  for (let r = 0; r < rows.length; ++r) {
    const row = values.subarray(r * width, (r + 1) * width);
    let heaviest = 0;
    for (let c = 1; c < width; ++c) if (row[c] > row[heaviest] || row[heaviest] !== row[heaviest]) heaviest = c;
    if (!(row[heaviest] > 0 && row[heaviest] >= threshold)) continue;
    arcs.push({ dependant: r, head: heaviest, value: row[heaviest], likeliest: true });
    const least = Math.max(threshold, rowSums[r] * (threshold > 0 ? kLeastShare : kShare));
    for (let c = 0; c < width; ++c) {
      if (c !== heaviest && row[c] >= least) arcs.push({ dependant: r, head: c, value: row[c], likeliest: false });
    }
  }
  return arcs;
}

// Arcs inside others stay below them.
const heightOver = (distance) => Math.min(kHighest, 14 + 4.6 * Math.sqrt(distance));

// Words in a line, in reading order, and arcs above them: {words: [{x, width}], arches, total}; an arch is an arc with
// `from`, `to` and `height`, those of the root being straight arrows from above.
export function layOutArcs(view, arcs, measure) {
  const widths = view.columns.map((group) => Math.min(kWidest, Math.max(22, measure(group.label))));
  const total = widths.reduce((sum, width) => sum + width + kGap, kGap);
  const backwards = isRightToLeft(view.columns);
  let end = kGap;
  const words = widths.map((width) => {
    const middle = end + width / 2;
    end += width + kGap;
    return { x: backwards ? total - middle : middle, width };
  });
  const arches = arcs.map((arc) => {
    const at = words[arc.dependant].x;
    if (arc.head === arc.dependant) return { ...arc, root: true, from: at, to: at, height: kFromAbove };
    const side = words[arc.head].x < at ? -1 : 1;
    const from = words[arc.head].x - side * kDeparture;
    const to = at + side * kArrival;
    return { ...arc, root: false, from, to, height: heightOver(Math.abs(from - to)) };
  });
  return { words, arches, total };
}

// The heaviest last, whole lines over dashed ones: nothing hides them.
export const byWeight = (a, b) => a.likeliest - b.likeliest || a.value - b.value;

// How an arch is drawn, by its share of the largest weight.
export function strokeOf(arch, palette) {
  const share = Math.min(1, arch.value / palette.range);
  return {
    colour: palette.colourOf(Math.max(arch.value, palette.range * 0.25)),
    width: 1 + 3 * share,
    opacity: arch.likeliest ? 1 : 0.35 + 0.5 * share,
    dashes: arch.likeliest ? [] : [4, 4],
  };
}

// Half-way along a cubic curve is at 3/4 of the height of its inner points.
export const innerHeight = (arch) => kGround - arch.height / 0.75;
