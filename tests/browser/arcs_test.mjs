// SPDX-License-Identifier: Apache-2.0
// The arcs of a text that looks at itself: which there are, how they are drawn, pointed at and saved.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { arcsOf, layOutArcs } from '../../web/arcs_layout.js';
import { buildView } from '../../web/view.js';
import { drawn, openBrowser, scene, setState } from './browser.mjs';
import { trace, translator } from './traces.mjs';

const kWords = ['the', 'cat', 'you', 'saw', 'sleeps'];

// the and saw hang on cat, you on saw, cat on sleeps, sleeps on the root; sleeps has another head.
const kWeights = [
  [0, 0.95, 0, 0.05, 0],
  [0, 0, 0, 0, 1],
  [0, 0, 0, 1, 0],
  [0, 0.8, 0.04, 0, 0.16],
  [0, 0.3, 0, 0, 0.7],
];

const sentence = (tokens = kWords, weights = kWeights) =>
  trace({
    strips: [{ name: 'text', tokens }],
    attentions: [{ kind: 'encoder self', queries: 'text', keys: 'text', heads: [{ layer: 0, head: 0, weights }] }],
  });

let browser;
let file;
before(async () => {
  browser = await openBrowser();
  file = browser.pageOf(sentence());
});
after(() => browser.close());

const viewOf = (weights, tokens) => {
  const strip = { name: 'text', tokens };
  return buildView(Float32Array.from(weights.flat()), strip, strip, {
    merge: false,
    hideSpecial: false,
    normalise: 'none',
  });
};
const ends = (arcs) => arcs.map(({ dependant, head, likeliest }) => `${dependant}<${head}${likeliest ? '' : '?'}`);

test('arcs lead from the heaviest key, and from others that hold a tenth of the weight', () => {
  const view = viewOf(kWeights, kWords);
  assert.deepEqual(ends(arcsOf(view)), ['0<1', '1<4', '2<3', '3<1', '3<4?', '4<4', '4<1?']);
  assert.deepEqual(ends(arcsOf(view, 0.02)), ['0<1', '0<3?', '1<4', '2<3', '3<1', '3<2?', '3<4?', '4<4', '4<1?']);
  assert.deepEqual(ends(arcsOf(view, 0.75)), ['0<1', '1<4', '2<3', '3<1']);
  const masked = viewOf(
    [
      [NaN, NaN],
      [0, 0.5],
    ],
    ['a', 'b'],
  );
  assert.deepEqual(ends(arcsOf(masked)), ['1<1']);
});

test('arcs that span more rise higher, and words are laid out as they are read', () => {
  const measure = () => 40;
  const { words, arches } = layOutArcs(viewOf(kWeights, kWords), arcsOf(viewOf(kWeights, kWords)), measure);
  const height = (dependant, head) => arches.find((a) => a.dependant === dependant && a.head === head).height;
  assert.ok(height(1, 4) > height(3, 1) && height(3, 1) > height(2, 3));
  assert.ok(words[0].x < words[4].x);
  const hebrew = viewOf(
    [
      [0, 1],
      [0, 1],
    ],
    ['שלום', 'עולם'],
  );
  const turned = layOutArcs(hebrew, arcsOf(hebrew), measure);
  assert.ok(turned.words[0].x > turned.words[1].x);
});

// Pixels of the arcs that are not of their ground, from the top down to the words.
const inked = (page) =>
  page.evaluate(() => {
    const canvas = document.getElementById('arcs');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, 170);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) {
      count += Math.abs(data[i] - data[0]) + Math.abs(data[i + 1] - data[1]) + Math.abs(data[i + 2] - data[2]) > 30;
    }
    return count;
  });

test('they are shown where a text looks at itself, and nowhere else', async () => {
  await browser.withPage(file, {}, async (page) => {
    assert.ok(await page.isVisible('#arcs'));
    assert.ok((await inked(page)) > 500);
    assert.match(await page.textContent('#arcs-note'), /^from the likeliest head/);
  });
  await browser.withPage(browser.pageOf(translator()), {}, async (page) => {
    assert.ok(await page.isHidden('#arcs-panel'), 'cross');
    await setState(page, { set: 1 });
    assert.ok(await page.isVisible('#arcs-panel'), 'decoder self');
  });
});

for (const colours of ['blue', 'cividis', 'gray']) {
  for (const theme of ['light', 'dark']) {
    test(`arcs are seen: ${colours}, ${theme}`, () =>
      browser.withPage(file, { fragment: `#colours=${colours}&theme=${theme}` }, async (page) => {
        assert.ok((await inked(page)) > 500);
      }));
  }
}

test('hovering a word leaves its own arcs, a click pins it', () =>
  browser.withPage(file, {}, async (page) => {
    await page.locator('#arcs').scrollIntoViewIfNeeded();
    const box = await page.locator('#arcs').boundingBox();
    const all = await inked(page);
    // Words differ in width by font: the first from the left that answers.
    let x = box.x;
    for (; x < box.x + box.width && (await scene(page, (s) => s.cursor)) === null; x += 12) {
      await page.mouse.move(x, box.y + 190);
      await drawn(page);
    }
    assert.deepEqual(await scene(page, (s) => s.cursor), { row: 0, column: null });
    assert.equal(await page.textContent('#arcs-note'), '“the” hangs on “cat” 0.949');
    const one = await inked(page);
    assert.ok(one > 0 && one < 0.5 * all, `${one} of ${all} pixels`);
    await page.mouse.click(x - 12, box.y + 190);
    await page.mouse.move(2, 2);
    await drawn(page);
    assert.deepEqual(await scene(page, (s) => s.pinned), { row: 0, column: 1 });
    assert.equal(await page.textContent('#text-note'), 'weights of “the”');
  }));

test('arrows go from word to word, Enter pins, Escape lets go', () =>
  browser.withPage(file, {}, async (page) => {
    await page.focus('#arcs-frame');
    for (const key of ['ArrowRight', 'ArrowRight', 'End', 'ArrowLeft']) {
      await page.keyboard.press(key);
      await drawn(page);
    }
    assert.deepEqual(await scene(page, (s) => s.cursor), { row: 3, column: null });
    assert.equal(await page.textContent('#arcs-note'), '“saw” hangs on “cat” 0.799');
    await page.keyboard.press('End');
    await drawn(page);
    assert.equal(await page.textContent('#arcs-note'), '“sleeps” hangs on the root 0.701');
    await page.keyboard.press('Enter');
    await drawn(page);
    assert.deepEqual(await scene(page, (s) => s.pinned), { row: 4, column: 4 });
    await page.keyboard.press('Escape');
    await drawn(page);
    assert.equal(await scene(page, (s) => s.pinned), null);
  }));

test('the threshold leaves arcs out', () =>
  browser.withPage(file, {}, async (page) => {
    const all = await inked(page);
    await page.locator('[data-state=threshold]').fill('0.5');
    await drawn(page);
    assert.ok((await inked(page)) < all, 'no dashed ones are left');
  }));

async function saved(page, button) {
  const [download] = await Promise.all([page.waitForEvent('download'), page.click(button)]);
  const place = path.join(browser.folder, download.suggestedFilename());
  await download.saveAs(place);
  return place;
}

test('arcs are saved as SVG and PNG', () =>
  browser.withPage(browser.pageOf(sentence(['the', '<b>', 'you', 'saw', 'sleeps'])), {}, async (page) => {
    const place = await saved(page, '#arcs-svg');
    assert.match(path.basename(place), /arcs\.svg$/);
    const svg = readFileSync(place, 'utf8');
    assert.equal(svg.match(/class="arc"/g).length, 7);
    assert.equal(svg.match(/stroke-dasharray/g).length, 2);
    assert.equal(svg.match(/>root</g).length, 1);
    assert.ok(svg.includes('&lt;b&gt;') && !svg.includes('<b>'));
    const png = readFileSync(await saved(page, '#arcs-png'));
    assert.deepEqual([...png.subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
    assert.ok(png.length > 2000);
    await browser.withPage(place, {}, async (picture) => {
      assert.equal(await picture.evaluate(() => document.documentElement.tagName), 'svg');
    });
  }));

test('a text longer than the window is moved sideways', () => {
  const size = 120;
  const tokens = Array.from({ length: size }, (_, i) => `word${i}`);
  const weights = tokens.map((_, q) => tokens.map((__, k) => (k === Math.max(0, q - 1) ? 1 : 0)));
  return browser.withPage(browser.pageOf(sentence(tokens, weights)), {}, async (page) => {
    const before = await inked(page);
    assert.ok(before > 500);
    await page.focus('#arcs-frame');
    await page.keyboard.press('End');
    await drawn(page);
    assert.ok((await page.evaluate(() => document.getElementById('arcs-frame').scrollLeft)) > 1000);
    const { wide, room } = await page.evaluate(() => ({
      wide: document.documentElement.scrollWidth,
      room: window.innerWidth,
    }));
    assert.ok(wide <= room, 'the page itself is not');
  });
});
