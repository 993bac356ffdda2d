// SPDX-License-Identifier: Apache-2.0
// Access: roles, names, labels and contrast by the rules of axe-core, which are not our own and so cannot share our
// blind spots; the order of the keyboard; a focus that is seen.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { axeSource, drawn, openBrowser, setState } from './browser.mjs';
import { large, translator } from './traces.mjs';

let browser;
let file;
before(async () => {
  browser = await openBrowser();
  file = browser.pageOf(translator());
});
after(() => browser.close());

async function violations(page, rules = 20) {
  await page.evaluate(axeSource());
  const result = await page.evaluate(() =>
    window.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] }),
  );
  assert.ok(result.passes.length >= rules, `only ${result.passes.length} rules were run`);
  return result.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`);
}

for (const theme of ['light', 'dark']) {
  test(`roles, names, labels and contrast are right: ${theme}`, async () => {
    await browser.withPage(file, { fragment: `#theme=${theme}` }, async (page) => {
      assert.deepEqual(await violations(page), []);
      await setState(page, { set: 1, pin: { query: 2, key: 1 }, chips: 'underline', step: 3, colours: 'cividis' });
      assert.deepEqual(await violations(page), []);
      await page.keyboard.press('?');
      assert.deepEqual(await violations(page, 5), [], 'a dialog hides the rest');
    });
  });
}

test('every control is reached by Tab and shows that it is', async () => {
  await browser.withPage(file, {}, async (page) => {
    const reached = [];
    for (let i = 0; i < 60; ++i) {
      await page.keyboard.press('Tab');
      const at = await page.evaluate(() => {
        const element = document.activeElement;
        if (element === document.body) return null;
        return {
          name: element.id || element.dataset.state || element.className,
          outline: parseFloat(getComputedStyle(element).outlineWidth),
        };
      });
      if (at === null || reached.some(({ name }) => name === at.name)) break;
      reached.push(at);
    }
    const names = reached.map(({ name }) => name);
    for (const name of [
      'save-png',
      'set',
      'layer',
      'aggregate',
      'gamma',
      'threshold',
      'merge',
      'theme',
      'map-head open',
      'play',
      'step',
      'matrix',
      'mass',
      'chips',
    ]) {
      assert.ok(names.includes(name), `${name} is not among ${names}`);
    }
    for (const { name, outline } of reached) assert.ok(outline >= 2, `${name} has no focus ring`);
  });
});

test('the look follows the system, and print leaves the controls out', async () => {
  await browser.withPage(file, { dark: true }, async (page) => {
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
    await page.emulateMedia({ media: 'print' });
    assert.ok(await page.isHidden('.controls'));
    assert.ok(await page.isVisible('#matrix'));
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    assert.equal(await theme(), 'light', 'paper is white');
    await page.evaluate(() => dispatchEvent(new Event('afterprint')));
    assert.equal(await theme(), 'dark');
    await page.emulateMedia({ media: 'screen', colorScheme: 'light' });
    await drawn(page);
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'light');
    await page.emulateMedia({ media: 'screen', colorScheme: 'dark' });
  });
});

test('a narrow window stacks the panels without scrolling sideways', async () => {
  await browser.withPage(file, { width: 420, height: 800 }, async (page) => {
    const { wide, room } = await page.evaluate(() => ({
      wide: document.documentElement.scrollWidth,
      room: window.innerWidth,
    }));
    assert.ok(wide <= room, `${wide} > ${room}`);
  });
});

test('a narrow window shows the matrix before it asks for anything', async () => {
  await browser.withPage(file, { width: 400, height: 800 }, async (page) => {
    const { y } = await page.locator('#matrix').boundingBox();
    assert.ok(y < 300, `the matrix begins ${y} px below the top`);
    // The controls are still there, in lines that move sideways.
    await page.selectOption('[data-state=theme]', 'dark');
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 400);
  });
});

test('sixteen heads are in view beside the matrix, each large enough to tell', async () => {
  await browser.withPage(browser.pageOf(large(20, 2, 16)), { width: 1280 }, async (page) => {
    const panel = await page.locator('.map-panel').boundingBox();
    const heads = await page.$$eval('.map-head', (all) => all.map((each) => each.getBoundingClientRect().toJSON()));
    assert.equal(heads.length, 32);
    for (const { left, right, width } of heads) {
      assert.ok(left >= panel.x && right <= panel.x + panel.width, `${left} to ${right} in ${panel.x} to ${panel.x + panel.width}`);
      assert.ok(width >= 24, `${width} px`);
    }
  });
});
