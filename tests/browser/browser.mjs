// SPDX-License-Identifier: Apache-2.0
// A real browser for the tests: pages written by the program, opened from files, every request noted.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
export const program = process.env.HEED_PROGRAM ?? path.join(root, 'build/release/heed');
const require = createRequire(path.join(root, 'build/browser/package.json'));

function installed(name) {
  try {
    return require(name);
  } catch {
    throw new Error(`${name} is missing: run tools/setup browser`);
  }
}

export const axeSource = () => require('node:fs').readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

// Background services of Chromium would call out at every start.
const kQuiet = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

// A folder and a browser of its own for a test file: `after(fixture.close)`.
export async function openBrowser() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'heed-browser-'));
  const browser = await installed('playwright-core').chromium.launch({
    executablePath: process.env.HEED_CHROMIUM ?? '/usr/bin/chromium',
    args: kQuiet,
  });
  let count = 0;

  // A trace, as an object or as JSON -> the path of its page.
  function pageOf(trace, ...options) {
    const name = path.join(folder, `trace-${++count}`);
    writeFileSync(`${name}.json`, typeof trace === 'string' ? trace : JSON.stringify(trace));
    execFileSync(program, ['view', `${name}.json`, '--html', `${name}.html`, ...options]);
    return `${name}.html`;
  }

  // Windows that a test has done with are used again: making one takes longer than opening a page in it.
  const idle = new Map();

  async function window({ dark, width, height }) {
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme: dark ? 'dark' : 'light',
      acceptDownloads: true,
    });
    const page = await context.newPage();
    page.on('request', (request) => {
      if (!/^(data|blob|about):/.test(request.url())) page.seen.requests.push(request.url());
    });
    page.on('pageerror', (error) => page.seen.errors.push(error.message));
    page.on('console', (message) => message.type() === 'error' && page.seen.errors.push(message.text()));
    page.on('dialog', (dialog) => {
      page.seen.dialogs.push(dialog.message());
      dialog.dismiss();
    });
    return page;
  }

  // Opens a page, a file or an address, in a window, runs `check` on it, and demands that nothing went wrong meanwhile. page.seen has what it
  // asked for, what went wrong and what spoke up.
  async function withPage(file, options, check) {
    const look = { dark: false, width: 1280, height: 860, ...options };
    const { fragment = '', ...kind } = look;
    const key = JSON.stringify(kind);
    const page = idle.get(key)?.pop() ?? (await window(kind));
    page.seen = { requests: [], errors: [], dialogs: [] };
    await page.mouse.move(0, 0);
    await page.goto((/^http:/.test(file) ? file : pathToFileURL(file).href) + fragment);
    await check(page);
    if (page.seen.errors.length > 0) throw new Error(`the page complained: ${page.seen.errors.join('; ')}`);
    await page.goto('about:blank');
    idle.set(key, [...(idle.get(key) ?? []), page]);
  }

  return {
    folder,
    pageOf,
    withPage,
    program,
    close: async () => {
      await browser.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

// Two frames: what was set has been drawn.
export const drawn = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

// The middle of a cell on the screen.
export const cellAt = (page, row, column) => page.evaluate((cell) => window.heed.matrix.placeOf(cell), { row, column });

// The colours at places of the matrix: [red, green, blue] each.
export const pixelsAt = (page, places) =>
  page.evaluate((all) => {
    const canvas = document.getElementById('matrix');
    const context = canvas.getContext('2d');
    const box = canvas.getBoundingClientRect();
    const ratio = canvas.width / box.width;
    return all.map(({ x, y }) =>
      [...context.getImageData(Math.floor((x - box.left) * ratio), Math.floor((y - box.top) * ratio), 1, 1).data].slice(
        0,
        3,
      ),
    );
  }, places);

export const pixelAt = async (page, place) => (await pixelsAt(page, [place]))[0];

export const setState = async (page, patch) => {
  await page.evaluate((values) => window.heed.state.set(values), patch);
  await drawn(page);
};

export const scene = (page, read) => page.evaluate(`(${read})(window.heed.scene())`);
