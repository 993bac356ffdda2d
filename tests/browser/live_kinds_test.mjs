// SPDX-License-Identifier: Apache-2.0
// What the live page asks for each kind of model, and what it shows of the answer.
import assert from 'node:assert/strict';
import { test } from 'node:test';

const folder = new URL('../../web/live/', import.meta.url);
const settings = { beam: 4, draw: false, temperature: 0.5, length: 7, second: 'other' };
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
};

for (const [name, { request, drawn, answer, shown }] of Object.entries(kKinds)) {
  test(`asks for ${name} and shows its answer`, async () => {
    const kind = await import(new URL(`kind_${name}.js`, folder));
    assert.match(kind.route, /^\/v1\/[a-z]+$/);
    assert.match(kind.placeholder, /^Type /);
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
