// SPDX-License-Identifier: Apache-2.0
// Nothing that a trace says is run: markup, quotes and odd characters in every text that it holds.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { cellAt, drawn, openBrowser, setState } from './browser.mjs';
import { trace } from './traces.mjs';

let browser;
before(async () => (browser = await openBrowser()));
after(() => browser.close());

const kHostile = [
  '<script>alert(1)</script>',
  '</script><script>alert(2)</script>',
  '<!--<script>',
  '<img src=x onerror=alert(3)>',
  '"><svg onload=alert(4)>',
  '\' onmouseover=\'alert(5)',
  '&lt;script&gt;alert(6)&lt;/script&gt;',
  '@header@ @nonce@ @blocks@',
  'javascript:alert(7)',
  '${alert(8)} `alert(9)`',
  '\u2028\u2029\u0000\u0007\ufeff',
  '</title></textarea></style><iframe srcdoc="<script>parent.alert(10)</script>">',
  '__proto__',
];

function hostileTrace() {
  const strip = (name) => ({ name, tokens: kHostile });
  const weights = kHostile.map((_, q) => kHostile.map((__, k) => (k === q ? 0.9 : 0.01)));
  const example = {
    title: kHostile[1],
    strips: [strip(kHostile[3]), strip(kHostile[4])],
    attentions: [{ kind: kHostile[0], queries: kHostile[3], keys: kHostile[4], stepwise: true, heads: [{ layer: 0, head: 0, weights }] }],
  };
  return trace(example, { model: kHostile[11], task: kHostile[0] });
}

test('nothing that a token, a name or a title says is run', async () => {
  await browser.withPage(browser.pageOf(hostileTrace(), '--title', kHostile[1]), {}, async (page) => {
    const elements = () => page.evaluate(() => document.querySelectorAll('main img, main iframe, main svg, main script, h1 *').length);
    for (let i = 0; i < kHostile.length; ++i) {
      const { x, y } = await cellAt(page, i, i);
      await page.mouse.move(x, y);
      await setState(page, { pin: { query: i, key: i }, step: i + 1 });
    }
    await page.waitForSelector('#table td', { state: 'attached' });
    await drawn(page);
    assert.equal(await elements(), 0, 'no element came from a text');
    assert.deepEqual(page.seen.dialogs, []);
    assert.equal(page.seen.requests.length, 1);
    assert.equal(await page.textContent('h1'), kHostile[1]);
    assert.equal(await page.locator('#sources .chip').nth(3).textContent(), kHostile[3]);
    assert.equal(await page.title(), kHostile[1]);
  });
});

test('a picture of hostile words is a picture and no more', async () => {
  await browser.withPage(browser.pageOf(hostileTrace()), {}, async (page) => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('#save-svg')]);
    assert.match(download.suggestedFilename(), /^[\p{L}\p{N}-]+\.svg$/u);
    const place = path.join(browser.folder, 'hostile.svg');
    await download.saveAs(place);
    assert.doesNotMatch(readFileSync(place, 'utf8'), /<(script|img|iframe)/);
    await browser.withPage(place, {}, async (picture) => {
      assert.deepEqual(picture.seen.dialogs, []);
      assert.equal(await picture.evaluate(() => document.documentElement.tagName), 'svg');
      assert.equal(await picture.evaluate(() => document.querySelectorAll('svg svg, script').length), 0);
    });
  });
});

test('the policy of the page would stop a script that got in', async () => {
  await browser.withPage(browser.pageOf(hostileTrace()), {}, async (page) => {
    const ran = await page.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'window.broken = true';
      document.body.append(script);
      return window.broken === true;
    });
    assert.equal(ran, false);
    page.seen.errors.length = 0; // the refusal
  });
});
