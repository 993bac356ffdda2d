// SPDX-License-Identifier: Apache-2.0
// The modules that only compute, without a browser: decoding, aggregating, merging, ranking, state and links.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

import { createPalette, kMaskedIndex, luminance } from '../../web/colour.js';
import { createWeights, decodeBase64, decodeWeights, floorOf, isSigned, methodOf, signedWeights } from '../../web/data.js';
import { createPyramid, levelFor, paint } from '../../web/pyramid.js';
import { createState, parseFragment, startState, toFragment } from '../../web/state.js';
import { traceSource } from '../../web/trace.js';
import { aggregate, buildView, cellText, groupsOf, heaviest, isSpecial, rankOf, slantOf, weightText } from '../../web/view.js';
import { program } from './browser.mjs';
import { translator } from './traces.mjs';

const near = (actual, expected) =>
  assert.deepEqual(
    [...actual].map((x) => Math.round(x * 1e4) / 1e4),
    expected,
  );
const strip = (tokens, words) => ({ name: 'text', tokens, words });
const kAsIs = { merge: false, hideSpecial: false, normalise: 'none' };

test('codes become weights: 0 is exactly zero, the largest masked', () => {
  near(decodeWeights(decodeBase64('AAH+'), 8, 0.5), [0, 0.002, 0.5]);
  assert.ok(Number.isNaN(decodeWeights(Uint8Array.of(255), 8, 1)[0]));
  near(decodeWeights(Uint8Array.of(0, 0, 254, 255), 16, 2), [0, 2]);
  assert.ok(Number.isNaN(decodeWeights(Uint8Array.of(255, 255), 16, 1)[0]));
});

test('heads are decoded once and forgotten when there are too many', () => {
  let reads = 0;
  const weights = createWeights({ precision: 8 }, () => (++reads, 'AAAA'), 6);
  const head = (block) => ({ block, scale: 1 });
  for (const block of ['a', 'b', 'a', 'c']) weights(head(block));
  assert.equal(reads, 3);
  weights(head('a'));
  assert.equal(reads, 3, 'a was used lately');
  weights(head('b'));
  assert.equal(reads, 4, 'b made room for c');
});

test('an aggregate is masked where every head is', () => {
  const heads = [Float32Array.of(0.2, NaN, NaN), Float32Array.of(0.6, 0.4, NaN)];
  const mean = aggregate(heads, 'mean');
  near(mean.slice(0, 2), [0.4, 0.2]);
  assert.ok(Number.isNaN(mean[2]));
  near(aggregate(heads, 'max').slice(0, 2), [0.6, 0.4]);
});

test('shares with a sign are two heads put together, masked where both are', () => {
  const halves = [Float32Array.of(0.5, 0, 0, NaN), Float32Array.of(0, 0.25, 0, NaN)];
  const set = { kind: 'shares: lime(samples=9)', heads: [{ layer: 0, head: 0 }, { layer: 0, head: 1 }] };
  assert.ok(isSigned(set));
  assert.equal(methodOf(set), 'lime(samples=9)');
  const shares = signedWeights(set, (head) => halves[head.head]);
  near(shares.slice(0, 3), [0.5, -0.25, 0]);
  assert.ok(Number.isNaN(shares[3]));
  assert.ok(!isSigned({ ...set, kind: 'cross' }));
  assert.ok(!isSigned({ ...set, heads: [set.heads[0]] }));
  const view = buildView(shares, strip(['answer']), strip(['a', 'b', 'c', 'd']), kAsIs);
  assert.equal(view.max, 0.5);
  near(view.columnSums, [0.5, -0.25, 0, 0]);
  assert.equal(weightText(-0.25), '−0.250');
  assert.equal(cellText(-0.25), '−.25');
});

test('a signed palette has a hue for each side, and the stronger wins where cells are joined', () => {
  const palette = createPalette({ colours: 'blue', dark: false, range: 1, gamma: 1, threshold: 0, signed: true });
  assert.equal(palette.indexOf(0), 0);
  assert.equal(palette.indexOf(NaN), kMaskedIndex);
  for (const size of [1e-6, 0.1, 0.5, 1]) {
    const [above, below] = [palette.indexOf(size), palette.indexOf(-size)];
    assert.ok(above % 2 === 0 && below % 2 === 1 && above !== kMaskedIndex, `${above} ${below}`);
    const [red, , blue] = palette.colourOf(-size);
    assert.ok(palette.colourOf(size)[2] > palette.colourOf(size)[0], 'blue speaks for');
    assert.ok(red > blue, 'magenta speaks against');
  }
  assert.ok(palette.indexOf(-0.9) > palette.indexOf(0.5));
  assert.ok(palette.indexOf(0.9) > palette.indexOf(-0.5));
});

test('special tokens are known by their word, or by their form', () => {
  assert.ok(isSpecial(strip(['<b>'], [-1]), 0));
  assert.ok(!isSpecial(strip(['<b>'], [0]), 0));
  for (const token of ['<s>', '</s>', '[CLS]', '<pad>']) assert.ok(isSpecial(strip([token]), 0), token);
  for (const token of ['<', '<>', '[x]', 'a', '< b>']) assert.ok(!isSpecial(strip([token]), 0), token);
});

test('pieces of a word merge, words apart and specials do not', () => {
  const text = strip(['▁ca', 't', '▁ca', 't', '</s>'], [0, 0, 1, 1, -1]);
  assert.deepEqual(
    groupsOf(text, { merge: true }).map((group) => group.text),
    ['cat', 'cat', '</s>'],
  );
  assert.deepEqual(
    groupsOf(text, { merge: false, hideSpecial: true }).map((group) => group.text),
    ['▁ca', 't', '▁ca', 't'],
  );
});

test('merged rows keep the sum of their weights', () => {
  const queries = strip(['a', 'b', 'c'], [0, 0, 1]);
  const keys = strip(['x', 'y', 'z'], [0, 1, 1]);
  const view = buildView(Float32Array.of(0.5, 0.3, 0.2, 0.1, 0.8, 0.1, 0, 0, 1), queries, keys, {
    ...kAsIs,
    merge: true,
  });
  near(view.values, [0.3, 0.7, 0, 1]);
  near(view.rowSums, [1, 1]);
});

test('a view counts sums, its largest weight and ranks, whatever is masked', () => {
  const view = buildView(Float32Array.of(0.7, 0.3, NaN, 0.4), strip(['a', 'b']), strip(['x', 'y']), kAsIs);
  near(view.rowSums, [1, 0.4]);
  near(view.columnSums, [0.7, 0.7]);
  assert.equal(rankOf(view, 0, 1), 2);
  assert.equal(rankOf(view, 1, 1), 1);
  assert.deepEqual(heaviest(view, 0, 0.6), [0]);
  assert.deepEqual(heaviest(view, 0, 0.8), [0, 1]);
  assert.deepEqual(heaviest(view, 0, 1, 1), [0]);
});

test('an empty view is a view', () => {
  const view = buildView(new Float32Array(0), strip([]), strip(['x']), { ...kAsIs, normalise: 'row' });
  assert.equal(view.max, 0);
});

test('weights are told in few letters', () => {
  assert.deepEqual(
    [0, 1, 0.3124, 0.00042, NaN].map((value) => weightText(value)),
    ['0', '1.000', '0.312', '0.0004', 'masked'],
  );
});

test('a weight that was rounded up from almost nothing does not claim to be known', () => {
  const [tiny] = decodeWeights(Uint8Array.of(1), 8, 1);
  const floor = floorOf({ precision: 8 }, [{ scale: 0.4 }, { scale: 1 }]);
  assert.equal(weightText(tiny, floor), '< 0.006');
  assert.equal(weightText(2 / 254, floor), '0.008');
  assert.deepEqual(
    [0.312, 1, 0.001, 0.007, 12].map((value) => cellText(value, floor)),
    ['.31', '1.00', '<.01', '.01', '12.00'],
  );
  assert.equal(cellText(0.03, 0.05), '<.05');
  assert.equal(floorOf({}, [{ scale: 1 }]), 0, 'a trace itself is not rounded');
});

test('a link says only what differs, and reads back', () => {
  const values = { ...startState(), layer: 3, merge: true, special: false, gamma: 0.5, pin: { query: 1, key: 22 } };
  assert.equal(toFragment(startState()), '');
  assert.equal(toFragment(values), '#layer=3&gamma=0.5&special=0&merge=1&pin=1.22');
  assert.deepEqual({ ...startState(), ...parseFragment(toFragment(values)) }, values);
});

test('a link that is wrong says nothing', () => {
  assert.deepEqual(parseFragment('#layer=-1&head=x&gamma=&mass=1e9&merge=2&pin=1&theme=red&constructor=1'), {});
});

test('however often state is set, it is drawn once a frame', () => {
  const frames = [];
  const calls = [];
  const state = createState(
    startState(),
    (_, names) => calls.push([...names]),
    (frame) => frames.push(frame),
  );
  state.set({ layer: 1 });
  state.set({ layer: 2, head: 3 });
  state.set({ head: 3 });
  assert.equal(frames.length, 1);
  frames[0]();
  assert.deepEqual(calls, [['layer', 'head']]);
});

test('shades grow steadily lighter or darker, never back', () => {
  for (const colours of ['blue', 'cividis', 'gray']) {
    for (const dark of [false, true]) {
      const { rgb } = createPalette({ colours, dark, range: 1, gamma: 1, threshold: 0 });
      const lights = rgb.slice(1, kMaskedIndex).map(luminance);
      const way = Math.sign(lights.at(-1) - lights[0]);
      for (let i = 8; i < lights.length; ++i)
        assert.ok((lights[i] - lights[i - 8]) * way > 0, `${colours} ${dark} ${i}`);
    }
  }
});

test('gamma and threshold change shades but never the looks of zero and masked', () => {
  const palette = createPalette({ colours: 'blue', dark: false, range: 0.5, gamma: 2, threshold: 0.1 });
  assert.equal(palette.indexOf(0), 0);
  assert.equal(palette.indexOf(NaN), kMaskedIndex);
  assert.equal(palette.indexOf(0.09), 0);
  assert.equal(palette.indexOf(0.5), kMaskedIndex - 1);
  assert.equal(palette.indexOf(0.25), 1 + Math.round(0.25 * 253));
  const tiny = createPalette({ colours: 'blue', dark: false, range: 1, gamma: 2, threshold: 0 });
  assert.equal(tiny.indexOf(1e-30), 1);
});

test('a coarser level keeps the strongest of its cells', () => {
  const palette = createPalette({ colours: 'blue', dark: false, range: 1, gamma: 1, threshold: 0 });
  const values = Float32Array.of(0, 0, NaN, 0, 1, NaN, NaN, NaN, NaN);
  const pyramid = createPyramid(buildView(values, strip(['a', 'b', 'c']), strip(['x', 'y', 'z']), kAsIs), palette);
  assert.deepEqual([...pyramid.level(1).indices], [254, 255, 255, 255]);
  assert.equal(levelFor(1), 0);
  assert.equal(levelFor(0.4), 2);
});

test('a painted part shows the cells that it covers', () => {
  const palette = createPalette({ colours: 'gray', dark: false, range: 1, gamma: 1, threshold: 0 });
  const pyramid = createPyramid(
    buildView(Float32Array.of(0, 1, 1, 0), strip(['a', 'b']), strip(['x', 'y']), kAsIs),
    palette,
  );
  const pixels = new Uint32Array(16);
  paint(pixels, { width: 4, height: 4 }, { x: 0, y: 0, sx: 2, sy: 2, rowsShown: 2, hatch: 6 }, pyramid, palette);
  const [black, white] = [palette.packed[0], palette.packed[254]];
  assert.deepEqual(
    [...pixels],
    [black, black, white, white, black, black, white, white, white, white, black, black, white, white, black, black],
  );
  paint(pixels, { width: 4, height: 4 }, { x: 2, y: 0, sx: 2, sy: 2, rowsShown: 1, hatch: 6 }, pyramid, palette);
  assert.deepEqual([...pixels].slice(6, 10), [white, white, black, black], 'rows to come stay blank');
});

test('a trace in JSON is made ready as the program would', () => {
  const trace = translator();
  const { header, weightsOf } = traceSource(trace);
  const folder = mkdtempSync(path.join(os.tmpdir(), 'heed-modules-'));
  const [json, html] = ['trace.json', 'page.html'].map((name) => path.join(folder, name));
  writeFileSync(json, JSON.stringify(trace));
  execFileSync(program, ['view', json, '--html', html]);
  const page = JSON.parse(/id="header">(.*?)<\/script>/s.exec(readFileSync(html, 'utf8'))[1]);
  rmSync(folder, { recursive: true });
  assert.deepEqual(header.examples[0].gold.sort(), page.examples[0].gold.sort());
  for (const [a, set] of page.examples[0].attentions.entries()) {
    for (const [h, head] of set.heads.entries()) {
      const own = header.examples[0].attentions[a].heads[h];
      for (const name of ['scale', 'entropy', 'density']) assert.ok(Math.abs(own[name] - head[name]) < 1e-6, name);
      assert.deepEqual([...own.thumbnail], [...decodeBase64(head.thumbnail)]);
      assert.deepEqual([own.rows, own.columns], [head.rows, head.columns]);
      assert.equal(weightsOf(own).length, 25);
    }
  }
});

test('labels stand steeper the closer they are, and never touch', () => {
  assert.equal(slantOf(46, 12), 0.9);
  for (const spacing of [12, 13, 15, 20, 40]) {
    const slant = slantOf(spacing, 12);
    assert.ok(spacing * Math.sin(slant) >= 12 - 1e-9, `${spacing} px apart: ${slant}`);
    assert.ok(slant <= Math.PI / 2);
  }
});
