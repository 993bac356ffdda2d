// SPDX-License-Identifier: Apache-2.0
// What is drawn, read back as pixels: three looks for zero, tiny and masked, and pictures against references.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { contrast, createPalette, inkOn, parseColour } from '../../web/colour.js';
import { cellAt, openBrowser, pixelsAt, root, setState } from './browser.mjs';
import { large, plain, trace } from './traces.mjs';

let browser;
before(async () => (browser = await openBrowser()));
after(() => browser.close());

const apart = (a, b) => Math.max(...a.map((channel, i) => Math.abs(channel - b[i])));

// The colours of a cell above and below its number: "r,g,b" -> how many pixels.
async function colours(page, row, column) {
  const { x, y } = await cellAt(page, row, column);
  const places = [-9, -8, 8, 9].flatMap((dy) => Array.from({ length: 15 }, (_, i) => ({ x: x + i - 7, y: y + dy })));
  const counts = new Map();
  for (const pixel of await pixelsAt(page, places)) counts.set(pixel.join(), (counts.get(pixel.join()) ?? 0) + 1);
  return counts;
}

for (const look of ['blue', 'cividis', 'gray']) {
  for (const theme of ['light', 'dark']) {
    test(`zero is blank, tiny tinted, masked hatched: ${look}, ${theme}`, async () => {
      const file = browser.pageOf(plain(['zero', 'tiny', 'masked', 'much'], ['t'], [[0, 1e-12, null, 1]]));
      await browser.withPage(file, { fragment: `#colours=${look}&theme=${theme}` }, async (page) => {
        const paper = { blue: { light: '#ffffff', dark: '#15171b' }, gray: { light: '#000000', dark: '#000000' } };
        const blank = parseColour((paper[look] ?? paper.blue)[theme]);
        const [zero, tiny, masked, much] = await Promise.all([0, 1, 2, 3].map((column) => colours(page, 0, column)));
        assert.deepEqual([...zero.keys()], [blank.join()], 'nothing at all is drawn for a zero');
        assert.equal(tiny.size, 1);
        const [tint] = [...tiny.keys()].map((key) => key.split(',').map(Number));
        assert.ok(apart(tint, blank) >= 24, `tiny ${tint} is too near to blank ${blank}`);
        assert.equal(masked.size, 2, 'hatching has two colours');
        for (const key of masked.keys()) assert.ok(!zero.has(key) && !tiny.has(key) && !much.has(key));
        const [full] = [...much.keys()].map((key) => key.split(',').map(Number));
        assert.ok(apart(full, tint) >= 60, `much ${full} is too near to tiny ${tint}`);
      });
    });
  }
}

test('a single spike among four million weights is seen', async () => {
  const size = 2000;
  const line = new Array(size).fill(0).join();
  const spike = line
    .split(',')
    .map((zero, i) => (i === 1234 ? '1' : zero))
    .join();
  const rows = Array.from({ length: size }, (_, q) => `[${q === 777 ? spike : line}]`).join();
  const tokens = JSON.stringify(Array.from({ length: size }, (_, i) => `w${i}`));
  const file = browser.pageOf(`{"source":${tokens},"target":${tokens},"weights":[${rows}]}`);
  await browser.withPage(file, {}, async (page) => {
    const dark = await page.evaluate(() => {
      const { area } = window.heed.matrix;
      const { data } = document
        .getElementById('matrix')
        .getContext('2d')
        .getImageData(area.left, area.top, area.width, area.height);
      let count = 0;
      for (let i = 0; i < data.length; i += 4) count += data[i] < 60 && data[i + 2] > data[i];
      return count;
    });
    assert.ok(dark >= 1 && dark <= 16, `${dark} dark pixels`);
  });
});

test('numbers and words stand out from every shade', () => {
  for (const colours of ['blue', 'cividis', 'gray']) {
    for (const dark of [false, true]) {
      const { rgb } = createPalette({ colours, dark, range: 1, gamma: 1, threshold: 0 });
      for (const shade of rgb) {
        assert.ok(contrast(shade, parseColour(inkOn(shade))) >= 4.5, `${colours} ${shade}`);
      }
    }
  }
});

// The cells of the matrix, or the map, resampled to one size: label widths differ by font, so cells do.
const snapshot = (page, part, size) =>
  page.evaluate(
    ([what, side]) => {
      const canvas = document.createElement('canvas');
      Object.assign(canvas, { width: side, height: side });
      const context = canvas.getContext('2d');
      if (what === 'matrix') {
        const { area } = window.heed.matrix;
        context.drawImage(
          document.getElementById('matrix'),
          area.left,
          area.top,
          area.width,
          area.height,
          0,
          0,
          side,
          side,
        );
      } else {
        const heads = [...document.querySelectorAll('.map-head canvas')];
        const across = Math.ceil(Math.sqrt(heads.length));
        const cell = side / across;
        context.imageSmoothingEnabled = false;
        heads.forEach((head, i) =>
          context.drawImage(head, (i % across) * cell, Math.floor(i / across) * cell, cell, cell),
        );
      }
      return canvas.toDataURL('image/png');
    },
    [part, size],
  );

// Mean difference of two pictures' channels, 0 to 255, compared in the browser, which has a decoder of PNG.
const difference = (page, one, other) =>
  page.evaluate(
    async (urls) => {
      const pixels = await Promise.all(
        urls.map(async (url) => {
          const image = new Image();
          image.src = url;
          await image.decode();
          const canvas = document.createElement('canvas');
          Object.assign(canvas, { width: image.width, height: image.height });
          const context = canvas.getContext('2d');
          context.drawImage(image, 0, 0);
          return context.getImageData(0, 0, image.width, image.height).data;
        }),
      );
      if (pixels[0].length !== pixels[1].length) return 255;
      return pixels[0].reduce((sum, value, i) => sum + Math.abs(value - pixels[1][i]), 0) / pixels[0].length;
    },
    [one, other],
  );

// Differences that fonts make to the size of cells stay below 3; another head gives 20 and more.
const kTolerance = 6;

function causalTrace() {
  const size = 24;
  const tokens = Array.from({ length: size }, (_, i) => `w${i}`);
  const head = (shift) =>
    tokens.map((_, q) =>
      tokens.map((__, k) => (k > q ? null : k === q - shift ? 0.6 : k % 5 === shift ? 0 : 0.4 / (1 + q - k))),
    );
  const heads = [0, 1].flatMap((layer) =>
    [0, 1].map((number) => ({ layer, head: number, weights: head(2 * layer + number) })),
  );
  return trace({
    strips: [{ name: 'text', tokens }],
    attentions: [{ kind: 'decoder self', queries: 'text', keys: 'text', heads }],
  });
}

const kPictures = [
  { name: 'matrix-blue', part: 'matrix', state: {} },
  { name: 'matrix-cividis-dark', part: 'matrix', state: { colours: 'cividis', theme: 'dark', layer: 1 } },
  { name: 'matrix-gray-threshold', part: 'matrix', state: { colours: 'gray', threshold: 0.02, gamma: 0.3, head: 1 } },
  { name: 'map-blue', part: 'map', state: {} },
];

for (const { name, part, state } of kPictures) {
  test(`looks like its reference: ${name}`, async () => {
    const file = path.join(root, 'tests/browser/references', `${name}.png`);
    await browser.withPage(browser.pageOf(causalTrace()), { fragment: '#layer=0&head=0' }, async (page) => {
      await setState(page, state);
      const now = await snapshot(page, part, 144);
      if (process.env.HEED_WRITE_REFERENCES) writeFileSync(file, Buffer.from(now.split(',')[1], 'base64'));
      assert.ok(existsSync(file), `${file} is missing: HEED_WRITE_REFERENCES=1 writes it`);
      const reference = `data:image/png;base64,${readFileSync(file).toString('base64')}`;
      const apart = await difference(page, reference, now);
      assert.ok(apart <= kTolerance, `differs by ${apart.toFixed(2)}`);
      if (part !== 'matrix') return;
      await setState(page, { layer: state.layer ? 0 : 1, head: state.head ? 0 : 1 });
      const other = await difference(page, reference, await snapshot(page, part, 144));
      assert.ok(other > 2 * kTolerance, `another head differs by ${other.toFixed(2)} only: the comparison is blind`);
    });
  });
}

test('zoomed far in, cells carry their numbers', async () => {
  await browser.withPage(browser.pageOf(large(60, 1, 1)), {}, async (page) => {
    const inks = () =>
      page.evaluate(() => {
        const { area } = window.heed.matrix;
        const { data } = document
          .getElementById('matrix')
          .getContext('2d')
          .getImageData(area.left, area.top, area.width, area.height);
        const seen = new Set();
        for (let i = 0; i < data.length; i += 4) seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
        return seen.size;
      });
    const before = await inks();
    await page.evaluate(() => window.heed.matrix.zoomBy(20));
    const after = await inks();
    assert.ok(after > before + 30, `${before} colours without, ${after} with the soft edges of numbers`);
  });
});
