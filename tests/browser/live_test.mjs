// SPDX-License-Identifier: Apache-2.0
// The live page of `heed serve`: what is typed is answered and drawn, two models side by side, and how soon.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { drawn, openBrowser, program } from './browser.mjs';

let browser;
let server;
let address;

// A translator that was trained for a moment: what it says is of no matter here.
function train(folder, name, ...options) {
  const data = path.join(folder, 'data');
  const files = ['train', 'valid'].flatMap((part) => [`--${part}-source`, `${data}/${part}.src`, `--${part}-target`, `${data}/${part}.tgt`]);
  const small = ['--width', '16', '--heads', '2', '--inner', '16', '--encoder-layers', '2', '--decoder-layers', '2'];
  const brief = ['--tokeniser', 'words', '--tie', 'none', '--max-updates', '20', '--validate-every', '20', '--valid-metrics', 'exact'];
  execFileSync(program, ['train', 'translate', ...files, ...small, ...brief, '--out', path.join(folder, name), ...options], { stdio: 'ignore' });
  return path.join(folder, name);
}

// How soon the demo's translator is drawn:
// HEED_MODEL=build/demo/model HEED_PROGRAM=build/release/heed node --test --test-name-pattern='draws soon' tests/browser/live_test.mjs
function models() {
  if (process.env.HEED_MODEL) return [process.env.HEED_MODEL];
  execFileSync(program, ['corpus', 'reverse', '--size', '300', '--out', path.join(browser.folder, 'data')], { stdio: 'ignore' });
  return [train(browser.folder, 'one'), train(browser.folder, 'two', '--seed', '2')];
}

before(async () => {
  browser = await openBrowser();
  server = spawn(program, ['serve', ...models(), '--port', '0', '--log', 'none'], { stdio: ['ignore', 'pipe', 'inherit'] });
  address = await new Promise((ready) => server.stdout.once('data', (line) => ready(/http:\S+/.exec(line)[0])));
});
after(async () => {
  server?.kill('SIGTERM');
  await browser.close();
});

// Whether anything but the ground is on the canvas of a pane.
const colours = (page, pane) =>
  page.evaluate((nth) => {
    const canvas = document.querySelectorAll('.matrix')[nth];
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size;
  }, pane);

const typed = async (page, text) => {
  await page.fill('#text', text);
  await page.waitForFunction(() => document.querySelectorAll('.stale').length === 0 && document.querySelector('.notes').textContent !== '');
  await drawn(page);
};

test('shows the answer and its attention as one types', async () => {
  await browser.withPage(address, {}, async (page) => {
    await page.waitForSelector('.pane');
    await typed(page, 'a b c d');
    assert.ok((await page.textContent('.notes')).startsWith('log-probability'));
    assert.ok((await colours(page, 0)) > 5);
    assert.deepEqual(await page.$$eval('[data-control="set"] option', (all) => all.map((each) => each.textContent)), ['encoder self', 'decoder self', 'cross']);
    assert.equal(await page.$eval('[data-control="set"]', (select) => select.selectedOptions[0].textContent), 'cross');
    await page.selectOption('[data-control="layer"]', '0');
    await page.selectOption('[data-control="head"]', '1');
    await drawn(page);
    assert.ok((await colours(page, 0)) > 5);
    // Nothing was asked of anybody else.
    assert.deepEqual(page.seen.requests.filter((url) => !url.startsWith(address)), []);
  });
});

test('has examples of its own kind of text to click', async () => {
  await browser.withPage(address, {}, async (page) => {
    await page.waitForSelector('.pane');
    assert.equal(await page.getAttribute('#text', 'placeholder'), 'Type a sentence to translate');
    // Nothing is answered yet, so there is nothing to choose a head of.
    assert.equal(await page.isVisible('[data-control="layer"]'), false);
    const examples = await page.$$eval('#examples button', (all) => all.map((each) => each.textContent));
    const lines = readFileSync(path.join(browser.folder, 'data/valid.src'), 'utf8').split('\n');
    assert.ok(examples.length >= 2 && examples.every((each) => lines.includes(each)), examples.join('; '));
    await page.click('#examples button:nth-child(2)');
    await page.waitForFunction(() => document.querySelectorAll('.stale').length === 0 && document.querySelector('.notes').textContent !== '');
    assert.equal(await page.inputValue('#text'), examples[1]);
    assert.ok(await page.isVisible('[data-control="layer"]'));
  });
});

test('counts layers and heads from 0, as everything does', async () => {
  await browser.withPage(address, {}, async (page) => {
    await page.waitForSelector('.pane');
    await typed(page, 'a b c d');
    const names = (control) => page.$$eval(`[data-control="${control}"] option`, (all) => all.map((each) => [each.value, each.textContent]));
    assert.deepEqual(await names('layer'), [['0', '0'], ['1', '1']]);
    assert.deepEqual(await names('head'), [['mean', 'mean'], ['0', '0'], ['1', '1']]);
  });
});

test('explains what was answered by the method that is chosen', async () => {
  await browser.withPage(address, {}, async (page) => {
    await page.waitForSelector('.pane');
    await typed(page, 'a b c');
    const methods = await page.$$eval('[data-control="method"] option', (all) => all.map((each) => each.value));
    assert.ok(methods.includes('leave_one_out') && methods.includes('relevance'), methods.join(' '));
    await page.selectOption('[data-control="method"]', 'leave_one_out');
    await page.waitForFunction(() => document.querySelector('[data-control="set"]').selectedOptions[0]?.textContent === 'shares: leave_one_out');
    await drawn(page);
    assert.ok((await colours(page, 0)) > 2);
    await page.selectOption('[data-control="method"]', '');
    await page.waitForFunction(() => document.querySelector('[data-control="set"]').selectedOptions[0]?.textContent === 'cross');
  });
});

test('puts two models side by side', async () => {
  await browser.withPage(address, {}, async (page) => {
    await page.waitForSelector('.pane');
    await page.click('#compare');
    assert.equal(await page.locator('.pane').count(), 2);
    await typed(page, 'a b c');
    const chosen = await page.$$eval('[data-control="model"]', (all) => all.map((each) => each.value));
    assert.deepEqual(chosen, ['one', 'two']);
    assert.ok((await colours(page, 1)) > 5);
    await page.click('#compare');
    assert.equal(await page.locator('.pane').count(), 1);
  });
});

test('says what is wrong in the words of the server', async () => {
  await browser.withPage(address, {}, async (page) => {
    await page.waitForSelector('.pane');
    const long = Array(600).fill('a').join(' ');
    await page.fill('#text', long);
    await page.waitForFunction(() => document.getElementById('message').textContent !== '');
    assert.match(await page.textContent('#message'), /has 601 tokens; it may have 512/);
    page.seen.errors = []; // the browser notes every answer that is an error
  });
});

test('draws soon after the last key', async () => {
  await browser.withPage(address, {}, async (page) => {
    await page.waitForSelector('.pane');
    await typed(page, 'a b');
    const times = [];
    for (let i = 0; i < 10; ++i) {
      await page.evaluate(() => performance.clearMarks());
      await page.locator('#text').press('c');
      await page.waitForFunction(() => performance.getEntriesByName('heed-drawn').length > 0);
      times.push(
        await page.evaluate(() => performance.getEntriesByName('heed-drawn')[0].startTime - performance.getEntriesByName('heed-typed')[0].startTime),
      );
    }
    times.sort((a, b) => a - b);
    console.log(`speed: typed to drawn ${times[5].toFixed(0)} ms in the median, ${times[9].toFixed(0)} ms at most`);
    assert.ok(times[5] < 1500, `${times[5]} ms`); // 150 ms on a machine that has nothing else to do
  });
});
