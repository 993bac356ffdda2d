// SPDX-License-Identifier: Apache-2.0
// Colours of weights: ramps that are even to the eye, and three looks that never mix: zero is blank, tiny is tinted,
// masked is hatched.

export const kMaskedIndex = 255; // 0 is zero, 1 to 254 are shades

// Lightness falls (or on dark ground rises) steadily along each; the first stop is what the smallest weight gets, and is
// plainly not the paper.
const kRamps = {
  blue: {
    light: ['#d7e5f4', '#a5c8e8', '#659fd3', '#2f71b5', '#154a88', '#0a2a57'],
    dark: ['#22395a', '#2b5688', '#3c7abb', '#649fdb', '#9dc5f0', '#e2effd'],
  },
  cividis: {
    light: ['#f4e69a', '#d8c66f', '#aa9f72', '#7c7b78', '#4d556d', '#00224e'],
    dark: ['#123570', '#3f4c6b', '#666970', '#918c76', '#c4b468', '#fee838'],
  },
  gray: { light: ['#2c2c2c', '#565656', '#808080', '#aaaaaa', '#d4d4d4', '#ffffff'] },
};

// Of what speaks against, in every map: a hue that none of them has.
const kAgainst = {
  light: ['#f6dcec', '#e9a9d0', '#d873b2', '#bf3d90', '#931f6b', '#5a0c40'],
  dark: ['#4a2140', '#742e61', '#a33f86', '#cd63ac', '#e99fd0', '#fbe0f2'],
};

const kGrounds = {
  light: { paper: '#ffffff', masked: '#f0ede7', hatch: '#b3ada2' },
  dark: { paper: '#15171b', masked: '#1f2227', hatch: '#575d68' },
  gray: { paper: '#000000', masked: '#20262e', hatch: '#6d7885' },
};

export function parseColour(hex) {
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

export function cssColour([r, g, b]) {
  return `rgb(${r} ${g} ${b})`;
}

const toLinear = (channel) => {
  const c = channel / 255;
  return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
};
const fromLinear = (c) =>
  Math.round(255 * Math.min(1, Math.max(0, c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055)));

// Oklab (Ottosson 2020): a mixture there looks like the middle of its ends.
function toOklab(rgb) {
  const [r, g, b] = rgb.map(toLinear);
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function fromOklab([lightness, a, b]) {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map(fromLinear);
}

function ramp(stops) {
  const labs = stops.map((hex) => toOklab(parseColour(hex)));
  return (t) => {
    const at = Math.min(t * (labs.length - 1), labs.length - 1 - 1e-9);
    const i = Math.floor(at);
    return fromOklab(labs[i].map((value, axis) => value + (labs[i + 1][axis] - value) * (at - i)));
  };
}

// How bright a colour is, and how well two are told apart (WCAG 2).
export function luminance(rgb) {
  const [r, g, b] = rgb.map(toLinear);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

export function contrast(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

// Black or white, whichever reads better on it.
export function inkOn(rgb) {
  return luminance(rgb) > 0.179 ? '#000000' : '#ffffff';
}

const pack = ([r, g, b]) => ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0; // as ImageData has it on little-endian machines

// A palette: 256 colours by index, the grounds, and how a weight becomes an index.
//   range: the weight of the last shade; gamma below 1 lifts small weights; below the threshold nothing is shown.
//   signed: weights below zero have shades of their own. Then even indices are above zero and odd ones below, so that the
//   larger of two is the stronger all the same.
export function createPalette({ colours, dark, range, gamma, threshold, signed = false }) {
  const theme = dark && kRamps[colours].dark ? 'dark' : 'light';
  const grounds = Object.fromEntries(
    Object.entries(kGrounds[colours === 'gray' ? 'gray' : theme]).map(([name, hex]) => [name, parseColour(hex)]),
  );
  const shade = ramp(kRamps[colours][theme]);
  const rgb = [grounds.paper];
  const against = signed ? ramp(kAgainst[theme]) : shade;
  for (let i = 1; i < kMaskedIndex; ++i) rgb.push((i % 2 ? against : shade)((i - 1) / (kMaskedIndex - 2)));
  rgb.push(grounds.masked);
  const fixed = colours === 'gray' ? 1 : range || 1;
  // A power for each of four million cells would take a second: 4096 steps are looked up instead.
  const steps = Uint8Array.from({ length: 4097 }, (_, i) => 1 + Math.round((i / 4096) ** gamma * (kMaskedIndex - 2)));
  const indexOfSigned = (value) => {
    const size = Math.abs(value);
    if (value !== value) return kMaskedIndex;
    if (size === 0 || size < threshold) return 0;
    const step = size >= fixed ? kMaskedIndex - 1 : steps[((size / fixed) * 4096) | 0];
    const even = Math.max(2, step - (step % 2));
    return value > 0 ? even : even - 1;
  };
  const indexOf = (value) => {
    if (signed) return indexOfSigned(value);
    if (value !== value) return kMaskedIndex;
    if (!(value > 0) || value < threshold) return 0;
    return value >= fixed ? kMaskedIndex - 1 : steps[((value / fixed) * 4096) | 0];
  };
  return {
    range: fixed,
    signed,
    grounds,
    rgb,
    packed: Uint32Array.from(rgb, pack),
    hatch: pack(grounds.hatch),
    indexOf,
    colourOf: (value) => rgb[indexOf(value)],
  };
}
