// SPDX-License-Identifier: Apache-2.0
// The page as a user meets it: heads, pins, keyboard, threshold, steps, merging, saving, links that restore.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { cellAt, drawn, openBrowser, pixelAt, scene, setState } from './browser.mjs';
import { large, plain, source, target, trace, translator } from './traces.mjs';

let browser;
let file;
before(async () => {
  browser = await openBrowser();
  file = browser.pageOf(translator());
});
after(() => browser.close());

// Opened at one head, which is easier to tell than what a page opens at by itself.
const withPage = ({ file: other = file, fragment = '#', ...options }, check) =>
  browser.withPage(other, { fragment: fragment.includes('head=') ? fragment : fragment.replace(/^#/, '#layer=0&head=0&'), ...options }, check);

test('opens from a file without any network request', () =>
  withPage({}, async (page) => {
    assert.equal(page.seen.requests.length, 1, String(page.seen.requests));
    assert.match(page.seen.requests[0], /^file:/);
    assert.equal(await page.textContent('h1'), 'demo');
    assert.equal(await page.textContent('#caption'), 'cross: target → source, layer 0, head 0');
  }));

test('opens where the terminal does: cross attention, the last layer, the mean of its heads', async () => {
  const self = translator();
  self.examples[0].attentions.reverse(); // wherever it is in the trace
  for (const [kind, document] of Object.entries({ cross: self, 'encoder self': large(12, 3, 2) })) {
    const place = browser.pageOf(document);
    const shown = execFileSync(browser.program, ['view', place.replace(/html$/, 'json')], { encoding: 'utf8' });
    const [, layer] = new RegExp(`${kind}, layer (\\d), mean of \\d heads`).exec(shown);
    await browser.withPage(place, {}, async (page) => {
      assert.match(await page.textContent('#caption'), new RegExp(`^${kind}: .*, layer ${layer}, mean of heads$`));
      await page.waitForTimeout(400);
      assert.equal(await page.evaluate(() => location.hash), '', 'what it opens at needs no link');
    });
  }
});

test('a head of the map opens by click and by Enter', () =>
  withPage({}, async (page) => {
    const heads = page.locator('.map-head');
    assert.equal(await heads.count(), 6);
    await heads.nth(4).click();
    await drawn(page);
    assert.match(await page.textContent('#caption'), /layer 1, head 1/);
    assert.equal(await heads.nth(4).getAttribute('aria-pressed'), 'true');
    assert.equal(await heads.nth(0).getAttribute('aria-pressed'), 'false');
    await heads.nth(4).focus();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await drawn(page);
    assert.match(await page.textContent('#caption'), /layer 0, head 2/);
    assert.match(
      await heads.nth(2).getAttribute('aria-label'),
      /^layer 0, head 2: entropy \d\.\d\d bits, density \d+%$/,
    );
  }));

test('weights of each head are those of the trace', () =>
  withPage({}, async (page) => {
    assert.deepEqual(
      await scene(page, (s) => [...s.view.values.slice(0, 5)].map((w) => Math.round(w * 100) / 100)),
      [0.8, 0.1, 0.1, 0, 0],
    );
    await setState(page, { layer: 1, head: 1 });
    assert.deepEqual(
      await scene(page, (s) => [...s.view.values.slice(0, 5)].map((w) => Math.round(w * 100) / 100)),
      [0, 0.8, 0.1, 0.1, 0],
    );
  }));

test('heads are shown together as their mean and their largest', () =>
  withPage({}, async (page) => {
    await page.selectOption('[data-state=aggregate]', 'mean');
    await drawn(page);
    assert.ok(Math.abs((await scene(page, (s) => s.view.values[0])) - (0.8 + 0.1 + 0.1) / 3) < 0.01);
    assert.equal(await page.locator('.map-head.open').count(), 3);
    await page.selectOption('[data-state=aggregate]', 'max-all');
    await drawn(page);
    assert.ok(Math.abs((await scene(page, (s) => s.view.values[0])) - 0.8) < 0.01);
    assert.equal(await page.locator('.map-head.open').count(), 6);
  }));

test('the tooltip tells target, source, weight and rank', () =>
  withPage({}, async (page) => {
    const { x, y } = await cellAt(page, 1, 2);
    await page.mouse.move(x, y);
    assert.equal(await page.textContent('#tooltip'), 'target “ˍcha” → source “t” 0.301, rank 2 of 5');
    assert.ok(await page.isVisible('#tooltip'));
    await page.mouse.move(2, 2);
    assert.ok(await page.isHidden('#tooltip'));
  }));

test('a click pins, the text follows, another click lets go', () =>
  withPage({}, async (page) => {
    const { x, y } = await cellAt(page, 3, 3);
    await page.mouse.click(x, y);
    await page.mouse.move(2, 2);
    await drawn(page);
    assert.deepEqual(await scene(page, (s) => s.pinned), { row: 3, column: 3 });
    assert.equal(await page.textContent('#text-note'), 'weights of “ˍdort”');
    const chips = await page.$$eval('#sources .chip', (all) => all.map((chip) => chip.title));
    assert.deepEqual(chips, ['0', '0', '0.099', '0.801', '0.099']);
    await page.waitForFunction(() => location.hash.includes('pin=3.3'));
    await page.mouse.click(x, y);
    await drawn(page);
    assert.equal(await scene(page, (s) => s.pinned), null);
  }));

test('the keyboard moves the cell, pins it, and walks heads and layers', () =>
  withPage({}, async (page) => {
    await page.focus('#matrix');
    for (const key of ['ArrowRight', 'ArrowDown', 'ArrowRight', 'p']) await page.keyboard.press(key);
    await drawn(page);
    assert.deepEqual(await scene(page, (s) => s.pinned), { row: 1, column: 1 });
    assert.match(await page.textContent('#readout'), /^pinned: target “ˍcha” → source “ˍca” 0\.500, rank 1/);
    await page.keyboard.press(']');
    await page.keyboard.press('.');
    await drawn(page);
    assert.match(await page.textContent('#caption'), /layer 1, head 1/);
    await page.keyboard.press('[');
    await page.keyboard.press(',');
    await drawn(page);
    assert.match(await page.textContent('#caption'), /layer 0, head 0/);
    await page.keyboard.press('Escape');
    await drawn(page);
    assert.equal(await scene(page, (s) => s.pinned), null);
    await page.keyboard.press('?');
    assert.ok(await page.isVisible('#help'));
    await page.keyboard.press('Escape');
    assert.ok(await page.isHidden('#help'));
  }));

test('the threshold hides what is below it', () =>
  withPage({ fragment: '#gold=0' }, async (page) => {
    const place = await cellAt(page, 1, 0);
    const beside = { x: place.x + 14, y: place.y + 10 }; // not on the number
    const before = await pixelAt(page, beside);
    assert.notDeepEqual(before, [255, 255, 255]);
    await page.locator('[data-state=threshold]').fill('0.2');
    await drawn(page);
    assert.deepEqual(await pixelAt(page, beside), [255, 255, 255]);
  }));

test('steps show the output so far, and play', () =>
  withPage({}, async (page) => {
    assert.ok(await page.isVisible('#steps'));
    await page.locator('#step').fill('2');
    await drawn(page);
    assert.equal(await page.textContent('#step-note'), '2 of 5: “ˍcha”');
    assert.equal(await page.locator('#targets .word:visible').count(), 2);
    assert.equal(await page.textContent('#text-note'), 'weights of “ˍcha”');
    const below = await cellAt(page, 3, 3);
    assert.deepEqual(await pixelAt(page, below), [255, 255, 255], 'rows to come are blank');
    await page.click('#play');
    await page.waitForFunction(() => window.heed.scene().step === 4);
    await page.click('#play');
    assert.equal(await page.textContent('#play'), 'Play');
  }));

test('a trace that was not written step by step has no steps', () =>
  withPage({ file: browser.pageOf(plain(['a', 'b'], ['c'], [[0.5, 0.5]])) }, async (page) => {
    assert.ok(await page.isHidden('#steps'));
  }));

test('pieces merge to words: sources add up, targets share', () =>
  withPage({}, async (page) => {
    await page.check('[data-state=merge]');
    await drawn(page);
    assert.deepEqual(await scene(page, (s) => s.view.rows.map((row) => row.text)), ['le', 'chat', 'dort', '</s>']);
    assert.deepEqual(await scene(page, (s) => s.view.columns.map((column) => column.text)), [
      'the',
      'cat',
      'sleeps',
      '</s>',
    ]);
    // Rows [.5 + .3] and [.2 + .7]: their mean.
    assert.ok(Math.abs((await scene(page, (s) => s.view.values[4 + 1])) - 0.85) < 0.01);
    await page.uncheck('[data-state=special]');
    await drawn(page);
    assert.deepEqual(await scene(page, (s) => s.view.columns.map((column) => column.text)), ['the', 'cat', 'sleeps']);
  }));

test('a pin stays on its word when pieces are merged', () =>
  withPage({ fragment: '#pin=2.2' }, async (page) => {
    await setState(page, { merge: true });
    assert.deepEqual(await scene(page, (s) => s.pinned), { row: 1, column: 1 });
  }));

test('rows and columns are normalised to a sum of 1', () =>
  withPage({ fragment: '#special=0' }, async (page) => {
    const sum = (index) => scene(page, `(s) => s.view.${index}`);
    assert.ok((await sum('rowSums[3]')) < 0.95, 'without </s> a tenth is missing');
    await page.selectOption('[data-state=normalise]', 'row');
    await drawn(page);
    assert.ok(Math.abs((await sum('rowSums[3]')) - 1) < 1e-5);
    await page.selectOption('[data-state=normalise]', 'column');
    await drawn(page);
    assert.ok(Math.abs((await sum('columnSums[1]')) - 1) < 1e-5);
  }));

test('gold links are framed in their cells', () =>
  withPage({}, async (page) => {
    assert.equal(await scene(page, (s) => s.gold.length), 1 + 4 + 1 + 2, 'a link joins all pieces of both words');
    await page.uncheck('[data-state=gold]');
    await drawn(page);
    assert.equal(await scene(page, (s) => s.gold), null);
  }));

test('the link restores what was shown', () =>
  withPage({}, async (page) => {
    const fragment = '#set=1&layer=0&head=2&aggregate=max&gamma=0.5&merge=1&theme=dark&colours=cividis&pin=2.1';
    await setState(page, {
      set: 1,
      layer: 0,
      head: 2,
      aggregate: 'max',
      gamma: 0.5,
      merge: true,
      theme: 'dark',
      colours: 'cividis',
      pin: { query: 2, key: 1 },
    });
    await page.waitForFunction((wanted) => location.hash === wanted, fragment);
    await withPage({ fragment }, async (again) => {
      assert.equal(await again.textContent('#caption'), await page.textContent('#caption'));
      assert.equal(await again.inputValue('[data-state=gamma]'), '0.5');
      assert.equal(await again.evaluate(() => document.documentElement.dataset.theme), 'dark');
      assert.deepEqual(await scene(again, (s) => s.pinned), { row: 1, column: 1 });
    });
  }));

test('a link that does not fit opens what is nearest', () =>
  withPage(
    { fragment: '#example=7&set=9&layer=99&head=99&gamma=-1&pin=900.900&aggregate=none&nonsense=1&__proto__=1' },
    async (page) => {
      assert.equal(await page.textContent('#caption'), 'decoder self: target, layer 1, head 2');
      assert.equal(await scene(page, (s) => s.pinned), null);
    },
  ));

async function saved(page, button) {
  const [download] = await Promise.all([page.waitForEvent('download'), page.click(button)]);
  const place = path.join(browser.folder, download.suggestedFilename());
  await download.saveAs(place);
  return place;
}

test('saves PNG, SVG, and JSON that the program opens again', () =>
  withPage({ fragment: '#layer=1&head=1&set=1' }, async (page) => {
    const png = readFileSync(await saved(page, '#save-png'));
    assert.deepEqual([...png.subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
    assert.ok(png.length > 2000);
    const svg = readFileSync(await saved(page, '#save-svg'), 'utf8');
    assert.match(svg, /^<svg xmlns=/);
    assert.ok(svg.includes('&lt;/s&gt;') && svg.includes('url(#masked)'));
    assert.equal(svg.match(/<text /g).length, 5 + 5 + 1);
    const json = await saved(page, '#save-json');
    assert.match(path.basename(json), /^demo-decoder-self-target-layer-1-head-1\.json$/);
    const again = JSON.parse(readFileSync(json, 'utf8')).examples[0].attentions[0].heads[0];
    assert.equal(again.layer, 1);
    assert.equal(again.weights[0][1], null, 'masked');
    const out = execFileSync(browser.program, ['view', json, '--html', path.join(browser.folder, 'again.html')], {
      encoding: 'utf8',
    });
    assert.match(out, /1 example/);
  }));

test('hovering a word isolates its links', () =>
  withPage({}, async (page) => {
    await page.locator('#links').scrollIntoViewIfNeeded();
    const box = await page.locator('#links').boundingBox();
    const inked = () =>
      page.evaluate(() => {
        const canvas = document.getElementById('links');
        const { data } = canvas.getContext('2d').getImageData(0, 60, canvas.width, 90);
        let count = 0;
        for (let i = 0; i < data.length; i += 4) count += data[i] < 250;
        return count;
      });
    await setState(page, { gold: false });
    const all = await inked();
    // Words differ in width by font: the first from the left that answers.
    for (let x = box.x; x < box.x + box.width && (await scene(page, (s) => s.cursor)) === null; x += 12) {
      await page.mouse.move(x, box.y + box.height - 26);
      await drawn(page);
    }
    assert.deepEqual(await scene(page, (s) => s.cursor), { row: 0, column: null });
    const one = await inked();
    assert.ok(one > 0 && one < 0.6 * all, `${one} of ${all} pixels`);
  }));

test('a smaller share of the weight leaves fewer links', () =>
  withPage({}, async (page) => {
    const links = () => page.evaluate(() => document.getElementById('links').toDataURL().length);
    const before = await links();
    await page.locator('[data-state=mass]').fill('30');
    await drawn(page);
    assert.notEqual(await links(), before);
    assert.equal(await page.textContent('.links-panel output'), '30%');
  }));

test('zooming in shows a part, panning moves it, 0 shows all again', () =>
  withPage({ file: browser.pageOf(large(60, 1, 1)) }, async (page) => {
    await page.focus('#matrix');
    for (let i = 0; i < 3; ++i) await page.keyboard.press('+');
    const zoomed = await page.evaluate(() => ({ zoom: window.heed.matrix.zoom, corner: window.heed.matrix.corner }));
    assert.ok(zoomed.zoom > 1.5);
    const { x, y } = await page
      .locator('#matrix')
      .boundingBox()
      .then((box) => ({ x: box.x + box.width / 2, y: box.y + box.height / 2 }));
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x - 40, y - 30, { steps: 4 });
    await page.mouse.up();
    const moved = await page.evaluate(() => window.heed.matrix.corner);
    assert.ok(moved.x !== zoomed.corner.x || moved.y !== zoomed.corner.y, 'a drag pans');
    assert.equal(await scene(page, (s) => s.pinned), null, 'and does not pin');
    await page.keyboard.press('0');
    assert.equal(await page.evaluate(() => window.heed.matrix.zoom), 1);
  }));

test('an image is covered by the weights of its regions, with the path of glimpses', () => {
  const patches = { name: 'patches', tokens: ['0', '1', '2', '3', '4', '5'] };
  const words = { name: 'words', tokens: ['a', 'bird', 'flies'] };
  const weights = [
    [1, 0, 0, 0, 0, 0],
    [0, 0, 0, 0, 1, 0],
    [0, 0, 1, 0, 0, 0],
  ];
  const example = {
    strips: [patches, words],
    attentions: [
      { kind: 'cross', queries: 'words', keys: 'patches', stepwise: true, heads: [{ layer: 0, head: 0, weights }] },
    ],
    image: { strip: 'patches', rows: 2, columns: 3 },
  };
  return withPage({ file: browser.pageOf(trace(example)), fragment: '#step=2' }, async (page) => {
    assert.ok(await page.isVisible('#image'));
    const colourIn = (column, row) =>
      page.evaluate(
        ([c, r]) => {
          const canvas = document.getElementById('image');
          // A corner of the region: the middle has the path.
          return [
            ...canvas
              .getContext('2d')
              .getImageData(
                Math.floor((canvas.width * (c + 0.1)) / 3),
                Math.floor((canvas.height * (r + 0.1)) / 2),
                1,
                1,
              ).data,
          ].join();
        },
        [column, row],
      );
    assert.notEqual(await colourIn(1, 1), await colourIn(0, 0), 'step 2 looks at region 4');
    assert.equal(await colourIn(2, 0), await colourIn(0, 0));
    await setState(page, { step: 3 });
    assert.notEqual(await colourIn(2, 0), await colourIn(0, 0), 'step 3 at region 2');
  });
});

test('what a glimpse saw and what was to be found are outlined on the image', () => {
  const patches = { name: 'patches', tokens: ['0', '1', '2', '3'] };
  const looks = { name: 'glimpses', tokens: ['0', '1'] };
  const weights = [
    [1, 0, 0, 0],
    [0, 0, 0, 0.5],
  ];
  const example = {
    strips: [patches, looks],
    attentions: [
      { kind: 'glimpses', queries: 'glimpses', keys: 'patches', stepwise: true, heads: [{ layer: 0, head: 0, weights }] },
    ],
    image: {
      strip: 'patches',
      rows: 2,
      columns: 2,
      gold: [[0.5, 0, 1, 0.4]],
      looks: [[[0, 0, 0.25, 0.25]], [[0.3, 0.3, 0.9, 0.9]]],
    },
  };
  return withPage({ file: browser.pageOf(trace(example)), fragment: '#step=2' }, async (page) => {
    const colourAt = (x, y) =>
      page.evaluate(
        ([x, y]) => {
          const canvas = document.getElementById('image');
          const { data } = canvas.getContext('2d').getImageData(canvas.width * x, canvas.height * y, 1, 1);
          return [...data].slice(0, 3).join();
        },
        [x, y],
      );
    assert.equal(await colourAt(0.75, 0.4), '53,224,111', 'gold');
    assert.equal(await colourAt(0.9, 0.6), '255,79,163', 'the second glimpse');
    assert.notEqual(await colourAt(0.25, 0.1), '255,79,163');
    await setState(page, { step: 1 });
    assert.equal(await colourAt(0.25, 0.1), '255,79,163', 'the first');
    assert.notEqual(await colourAt(0.9, 0.6), '255,79,163');
  });
});

test('words of scripts from right to left and without spaces are shown as such', () => {
  const strips = [
    { name: 'source', tokens: ['القطة', 'تنام', 'الآن'] },
    { name: 'target', tokens: ['猫', 'は', '寝る'] },
  ];
  const weights = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ];
  const example = {
    strips,
    attentions: [{ kind: 'cross', queries: 'target', keys: 'source', heads: [{ layer: 0, head: 0, weights }] }],
  };
  return withPage({ file: browser.pageOf(trace(example)) }, async (page) => {
    const x = (selector) => page.$$eval(selector, (all) => all.map((each) => each.getBoundingClientRect().x));
    const [first, , last] = await x('#sources .chip');
    assert.ok(first > last, 'Arabic runs from right to left');
    const [one, , three] = await x('#targets .word');
    assert.ok(one < three, 'Japanese from left to right');
  });
});

test('the hidden table holds the weights', () =>
  withPage({}, async (page) => {
    await page.waitForSelector('#table td', { state: 'attached' });
    assert.equal(await page.textContent('#table caption'), 'cross: target → source, layer 0, head 0');
    assert.equal(await page.locator('#table tbody tr').count(), 5);
    assert.equal(await page.textContent('#table tbody tr:nth-child(1) td'), '0.801', 'a byte rounds .8 of .9 so');
  }));

test('several examples are chosen by name', () => {
  const two = translator();
  two.examples.push({ strips: [source, target], attentions: two.examples[0].attentions.slice(1) });
  return withPage({ file: browser.pageOf(two) }, async (page) => {
    await page.selectOption('[data-state=example]', '1');
    await drawn(page);
    assert.match(await page.textContent('#caption'), /^decoder self/);
  });
});

test('sixteen bits keep what eight round away', () => {
  const matrix = plain(['a', 'b'], ['c'], [[0.3333, 0.6667]]);
  const read = (s) => s.view.values[0];
  return withPage({ file: browser.pageOf(matrix) }, async (page) => {
    const coarse = await scene(page, read);
    assert.ok(Math.abs(coarse - 0.3333) > 1e-5);
    await withPage({ file: browser.pageOf(matrix, '--precision', '16') }, async (fine) => {
      assert.ok(Math.abs((await scene(fine, read)) - 0.3333) < 1e-5);
    });
  });
});
