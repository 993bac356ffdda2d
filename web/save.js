// SPDX-License-Identifier: Apache-2.0
// Saving what is shown: matrix and arcs as PNG or SVG, the weights as a trace that `heed view` opens again.
import { cssColour, kMaskedIndex } from 'heed/colour.js';
import { valueAt } from 'heed/view.js';

const kRectangles = 20000; // more would be slow to open: then cells are one embedded image

function download(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// A file name from what is shown: letters and digits, the rest dashes.
export function fileName(scene, ending) {
  const words = `${scene.title} ${scene.caption}`.normalize('NFKC').replace(/[^\p{L}\p{N}]+/gu, '-');
  return `${words.replace(/^-|-$/g, '').slice(0, 80) || 'attention'}.${ending}`;
}

export function escaped(text) {
  const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  // Control characters have no place in XML, written in any way.
  return text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"']/g, (c) => entities[c]);
}

function imageOfCells(view, palette) {
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width: view.columns.length, height: view.rows.length });
  const context = canvas.getContext('2d');
  const image = context.createImageData(canvas.width, canvas.height);
  const pixels = new Uint32Array(image.data.buffer);
  for (let i = 0; i < pixels.length; ++i) pixels[i] = palette.packed[palette.indexOf(view.values[i])];
  context.putImageData(image, 0, 0);
  return canvas.toDataURL('image/png');
}

// Of all cells but those of zero, which are the paper.
function rectangles(view, palette, { left, top, size }) {
  const width = view.columns.length;
  const parts = [];
  view.values.forEach((value, i) => {
    const index = palette.indexOf(value);
    if (index === 0) return;
    const fill = index === kMaskedIndex ? 'url(#masked)' : cssColour(palette.rgb[index]);
    const place = `x="${left + (i % width) * size}" y="${top + Math.floor(i / width) * size}"`;
    parts.push(`<rect ${place} width="${size}" height="${size}" fill="${fill}"/>`);
  });
  return parts;
}

// A still picture: cells, words, masked cells hatched.
export function toSvg({ view, palette, caption, dark }) {
  const { rows, columns } = view;
  const size = Math.max(2, Math.min(28, 1600 / Math.max(rows.length, columns.length, 1)));
  const left = 140;
  const top = 130;
  const width = left + columns.length * size + 60;
  const height = top + rows.length * size + 40;
  const { paper, masked, hatch } = palette.grounds;
  const ink = dark ? '#e9e7e2' : '#1d1f24';
  const inner = { width: columns.length * size, height: rows.length * size };
  const box = `x="${left}" y="${top}" width="${inner.width}" height="${inner.height}"`;
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`,
    ` font-family="sans-serif" font-size="${Math.min(12, size)}">`,
    `<title>${escaped(caption)}</title>`,
    '<defs><pattern id="masked" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">',
    `<rect width="6" height="6" fill="${cssColour(masked)}"/><rect width="1.5" height="6" fill="${cssColour(hatch)}"/>`,
    '</pattern></defs>',
    `<rect width="${width}" height="${height}" fill="${cssColour(paper)}"/>`,
  ];
  if (rows.length * columns.length > kRectangles) {
    const look = 'preserveAspectRatio="none" style="image-rendering:pixelated"';
    parts.push(`<image ${box} ${look} href="${imageOfCells(view, palette)}"/>`);
  } else {
    parts.push(...rectangles(view, palette, { left, top, size }));
  }
  parts.push(`<rect ${box} fill="none" stroke="${ink}" stroke-opacity="0.3"/>`);
  const every = Math.ceil(8 / size);
  const label = (text, place, anchor) =>
    `<text ${place} text-anchor="${anchor}" dominant-baseline="middle" fill="${ink}">${escaped(text)}</text>`;
  for (let r = 0; r < rows.length; r += every) {
    parts.push(label(rows[r].text, `x="${left - 6}" y="${top + (r + 0.5) * size}"`, 'end'));
  }
  for (let c = 0; c < columns.length; c += every) {
    const x = left + (c + 0.5) * size;
    parts.push(label(columns[c].text, `transform="translate(${x} ${top - 6}) rotate(-52)"`, 'start'));
  }
  parts.push(`<text x="${left}" y="${height - 14}" fill="${ink}" font-size="12">${escaped(caption)}</text>`, '</svg>');
  return parts.join('\n');
}

// Weights as they are shown, one head, in Heed's own form.
export function toTrace(scene) {
  const { rows, columns } = scene.view;
  const strip = (name, groups) => ({ name, tokens: groups.map((group) => group.text) });
  const same = scene.set.queries === scene.set.keys;
  const strips = [strip(scene.set.keys, columns)];
  if (!same) strips.push(strip(scene.set.queries, rows));
  const shorter = (value) => (value !== value ? null : Number(value.toPrecision(6)));
  const weights = rows.map((_, r) => columns.map((__, c) => shorter(valueAt(scene.view, r, c))));
  const { layer, head } = scene.heads[0];
  return {
    format: 'heed-trace',
    version: 1,
    model: scene.title,
    examples: [
      {
        title: scene.caption,
        strips,
        attentions: [
          {
            kind: scene.set.kind,
            queries: scene.set.queries,
            keys: scene.set.keys,
            stepwise: scene.set.stepwise,
            heads: [{ layer, head, weights }],
          },
        ],
      },
    ],
  };
}

export function createSaver({ canvas, arcs, scene }) {
  const arcsName = (ending) => fileName({ ...scene(), caption: `${scene().caption} arcs` }, ending);
  return {
    arcsPng: () => arcs.png((blob) => download(blob, arcsName('png'))),
    arcsSvg: () => download(new Blob([arcs.svg()], { type: 'image/svg+xml' }), arcsName('svg')),
    png: () => canvas.toBlob((blob) => download(blob, fileName(scene(), 'png')), 'image/png'),
    svg: () => download(new Blob([toSvg(scene())], { type: 'image/svg+xml' }), fileName(scene(), 'svg')),
    json: () =>
      download(new Blob([JSON.stringify(toTrace(scene()))], { type: 'application/json' }), fileName(scene(), 'json')),
  };
}
