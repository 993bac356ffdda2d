// SPDX-License-Identifier: Apache-2.0
// What the live page asks for each kind of model, and what it shows of the answer.
import assert from 'node:assert/strict';
import { test } from 'node:test';

const folder = new URL('../../web/live/', import.meta.url);
const settings = { beam: 4, draw: false, temperature: 0.5, length: 7, second: 'other', picture: 'UDUg' };
const trace = { examples: [] };

// Of each kind: a model, its request, an answer of the API and what is shown of it.
const kKinds = {
  translate: {
    request: { text: 'a', beam: 4 },
    drawn: { text: 'a', sample: true, temperature: 0.5 },
    answer: { results: [{ translations: [{ text: 'b', log_probability: -1.234, finished: false, trace }] }] },
    shown: { text: 'b', notes: 'log-probability -1.23, cut', trace },
  },
  language: {
    request: { prompt: 'a', length: 7, greedy: true },
    drawn: { prompt: 'a', length: 7, temperature: 0.5 },
    answer: { text: 'b', tokens: 3, trace },
    shown: { given: 'a', text: 'b', notes: '3 tokens', trace },
  },
  classify: {
    request: { text: 'a', second: 'other' },
    answer: { results: [{ aspects: [{ aspect: 'x', label: 'yes', probability: 0.9 }, { aspect: 'y', label: 'no', probability: 0.8 }], trace }] },
    shown: { text: 'x: yes 90.0%, y: no 80.0%', notes: '', trace },
  },
  masked: {
    request: { text: 'a' },
    answer: { gaps: [[{ word: 'red', probability: 0.25 }, { word: 'blue', probability: 0.125 }]], trace },
    shown: { text: 'red 25.0%, blue 12.5%', notes: '', trace },
  },
  caption: {
    request: { image: 'UDUg', beam: 4 },
    answer: { caption: 'a red circle', log_probability: -0.5, words: [], gates: [], trace },
    shown: { text: 'a red circle', notes: 'log-probability -0.50', trace },
  },
  visual: {
    request: { image: 'UDUg', question: 'a' },
    answer: { answers: [{ answer: 'red', probability: 0.75 }, { answer: 'blue', probability: 0.25 }], unknown: ['zebra'], trace },
    shown: { text: 'red 75.0%, blue 25.0%', notes: 'words it does not know: zebra', trace },
  },
  look: {
    request: { images: 'UDUg' },
    answer: { results: [{ class: '7', classes: [{ class: '7', probability: 0.9 }, { class: '1', probability: 0.1 }], trace }] },
    shown: { text: '7 90.0%', notes: '1 10.0%', trace },
  },
  glimpse: {
    request: { image: 'UDUg' },
    answer: { classes: ['7'], probability: 0.75, glimpses: [{ class: '1', probability: 0.5 }, { class: '7', probability: 0.75 }], trace },
    shown: { text: '7 75.0%', notes: 'after each glimpse 0: 1 50.0%, 1: 7 75.0%', trace },
  },
};

for (const [name, { request, drawn, answer, shown }] of Object.entries(kKinds)) {
  test(`asks for ${name} and shows its answer`, async () => {
    const kind = await import(new URL(`kind_${name}.js`, folder));
    assert.match(kind.route, /^\/v1\/[a-z]+$/);
    assert.ok([undefined, 'picture', 'both'].includes(kind.looksAt));
    if (kind.looksAt !== 'picture') assert.match(kind.placeholder, /^Type /);
    assert.deepEqual(kind.requestFor('a', settings, { second: name === 'classify' }), request);
    if (drawn) assert.deepEqual(kind.requestFor('a', { ...settings, draw: true }, {}), drawn);
    assert.deepEqual(kind.answerOf(answer, 'a'), shown);
  });
}

test('a model of a kind without a module is left out', async () => {
  const { withKinds } = await import(new URL('kinds.js', folder));
  const models = await withKinds([{ id: 'm', task: 'translate' }, { id: 'n', task: 'dance' }]);
  assert.deepEqual(models.map((model) => [model.id, model.kind.route]), [['m', '/v1/translate']]);
});
