// SPDX-License-Identifier: Apache-2.0
// The model map: a thumbnail of every head by layer, with how spread and how dense it is; a click or Enter opens one.
import { kMaskedIndex } from 'heed/colour.js';
import { decodeBase64, headsOf, layersOf } from 'heed/data.js';

const kHeadsInLine = 8; // more would be too small to tell apart beside the matrix

const percent = (share) => `${Math.round(share * 100)}%`;

export function describeHead(head) {
  const learnt = head.learnt ? `, ${head.learnt}` : '';
  return `layer ${head.layer}, head ${head.head}: entropy ${head.entropy.toFixed(2)} bits, density ${percent(head.density)}${learnt}`;
}

// Codes 0 to 255 as the program pooled them are indices of the palette already, but for gamma.
function paintThumbnail(canvas, head, palette) {
  canvas.width = Math.max(1, head.columns);
  canvas.height = Math.max(1, head.rows);
  const context = canvas.getContext('2d');
  const image = context.createImageData(canvas.width, canvas.height);
  const pixels = new Uint32Array(image.data.buffer);
  const codes = typeof head.thumbnail === 'string' ? decodeBase64(head.thumbnail) : head.thumbnail;
  codes.forEach((code, i) => {
    const index = code === 0 || code === kMaskedIndex ? code : palette.indexOf((code / 254) * palette.range);
    const odd = (Math.floor(i / canvas.width) + i) % 2 === 1;
    pixels[i] = index === kMaskedIndex && odd ? palette.hatch : palette.packed[index];
  });
  context.putImageData(image, 0, 0);
}

export function createMap({ grid, note, actions }) {
  let scene = null;
  let cells = []; // {head, button, canvas}

  function bar(share, name) {
    const element = document.createElement('span');
    element.className = `measure ${name}`;
    element.style.setProperty('--share', percent(Math.min(1, share)));
    return element;
  }

  function build() {
    cells = [];
    const layers = layersOf(scene.set);
    const keys = Math.max(2, scene.keys.tokens.length);
    const widest = Math.max(...layers.map((layer) => headsOf(scene.set, layer).length));
    grid.style.setProperty('--heads', Math.min(widest, kHeadsInLine));
    grid.style.setProperty('--lines', Math.ceil(widest / kHeadsInLine));
    const rows = layers.map((layer) => {
      const row = document.createElement('div');
      row.className = 'map-row';
      const name = document.createElement('span');
      name.className = 'map-layer';
      name.textContent = String(layer);
      row.append(name);
      for (const head of headsOf(scene.set, layer)) {
        const button = document.createElement('button');
        button.type = 'button';
        button.className = 'map-head';
        button.setAttribute('aria-label', describeHead(head));
        button.title = describeHead(head);
        const canvas = document.createElement('canvas');
        canvas.setAttribute('aria-hidden', 'true');
        button.append(canvas, bar(head.entropy / Math.log2(keys), 'entropy'), bar(head.density, 'density'));
        button.addEventListener('click', () => actions.open(head));
        button.addEventListener('focus', () => (note.textContent = describeHead(head)));
        button.addEventListener('pointerenter', () => (note.textContent = describeHead(head)));
        cells.push({ head, button, canvas });
        row.append(button);
      }
      return row;
    });
    grid.replaceChildren(...rows);
  }

  function mark() {
    for (const { head, button } of cells) {
      const open = scene.heads.includes(head);
      button.classList.toggle('open', open);
      button.setAttribute('aria-pressed', String(open));
      button.tabIndex = head === scene.heads[0] ? 0 : -1;
    }
    note.textContent = scene.heads.length === 1 ? describeHead(scene.heads[0]) : `${scene.heads.length} heads together`;
  }

  grid.addEventListener('keydown', (event) => {
    const at = cells.findIndex(({ button }) => button === document.activeElement);
    if (at < 0) return;
    const { head } = cells[at];
    const inLayer = (layer, number) => cells.find((cell) => cell.head.layer === layer && cell.head.head === number);
    const layers = layersOf(scene.set);
    const layer = (step) => layers[layers.indexOf(head.layer) + step];
    const next = {
      ArrowRight: () => cells[at + 1],
      ArrowLeft: () => cells[at - 1],
      ArrowDown: () => inLayer(layer(1), head.head),
      ArrowUp: () => inLayer(layer(-1), head.head),
    }[event.key]?.();
    if (!event.key.startsWith('Arrow')) return;
    event.preventDefault();
    event.stopPropagation();
    if (!next) return;
    cells[at].button.tabIndex = -1;
    next.button.tabIndex = 0;
    next.button.focus();
  });

  return {
    update(next, changed) {
      const fresh = !scene || changed.has('source');
      scene = next;
      if (fresh) build();
      if (fresh || changed.has('palette'))
        for (const cell of cells) paintThumbnail(cell.canvas, cell.head, scene.mapPalette);
      mark();
    },
  };
}
