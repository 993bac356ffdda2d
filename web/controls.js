// SPDX-License-Identifier: Apache-2.0
// The top bar: every control with data-state="NAME" shows that part of the state and sets it.
import { headsOf, layersOf } from 'heed/data.js';

const kNumbers = new Set(['example', 'set', 'layer', 'head', 'gamma', 'threshold', 'mass', 'step']);

function valueOf(control) {
  if (control.type === 'checkbox') return control.checked;
  return kNumbers.has(control.dataset.state) ? Number(control.value) : control.value;
}

function choices(select, items) {
  const options = items.map(([value, text]) => {
    const option = document.createElement('option');
    option.value = String(value);
    option.textContent = text;
    return option;
  });
  select.replaceChildren(...options);
  select.disabled = items.length < 2;
}

const clip = (text, length) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);

// What an example is called: its title, or how its text begins.
export function exampleName(example, i) {
  const words = example.title || example.strips[0]?.tokens.join(' ') || '';
  return `${i + 1}. ${clip(words, 60)}`;
}

export function setName(set) {
  return set.queries === set.keys ? `${set.kind}: ${set.keys}` : `${set.kind}: ${set.queries} → ${set.keys}`;
}

export function createControls({ root, state, header }) {
  const controls = [...root.querySelectorAll('[data-state]')];
  const find = (name) => controls.find((control) => control.dataset.state === name);
  for (const control of controls) {
    control.addEventListener('input', () => state.set({ [control.dataset.state]: valueOf(control) }));
  }
  choices(find('example'), header.examples.map((example, i) => [i, exampleName(example, i)]));

  function fill(scene) {
    choices(find('set'), scene.example.attentions.map((set, i) => [i, setName(set)]));
    choices(find('layer'), layersOf(scene.set).map((layer) => [layer, String(layer)]));
    choices(find('head'), headsOf(scene.set, scene.heads[0].layer).map((head) => [head.head, String(head.head)]));
    const merges = [scene.queries, scene.keys].some((strip) => strip.words);
    find('merge').disabled = !merges;
    find('gold').closest('label').hidden = !scene.example.gold;
  }

  return {
    update(scene, changed) {
      if (changed.has('source') || changed.has('layer')) fill(scene);
      const all = scene.values.aggregate.endsWith('-all');
      find('layer').disabled = all || layersOf(scene.set).length < 2;
      find('head').disabled = scene.values.aggregate !== 'head' || headsOf(scene.set, scene.heads[0].layer).length < 2;
      for (const control of controls) {
        const value = scene.values[control.dataset.state];
        if (control.type === 'checkbox') control.checked = value;
        else control.value = String(value);
        const output = control.parentElement.querySelector('output');
        if (output) output.textContent = control.dataset.state === 'mass' ? `${value}%` : String(value);
      }
    },
  };
}
