// SPDX-License-Identifier: Apache-2.0
// How fast the page is, printed; bounds are generous, for machines that do other work meanwhile.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { after, before, test } from 'node:test';

import { openBrowser } from './browser.mjs';
import { large } from './traces.mjs';

let browser;
before(async () => (browser = await openBrowser()));
after(() => browser.close());

const megabytes = (file) => statSync(file).size / 1e6;
const say = (text) => console.log(`speed: ${text}`);

// From the end of parsing to the first drawing, and from the start of all.
const timing = (page) =>
  page.evaluate(() => {
    const [navigation] = performance.getEntriesByType('navigation');
    const at = performance.getEntriesByName('heed-drawn')[0].startTime;
    return { afterLoad: at - navigation.domInteractive, inAll: at };
  });

// Milliseconds of `count` runs of an action, each until it is drawn.
const timed = (page, count, action) =>
  page.evaluate(`(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const act = ${action};
    const times = [];
    for (let i = 0; i < ${count}; ++i) {
      await frame();
      const start = performance.now();
      await act(i);
      times.push(performance.now() - start);
    }
    return times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
  })()`);

const kSwitch = `(i) => { const { state } = window.heed; const done = new Promise((drawn) => requestAnimationFrame(drawn)); state.set({ layer: i % 12, head: (5 * i + 1) % 12 }); return done; }`;

test('12 x 12 heads of 128 tokens: small, drawn at once, heads switch at once', async () => {
  const file = browser.pageOf(large(128, 12, 12));
  assert.ok(megabytes(file) <= 4, `${megabytes(file)} MB`);
  await browser.withPage(file, {}, async (page) => {
    const first = await timing(page);
    const heads = await timed(page, 24, kSwitch);
    say(`12 x 12 x 128: ${megabytes(file).toFixed(2)} MB; first drawing ${first.afterLoad.toFixed(0)} ms after load (${first.inAll.toFixed(0)} ms in all); another head in ${heads.toFixed(1)} ms`);
    assert.ok(first.afterLoad < 1500, `${first.afterLoad} ms`);
    assert.ok(heads < 250, `${heads} ms`);
  });
});

test('12 x 12 heads of 512 tokens open within two seconds and stay responsive', async () => {
  const file = browser.pageOf(large(512, 12, 12));
  await browser.withPage(file, {}, async (page) => {
    const first = await timing(page);
    const heads = await timed(page, 12, kSwitch);
    say(`12 x 12 x 512: ${megabytes(file).toFixed(1)} MB; open in ${first.inAll.toFixed(0)} ms; another head in ${heads.toFixed(1)} ms`);
    assert.ok(first.inAll < 10000, `${first.inAll} ms`);
    assert.ok(heads < 500, `${heads} ms`);
  });
});

test('2,000 x 2,000 weights are drawn, zoomed and panned', async () => {
  const file = browser.pageOf(large(2000, 1, 1));
  await browser.withPage(file, {}, async (page) => {
    const first = await timing(page);
    const zoom = await timed(page, 10, `() => window.heed.matrix.zoomBy(1.3)`);
    const before = await page.evaluate(() => window.heed.matrix.corner);
    const pan = await timed(page, 20, `() => window.heed.matrix.panBy(17, 11)`);
    const after = await page.evaluate(() => window.heed.matrix.corner);
    const hover = await timed(page, 10, `(i) => { window.heed.state.set({ cursor: { row: 100 + i, column: 50 } }); return new Promise(requestAnimationFrame); }`);
    say(`2,000 x 2,000: ${megabytes(file).toFixed(1)} MB; first drawing ${first.afterLoad.toFixed(0)} ms after load; a frame of zooming ${zoom.toFixed(1)} ms, of panning ${pan.toFixed(1)} ms, of the crosshair ${hover.toFixed(1)} ms`);
    assert.ok(Math.abs(after.x - before.x - 20 * 17) < 2 && Math.abs(after.y - before.y - 20 * 11) < 2, 'it moved as far as it was told');
    assert.ok(first.afterLoad < 4000, `${first.afterLoad} ms`);
    assert.ok(pan < 150 && zoom < 150, `${pan} ms, ${zoom} ms`);
  });
});
