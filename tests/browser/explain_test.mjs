// SPDX-License-Identifier: Apache-2.0
// Explanations on the page: strips for every explainer, signed maps, and a legend that tells sign, zero and masked apart.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { drawn, openBrowser, scene, setState } from './browser.mjs';
import { trace } from './traces.mjs';

let browser;
before(async () => {
  browser = await openBrowser();
});
after(() => browser.close());

const kWords = ['not', 'a', 'good', 'film'];
const half = (shares, sign) => shares.map((row) => row.map((share) => (share === null ? null : Math.max(0, sign * share))));
const shares = (method, rows, queries = 'answer') => ({
  kind: `shares: ${method}`,
  queries,
  keys: 'text',
  heads: [
    { layer: 0, head: 0, weights: half(rows, 1) },
    { layer: 0, head: 1, weights: half(rows, -1) },
  ],
});

const judged = () =>
  trace({
    strips: [
      { name: 'text', tokens: kWords },
      { name: 'answer', tokens: ['mood = sad'] },
    ],
    attentions: [shares('leave_one_out', [[0.5, 0, -0.25, 0.1]]), shares('occlusion', [[null, null, -2, 1]])],
  });

const translated = () =>
  trace({
    strips: [
      { name: 'text', tokens: kWords },
      { name: 'target', tokens: ['pas', 'bon'] },
    ],
    attentions: [
      shares(
        'relevance',
        [
          [0.9, 0, 0.1, 0],
          [-0.2, 0, 0.8, 0.1],
        ],
        'target',
      ),
    ],
  });

const chips = (page, strip) =>
  page.$$eval(
    '#strips .strip',
    (all, nth) =>
      [...all[nth].children].map((chip) => ({
        word: chip.textContent,
        look: chip.classList.contains('masked') ? 'masked' : chip.classList.contains('zero') ? 'zero' : 'coloured',
        ground: chip.style.background.match(/\d+/g)?.map(Number) ?? [],
        title: chip.title,
      })),
    strip,
  );

test('every explainer has a strip, where signs have hues and zero and masked none', () =>
  browser.withPage(browser.pageOf(judged()), {}, async (page) => {
    assert.ok(await page.isVisible('#strips-panel'));
    assert.deepEqual(await page.$$eval('.strip-name', (all) => all.map((each) => each.textContent)), ['leave_one_out', 'occlusion']);
    const first = await chips(page, 0);
    assert.deepEqual(
      first.map((chip) => chip.look),
      ['coloured', 'zero', 'coloured', 'coloured'],
    );
    assert.ok(first[0].ground[2] > first[0].ground[0], 'blue speaks for');
    assert.ok(first[2].ground[0] > first[2].ground[2], 'magenta speaks against');
    assert.match(first[2].title, /^−0\.2/);
    const second = await chips(page, 1);
    assert.deepEqual(
      second.map((chip) => chip.look),
      ['masked', 'masked', 'coloured', 'coloured'],
    );
  }));

test('a map of shares has both signs, and its legend says which is which', () =>
  browser.withPage(browser.pageOf(judged()), {}, async (page) => {
    assert.equal(await page.textContent('#caption'), 'leave_one_out: answer → text, for and against');
    const values = await scene(page, (s) => [...s.view.values].map((share) => Math.round(share * 100) / 100));
    assert.deepEqual(values, [0.5, 0, -0.25, 0.1]);
    assert.match(await page.textContent('#ramp-low'), /^against −0\.5/);
    assert.match(await page.textContent('#ramp-high'), /^0\.5\d* for$/);
    const ends = await page.evaluate(() => {
      const { data } = document.getElementById('ramp').getContext('2d').getImageData(0, 0, 254, 1);
      return [[...data.slice(0, 3)], [...data.slice(4 * 253, 4 * 253 + 3)]];
    });
    assert.ok(ends[0][0] > ends[0][2] && ends[1][2] > ends[1][0], String(ends));
    // One half alone is a head like others.
    await setState(page, { aggregate: 'head', head: 1 });
    assert.match(await page.textContent('#caption'), /layer 0, head 1$/);
    assert.equal(await page.textContent('#ramp-low'), '0');
    await page.locator('.strip-name').nth(1).click();
    await drawn(page);
    assert.equal(await scene(page, (s) => s.set.kind), 'shares: occlusion');
    assert.equal(await page.locator('.strip-name').nth(1).getAttribute('aria-pressed'), 'true');
  }));

test('strips follow the step that is looked at', () =>
  browser.withPage(browser.pageOf(translated()), {}, async (page) => {
    await page.locator('#targets .word').nth(1).click();
    await drawn(page);
    const strip = await chips(page, 0);
    assert.match(strip[0].title, /^−0\.2/);
    assert.match(strip[2].title, /^0\.[78]/);
  }));

test('pages without explanations have no strips', () =>
  browser.withPage(
    browser.pageOf(trace({ strips: [{ name: 'text', tokens: ['a', 'b'] }], attentions: [{ kind: 'self', queries: 'text', keys: 'text', heads: [{ layer: 0, head: 0, weights: [[1, 0], [0.5, 0.5]] }] }] })),
    {},
    async (page) => {
      assert.equal(await page.isVisible('#strips-panel'), false);
      assert.equal(await page.textContent('#ramp-low'), '0');
    },
  ));
