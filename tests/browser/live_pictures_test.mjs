// SPDX-License-Identifier: Apache-2.0
// The live page with models of images: a picture is chosen, dropped or asked about, and shown with where it was looked at.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { drawn, openBrowser, program } from './browser.mjs';

let browser;
let server;
let address;
let picture; // a scene, drawn by the program

const heed = (...words) => execFileSync(program, words, { stdio: 'ignore' });

// Models that were trained for a moment: what they say is of no matter here.
function train() {
  const at = (name) => path.join(browser.folder, name);
  const brief = ['--max-updates', '4', '--batch', '8', '--threads', '1'];
  const small = ['--stages', '4:3:4', '6:3:2', '--hidden', '12'];
  const scenes = ['--scenes', '40', '--valid-scenes', '6', '--embedding', '8', ...small, ...brief];
  heed('train', 'caption', ...scenes, '--attention', 'additive(size=8)', '--out', at('caption'));
  heed('train', 'visual', ...scenes, '--attention', 'additive(size=8)', '--out', at('visual'));
  heed('corpus', 'scenes', '--size', '20', '--out', at('scenes'));
  picture = at('scenes/test/00001.png');
  // Classes by the pictures' names are as good as any.
  mkdirSync(at('labelled'));
  const lines = Array.from({ length: 16 }, (_, i) => `${at(`scenes/train/${String(i + 1).padStart(5, '0')}.png`)}\t${i % 2 ? 'odd' : 'even'}\n`);
  writeFileSync(at('list.tsv'), lines.join(''));
  const images = ['--max-updates', '4', '--batch', '8', '--threads', '1'];
  heed('train', 'look', '--train', at('list.tsv'), '--valid', at('list.tsv'), '--side', '24', '--colour', '--stages', '4:3:4', ...images, '--out', at('look'));
  heed('train', 'glimpse', '--images', at('list.tsv'), '--valid-canvases', '0', '--glimpses', '3', '--size', '8', '--hidden', '12', '--part', '8', ...images, '--out', at('glimpse'));
  return ['caption', 'visual', 'look', 'glimpse'].map(at);
}

before(async () => {
  browser = await openBrowser();
  server = spawn(program, ['serve', ...train(), '--port', '0', '--log', 'none'], { stdio: ['ignore', 'pipe', 'inherit'] });
  address = await new Promise((ready) => server.stdout.once('data', (line) => ready(/http:\S+/.exec(line)[0])));
});
after(async () => {
  server?.kill('SIGTERM');
  await browser.close();
});

const answered = async (page) => {
  await page.waitForFunction(() => document.querySelectorAll('.stale').length === 0 && document.querySelector('.answer').textContent !== '');
  await drawn(page);
};

// How many colours there are on the picture of a pane.
const colours = (page) =>
  page.evaluate(() => {
    const canvas = document.querySelector('.image');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size;
  });

// Opens the page at a model.
const withModel = (name, check) =>
  browser.withPage(address, {}, async (page) => {
    await page.waitForSelector('.pane');
    await page.selectOption('[data-control="model"]', name);
    assert.ok(await page.isVisible('#picture-area'));
    await check(page);
    assert.deepEqual(page.seen.requests.filter((url) => !url.startsWith(address)), [], 'nothing was asked of anybody else');
  });

test('a chosen picture is captioned, and each word shows where it looked', async () => {
  await withModel('caption', async (page) => {
    assert.equal(await page.isVisible('#text'), false, 'nothing is to be typed');
    await page.setInputFiles('#picture', picture);
    await answered(page);
    assert.equal(await page.textContent('#picture-name'), '00001.png');
    assert.ok(await page.isVisible('.image'));
    assert.equal(await page.isVisible('.matrix'), false);
    assert.ok((await colours(page)) > 20, 'the picture and weights over it');
    const words = await page.locator('.rows .word').count();
    assert.ok(words > 0);
    const before = await page.evaluate(() => document.querySelector('.image').toDataURL());
    await page.click('.rows .word >> nth=0');
    await drawn(page);
    assert.equal(await page.getAttribute('.rows .word >> nth=0', 'aria-pressed'), 'true');
    assert.match(await page.textContent('.rows-note'), /^weights of /);
    if (words > 1) assert.notEqual(await page.evaluate(() => document.querySelector('.image').toDataURL()), before);
    await page.click('.rows .word >> nth=0');
    assert.match(await page.textContent('.rows-note'), /^mean over all/);
  });
});

test('a question is asked of a picture that was dropped', async () => {
  await withModel('visual', async (page) => {
    assert.match(await page.getAttribute('#text', 'placeholder'), /^Type a question/);
    assert.equal(await page.isVisible('[data-control="second"]'), false);
    const data = await page.evaluateHandle((bytes) => {
      const made = new DataTransfer();
      made.items.add(new File([Uint8Array.from(bytes)], 'dropped.png', { type: 'image/png' }));
      return made;
    }, [...readFileSync(picture)]);
    await page.dispatchEvent('body', 'drop', { dataTransfer: data });
    await page.fill('#text', 'what colour is the zebra ?');
    await answered(page);
    assert.equal(await page.textContent('#picture-name'), 'dropped.png');
    assert.match(await page.textContent('.notes'), /zebra/);
    assert.ok((await colours(page)) > 20);
  });
});

test('a classifier shows its classes and the weights of the cells', async () => {
  await withModel('look', async (page) => {
    await page.setInputFiles('#picture', picture);
    await answered(page);
    assert.match(await page.textContent('.answer'), /^(odd|even) \d/);
    assert.ok((await colours(page)) > 20);
  });
});

test('glimpses are a path over the picture, each with its box', async () => {
  await withModel('glimpse', async (page) => {
    await page.setInputFiles('#picture', picture);
    await answered(page);
    assert.equal(await page.locator('.rows .word').count(), 3);
    assert.match(await page.textContent('.notes'), /^after each glimpse 0: /);
    const pink = () =>
      page.evaluate(() => {
        const canvas = document.querySelector('.image');
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        let count = 0;
        for (let i = 0; i < data.length; i += 4) count += data[i] === 255 && data[i + 1] === 79 && data[i + 2] === 163;
        return count;
      });
    assert.equal(await pink(), 0, 'of the whole path no box is shown');
    await page.click('.rows .word >> nth=1');
    await drawn(page);
    assert.ok((await pink()) > 50);
  });
});

test('a large picture is made smaller before it is sent', async () => {
  await withModel('look', async (page) => {
    // Noise does not compress: 1200 x 900 of it are over a megabyte.
    const bytes = await page.evaluate(async () => {
      const canvas = document.createElement('canvas');
      Object.assign(canvas, { width: 1200, height: 900 });
      const context = canvas.getContext('2d');
      const pixels = context.createImageData(1200, 900);
      for (let i = 0; i < pixels.data.length; ++i) pixels.data[i] = i % 4 === 3 ? 255 : Math.random() * 256;
      context.putImageData(pixels, 0, 0);
      const blob = await new Promise((made) => canvas.toBlob(made, 'image/png'));
      return [...new Uint8Array(await blob.arrayBuffer())];
    });
    assert.ok(bytes.length > 1e6);
    await page.setInputFiles('#picture', { name: 'noise.png', mimeType: 'image/png', buffer: Buffer.from(bytes) });
    await answered(page);
    assert.match(await page.textContent('.answer'), /^(odd|even) /);
  });
});

test('what is no picture is refused in the words of the server', async () => {
  await withModel('caption', async (page) => {
    await page.setInputFiles('#picture', { name: 'words.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') });
    await page.waitForFunction(() => document.getElementById('message').textContent !== '');
    assert.match(await page.textContent('#message'), /image/);
    page.seen.errors = []; // the browser notes every answer that is an error
  });
});

test('panes of both sorts stand side by side, each with what it needs', async () => {
  await withModel('visual', async (page) => {
    await page.click('#compare');
    await page.selectOption('.pane:nth-child(2) [data-control="model"]', 'glimpse');
    assert.ok(await page.isVisible('#text'));
    await page.setInputFiles('#picture', picture);
    await page.waitForFunction(() => document.querySelectorAll('.pane')[1].querySelector('.answer').textContent !== '');
    assert.equal(await page.textContent('.pane:nth-child(1) .answer'), '', 'nothing was asked yet');
    await page.fill('#text', 'what shape is the red thing ?');
    await answered(page);
    assert.ok((await page.textContent('.pane:nth-child(1) .answer')).length > 0);
    await page.click('#compare');
  });
});
