// SPDX-License-Identifier: Apache-2.0
// Puts the page together: state in, a scene out, and every component draws its part of the scene.
import { createArcs } from 'heed/arcs.js';
import { createPalette } from 'heed/colour.js';
import { createControls, setName } from 'heed/controls.js';
import { firstLook, floorOf, headsOf, isSigned, layersOf, methodOf, pageSource, signedWeights, stripOf } from 'heed/data.js';
import { createImage } from 'heed/image.js';
import { listenToKeys } from 'heed/keys.js';
import { createLegend } from 'heed/legend.js';
import { createLinks } from 'heed/links.js';
import { createMap } from 'heed/map.js';
import { createMatrix } from 'heed/matrix.js';
import { createSaver } from 'heed/save.js';
import { createState, parseFragment, startState, toFragment } from 'heed/state.js';
import { createSteps } from 'heed/steps.js';
import { createStrips } from 'heed/strips.js';
import { createTable } from 'heed/table.js';
import { createText } from 'heed/text.js';
import { aggregate, buildView, goldCells, groupWith, rankOf, valueAt, weightText } from 'heed/view.js';

const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

// The nearest example, set, layer and head that there are; a link may come from another page.
function settle(values, header) {
  values.example = clamp(values.example, 0, header.examples.length - 1);
  const { attentions } = header.examples[values.example];
  values.set = clamp(values.set, 0, attentions.length - 1);
  const set = attentions[values.set];
  const nearest = (numbers, wanted) =>
    numbers.reduce((best, n) => (Math.abs(n - wanted) < Math.abs(best - wanted) ? n : best));
  values.layer = nearest(layersOf(set), values.layer);
  values.head = nearest(
    headsOf(set, values.layer).map((head) => head.head),
    values.head,
  );
}

// The heads that are shown together.
function chosenHeads(set, { aggregate: how, layer, head }) {
  if (how.endsWith('-all')) return set.heads;
  const heads = headsOf(set, layer);
  return how === 'head' ? heads.filter((each) => each.head === head) : heads;
}

function captionOf(set, { aggregate: how, layer, head }) {
  const part = {
    head: `layer ${layer}, head ${head}`,
    mean: `layer ${layer}, mean of heads`,
    max: `layer ${layer}, largest of heads`,
    'mean-all': 'mean of all layers and heads',
    'max-all': 'largest of all layers and heads',
  }[how];
  if (isSigned(set) && how !== 'head') return `${methodOf(set)}: ${set.queries} → ${set.keys}, for and against`;
  return `${setName(set)}, ${part}`;
}

const kRemember = 150; // milliseconds
const kSource = ['example', 'set'];
const kView = [...kSource, 'layer', 'head', 'aggregate', 'normalise', 'special', 'merge'];
const kPalette = ['colours', 'gamma', 'threshold', 'theme'];

// Draws a source into the elements of page.html; what is returned can be asked for the scene, and set from outside.
export function start(root = document, { header, weightsOf } = pageSource(root)) {
  const find = (id) => root.getElementById(id);
  if (header.examples.every((example) => example.attentions.length === 0)) {
    find('message').textContent = 'This trace holds no attention.';
    return null;
  }
  header.examples = header.examples.filter((example) => example.attentions.length > 0);
  const system = window.matchMedia('(prefers-color-scheme: dark)');
  let styles = null;
  const ink = (name) => styles.getPropertyValue(name).trim();
  let scene = null;
  let components = [];
  let printing = false; // paper is white, whatever the theme
  const first = { ...startState(), ...firstLook(header.examples[0]) };
  const values = { ...first, ...parseFragment(location.hash), cursor: null };

  const state = createState(values, render);

  function buildScene(names) {
    const any = (list) => list.some((name) => names.has(name));
    const fresh = scene === null;
    if (fresh || any([...kSource, 'layer', 'head'])) settle(values, header);
    const changed = new Set(names);
    const example = header.examples[values.example];
    const set = example.attentions[values.set];
    const queries = stripOf(example, set.queries);
    const keys = stripOf(example, set.keys);
    const heads = chosenHeads(set, values);
    const signed = isSigned(set) && values.aggregate !== 'head';
    let view = scene?.view;
    if (fresh || any(kView)) {
      const weights = signed
        ? signedWeights(set, weightsOf)
        : aggregate(heads.map(weightsOf), values.aggregate.replace('-all', ''));
      view = buildView(weights, queries, keys, {
        merge: values.merge,
        hideSpecial: !values.special,
        normalise: values.normalise,
        floor: floorOf(header, heads),
      });
      changed.add('view');
    }
    if (fresh || any(kSource)) changed.add('source');
    const dark = !printing && (values.theme === 'dark' || (values.theme === 'auto' && system.matches));
    if (fresh || names.has('theme')) {
      root.documentElement.dataset.theme = dark ? 'dark' : 'light';
      styles = getComputedStyle(root.documentElement);
    }
    let { palette, mapPalette } = scene ?? {};
    if (fresh || any(kPalette) || changed.has('view')) {
      const look = { colours: values.colours, dark, gamma: values.gamma, threshold: values.threshold };
      palette = createPalette({ ...look, range: view.max, signed });
      changed.add('palette');
      if (fresh || any(kPalette)) mapPalette = createPalette({ ...look, range: 1, threshold: 0 });
    }
    values.step = set.stepwise ? clamp(values.step, 0, view.rows.length) : 0;
    const next = {
      values,
      header,
      title: header.title,
      caption: captionOf(set, values),
      example,
      set,
      queries,
      keys,
      heads,
      view,
      palette,
      mapPalette,
      dark,
      ...pointed(view, set, example, queries, keys),
      signed,
      step: values.step,
      mass: values.mass,
      chips: values.chips,
    };
    return { next, changed };
  }

  // What the mouse, the keyboard and pins point at, in rows and columns of the view.
  function pointed(view, set, example, queries, keys) {
    const fits = (at, groups) => at === null || at < groups.length;
    const cursor =
      values.cursor && fits(values.cursor.row, view.rows) && fits(values.cursor.column, view.columns)
        ? values.cursor
        : null;
    const row = values.pin ? groupWith(view.rows, values.pin.query) : -1;
    const column = values.pin ? groupWith(view.columns, values.pin.key) : -1;
    const gold =
      values.gold && set.queries === 'target' && set.keys === 'source' ? goldCells(example, view, queries, keys) : null;
    return { cursor, pinned: row >= 0 && column >= 0 ? { row, column } : null, gold };
  }

  function render(_, names) {
    const { next, changed } = buildScene(names);
    scene = next;
    for (const component of components) component.update(scene, changed);
    clearTimeout(remembering);
    remembering = setTimeout(remember, kRemember);
  }

  // The address follows what is shown, with a pause: browsers stop counting after a hundred changes in a row.
  let remembering = null;
  function remember() {
    const fragment = toFragment(values, first);
    if (fragment !== location.hash) history.replaceState(null, '', fragment || location.pathname + location.search);
  }

  // "target 'x' -> source 'y' 0.312, rank 1"
  function describeCell({ row, column }) {
    const { view, set } = scene;
    const value = valueAt(view, row, column);
    const rank = value === value ? `, rank ${rankOf(view, row, column)} of ${view.columns.length}` : '';
    const target = `${set.queries} “${view.rows[row].label}”`;
    const source = `${set.keys} “${view.columns[column].label}”`;
    return `${target} → ${source} ${weightText(value, view.floor)}${rank}`;
  }

  const tooltip = find('tooltip');
  function showTooltip(cell, place) {
    tooltip.hidden = !cell || !place;
    if (tooltip.hidden) return;
    tooltip.textContent = describeCell(cell);
    const box = tooltip.getBoundingClientRect();
    tooltip.style.left = `${Math.min(place.x + 14, window.innerWidth - box.width - 8)}px`;
    tooltip.style.top = `${place.y + 18 + box.height > window.innerHeight ? place.y - box.height - 10 : place.y + 18}px`;
  }

  const same = (a, b) => a?.row === b?.row && a?.column === b?.column;
  const tokenOf = (group) => group.tokens[0];
  const actions = {
    hover(cell, place) {
      showTooltip(cell, place);
      if (!same(cell, values.cursor)) state.set({ cursor: cell });
    },
    pin(cell) {
      const pin = { query: tokenOf(scene.view.rows[cell.row]), key: tokenOf(scene.view.columns[cell.column]) };
      state.set({ pin: same(scene.pinned, cell) ? null : pin });
      find('readout').textContent = `${same(scene.pinned, cell) ? 'unpinned' : 'pinned'}: ${describeCell(cell)}`;
    },
    pinRow(row) {
      const { view, pinned } = scene;
      if (pinned?.row === row) return state.set({ pin: null });
      let column = 0;
      for (let c = 1; c < view.columns.length; ++c)
        if (!(valueAt(view, row, column) >= valueAt(view, row, c))) column = c;
      return actions.pin({ row, column });
    },
    pinCursor() {
      const cell = values.cursor?.row != null && values.cursor.column != null ? values.cursor : scene.pinned;
      if (cell) actions.pin(cell);
    },
    unpin: () => state.set({ pin: null, cursor: null }),
    moveCell(down, right) {
      const { view } = scene;
      const from = values.cursor?.row != null && values.cursor.column != null ? values.cursor : scene.pinned;
      const cell = from
        ? {
            row: clamp(from.row + down, 0, view.rows.length - 1),
            column: clamp(from.column + right, 0, view.columns.length - 1),
          }
        : { row: 0, column: 0 };
      state.set({ cursor: cell });
      matrix.reveal(cell);
      showTooltip(cell, matrix.placeOf(cell));
      find('readout').textContent = describeCell(cell);
    },
    open: (head) => state.set({ layer: head.layer, head: head.head, aggregate: 'head' }),
    moveHead(step) {
      const heads = headsOf(scene.set, values.layer);
      const at = heads.findIndex((head) => head.head === values.head);
      actions.open(heads[(at + step + heads.length) % heads.length]);
    },
    moveLayer(step) {
      const layers = layersOf(scene.set);
      const at = layers.indexOf(values.layer);
      state.set({ layer: layers[(at + step + layers.length) % layers.length] });
    },
    step: (step) => state.set({ step }),
    zoom: (factor) => matrix.zoomBy(factor),
    fit: () => matrix.fit(),
    help() {
      const dialog = find('help');
      if (dialog.open) dialog.close();
      else dialog.showModal();
    },
  };

  const matrix = createMatrix({
    frame: find('matrix-frame'),
    canvas: find('matrix'),
    overlay: find('overlay'),
    actions,
    ink,
  });
  const arcs = createArcs({
    section: find('arcs-panel'),
    frame: find('arcs-frame'),
    spacer: find('arcs-spacer'),
    canvas: find('arcs'),
    note: find('arcs-note'),
    actions,
    ink,
  });
  const controls = createControls({ root, state, header });
  const caption = {
    update: ({ caption: text, view, set }) => {
      find('sources-title').textContent = `Sources: ${set.keys}`;
      find('targets-title').textContent = `Targets: ${set.queries}`;
      find('caption').textContent = text;
      find('matrix').setAttribute(
        'aria-label',
        `${text}: ${view.rows.length} targets by ${view.columns.length} sources. Arrow keys move, P pins.`,
      );
    },
  };
  components = [
    controls,
    caption,
    matrix,
    createMap({ grid: find('map'), note: find('map-note'), actions }),
    createLinks({ frame: find('links-frame'), spacer: find('links-spacer'), canvas: find('links'), actions, ink }),
    arcs,
    createText({ sources: find('sources'), targets: find('targets'), note: find('text-note'), actions }),
    createStrips({ section: find('strips-panel'), list: find('strips'), weightsOf, choose: (set) => state.set({ set }) }),
    createSteps({ section: find('steps'), slider: find('step'), play: find('play'), note: find('step-note'), actions }),
    createImage({ section: find('image-panel'), canvas: find('image'), ink }),
    createLegend({
      ramp: find('ramp'),
      low: find('ramp-low'),
      high: find('ramp-high'),
      swatches: { zero: find('swatch-zero'), tiny: find('swatch-tiny'), masked: find('swatch-masked') },
      gold: find('gold-key'),
    }),
    createTable({ table: find('table') }),
  ];

  const save = createSaver({ canvas: find('matrix'), arcs, scene: () => scene });
  const onClick = (id, action) => find(id).addEventListener('click', action);
  onClick('save-png', save.png);
  onClick('save-svg', save.svg);
  onClick('save-json', save.json);
  onClick('arcs-png', save.arcsPng);
  onClick('arcs-svg', save.arcsSvg);
  onClick('zoom-in', () => actions.zoom(1.4));
  onClick('zoom-out', () => actions.zoom(1 / 1.4));
  onClick('zoom-fit', () => actions.fit());
  onClick('show-help', () => actions.help());
  onClick('copy-link', async () => {
    remember();
    const copied = await navigator.clipboard?.writeText(location.href).then(
      () => true,
      () => false,
    );
    find('readout').textContent = copied
      ? 'link copied: it opens the page as it is now'
      : 'the address bar has the link: it opens the page as it is now';
  });
  find('matrix').addEventListener('blur', () => actions.hover(null));
  listenToKeys(root, find('matrix'), actions);
  system.addEventListener('change', () => render(values, new Set(['theme'])));
  for (const [event, value] of [
    ['beforeprint', true],
    ['afterprint', false],
  ]) {
    window.addEventListener(event, () => {
      printing = value;
      render(values, new Set(['theme']));
    });
  }
  window.addEventListener('hashchange', () => state.set({ ...first, ...parseFragment(location.hash) }));

  find('title').textContent = header.title;
  find('task').textContent = header.task;
  render(values, new Set(Object.keys(values)));
  performance.mark('heed-drawn');
  return { state, matrix, scene: () => scene };
}
