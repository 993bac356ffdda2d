// SPDX-License-Identifier: Apache-2.0
// A pane: one model, its settings, its answer and the matrix of its attention, or the picture that it looked at, drawn by
// the viewer's own modules.
import { createPalette } from 'heed/colour.js';
import { firstSet, headsOf, isSigned, layersOf, signedWeights, stripOf } from 'heed/data.js';
import { createImage } from 'heed/image.js';
import { createMatrix } from 'heed/matrix.js';
import { createText } from 'heed/text.js';
import { traceSource } from 'heed/trace.js';
import { aggregate, buildView, valueAt, weightText } from 'heed/view.js';
import { needsPicture, needsText } from './kinds.js';

const kMean = 'mean';
const kLooks = ''; // no method: what the model attends to

function fill(select, options, chosen) {
  select.replaceChildren(...options.map(([value, name]) => new Option(name, value, false, String(value) === String(chosen))));
  select.disabled = options.length < 2;
}

// `ask(path, body, signal)` gives the answer; `say(message)` shows an error; `changed()` asks for a new answer.
export function createPane({ template, models, explainers, chosen, ask, say, changed }) {
  const element = template.content.firstElementChild.cloneNode(true);
  const find = (selector) => element.querySelector(selector);
  const control = (name) => find(`[data-control="${name}"]`);
  const styles = getComputedStyle(document.documentElement);
  const ink = (name) => styles.getPropertyValue(name).trim();
  let running = null;
  let example = null;
  let weightsOf = null;
  let scene = null;

  const hover = (cell) => {
    if (!scene) return;
    matrix.update({ ...scene, cursor: cell }, new Set(['cursor']));
    const { view, set } = scene;
    find('.readout').textContent = cell
      ? `${set.queries} “${view.rows[cell.row].label}” → ${set.keys} “${view.columns[cell.column].label}” ${weightText(valueAt(view, cell.row, cell.column))}`
      : '';
  };
  const matrix = createMatrix({ frame: find('.frame'), canvas: find('.matrix'), overlay: find('.overlay'), actions: { hover, pin: hover }, ink });

  const image = createImage({ section: find('.seen'), canvas: find('.image'), ink });
  // One word, hop or glimpse of those that looked at the picture, or all of them.
  const rows = createText({
    sources: document.createElement('div'), // regions of a picture have no words to show
    targets: find('.rows'),
    note: find('.rows-note'),
    actions: {
      pinRow: (row) => {
        scene = { ...scene, pinned: scene.pinned?.row === row ? null : { row } };
        drawPicture(new Set(['pinned']));
      },
    },
  });

  function drawPicture(changed) {
    image.update(scene);
    rows.update(scene, changed);
  }

  const model = () => models.find((each) => each.id === control('model').value);
  const settings = () => ({
    beam: Number(control('beam').value),
    draw: control('draw').checked,
    temperature: Number(control('temperature').value),
    length: Number(control('length').value),
    second: control('second').value,
  });

  function showControls() {
    const { kind, second } = model();
    for (const label of element.querySelectorAll('.setting')) {
      const { control: name } = label.querySelector('[data-control]').dataset;
      label.hidden = name === 'second' ? !second || needsPicture(kind) : !kind.controls.includes(name);
    }
    control('method').closest('label').hidden = !kind.explained;
    control('beam').disabled = control('draw').checked;
    control('temperature').disabled = !control('draw').checked;
    find('output').textContent = control('temperature').value;
  }

  // The choices of layer and head that the example has, the last ones kept where they still exist.
  function showChoices(fresh) {
    const { attentions } = example;
    const set = fresh || !attentions[control('set').value] ? firstSet(attentions) : Number(control('set').value);
    fill(control('set'), attentions.map((each, i) => [i, each.kind]), set);
    const layers = layersOf(attentions[set]);
    const layer = layers.includes(Number(control('layer').value)) && !fresh ? Number(control('layer').value) : layers.at(-1);
    fill(control('layer'), layers.map((n) => [n, n]), layer);
    const heads = headsOf(attentions[set], layer).map((head) => head.head);
    const head = control('head').value || kMean;
    fill(control('head'), [[kMean, 'mean'], ...heads.map((n) => [n, n])], heads.includes(Number(head)) ? head : kMean);
  }

  function draw() {
    find('.frame').hidden = !example;
    find('.seen').hidden = true;
    find('.attention').hidden = !example; // menus without anything to choose from say nothing
    if (!example) return;
    const set = example.attentions[Number(control('set').value)];
    const head = control('head').value;
    const heads = headsOf(set, Number(control('layer').value)).filter((each) => head === kMean || each.head === Number(head));
    const signed = isSigned(set) && head === kMean;
    const weights = signed ? signedWeights(set, weightsOf) : aggregate(heads.map(weightsOf), 'mean');
    const view = buildView(weights, stripOf(example, set.queries), stripOf(example, set.keys), { merge: false, hideSpecial: false, normalise: 'none' });
    const dark = document.documentElement.dataset.theme === 'dark';
    const palette = createPalette({ colours: 'blue', dark, range: view.max, gamma: 0.7, threshold: 0, signed });
    scene = { example, view, palette, set, step: 0, cursor: null, pinned: null, gold: null };
    if (example.image?.strip === set.keys) {
      find('.frame').hidden = true; // a column for each region says less than the picture
      drawPicture(new Set(['view']));
    } else {
      matrix.update(scene, new Set(['view', 'palette', 'source']));
    }
  }

  function show({ given = '', text: found, notes }, trace) {
    const before = document.createElement('span');
    before.className = 'given';
    before.textContent = given;
    find('.answer').replaceChildren(before, found);
    find('.notes').textContent = notes;
    const had = example !== null;
    const source = traceSource(trace);
    example = source.header.examples[0].attentions.length > 0 ? source.header.examples[0] : null;
    ({ weightsOf } = source);
    if (example) showChoices(!had);
    draw();
  }

  // Asks for the text, the picture or both; what was asked before and has not come yet is given up.
  async function update(text, picture) {
    running?.abort();
    const { id, kind } = model();
    if ((needsText(kind) && text.trim() === '') || (needsPicture(kind) && picture === '')) return;
    running = new AbortController();
    const { signal } = running;
    element.classList.add('stale');
    try {
      const request = { model: id, attention: true, ...kind.requestFor(text, { ...settings(), picture }, model()) };
      const answered = kind.answerOf(await ask(kind.route, request, signal), text);
      const method = kind.explained ? control('method').value : kLooks;
      let { trace } = answered;
      if (method !== kLooks) {
        const explained = { model: id, method, attention: true, ...kind.explained(text, answered, settings(), model()) };
        ({ trace } = await ask('/v1/explain', explained, signal));
      }
      show(answered, trace);
      element.classList.remove('stale');
      performance.mark('heed-drawn');
    } catch (error) {
      if (!signal.aborted) say(error.message);
    }
  }

  fill(control('model'), models.map(({ id, task }) => [id, `${id} (${task})`]), chosen);
  fill(control('method'), [[kLooks, 'nothing: attention'], ...explainers.map(({ name }) => [name, name])], kLooks);
  showControls();
  find('.frame').hidden = true;
  find('.seen').hidden = true;
  for (const name of ['set', 'layer', 'head']) {
    control(name).addEventListener('change', () => {
      showChoices(false);
      draw();
    });
  }
  for (const name of ['model', 'method', 'beam', 'draw', 'temperature', 'length', 'second']) {
    control(name).addEventListener('input', () => {
      if (name === 'model' || name === 'method') {
        example = null;
        find('.seen').hidden = true;
      }
      showControls();
      changed();
    });
  }
  const setSecond = (second) => (control('second').value = second);
  return { element, model, setSecond, update, redraw: draw, stop: () => running?.abort() };
}
