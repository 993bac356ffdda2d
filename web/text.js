// SPDX-License-Identifier: Apache-2.0
// The text: source words as chips, coloured by what the chosen target gave them; target words as buttons that choose.
import { cssColour, inkOn } from 'heed/colour.js';
import { isRightToLeft, valueAt, weightText } from 'heed/view.js';

// The row that colours the source: under the mouse, pinned, or of the step; null: the mean of all.
export function chosenRow({ cursor, pinned, step }) {
  if (cursor && cursor.row !== null) return cursor.row;
  if (pinned) return pinned.row;
  return step > 0 ? step - 1 : null;
}

// Weights of all sources for a row, or their mean over all rows.
export function sourceWeights(view, row) {
  if (row !== null) return view.columns.map((_, c) => valueAt(view, row, c));
  const rows = Math.max(1, view.rows.length);
  return view.columns.map((_, c) => view.columnSums[c] / rows);
}

export function createText({ sources, targets, note, actions }) {
  let scene = null;
  let chips = [];
  let buttons = [];
  let looks = []; // of chips and buttons, as they are painted
  let pressed = [];

  function build() {
    sources.dir = isRightToLeft(scene.view.columns) ? 'rtl' : 'ltr';
    targets.dir = isRightToLeft(scene.view.rows) ? 'rtl' : 'ltr';
    chips = scene.view.columns.map((group) => {
      const chip = document.createElement('span');
      chip.className = 'chip';
      chip.dir = 'auto';
      chip.textContent = group.label;
      return chip;
    });
    looks = [];
    pressed = [];
    sources.replaceChildren(...chips);
    buttons = scene.view.rows.map((group, row) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'word';
      button.dir = 'auto';
      button.textContent = group.label;
      button.addEventListener('click', () => actions.pinRow(row));
      return button;
    });
    targets.replaceChildren(...buttons);
  }

  function paint() {
    const row = chosenRow(scene);
    const weights = sourceWeights(scene.view, row);
    const most = weights.reduce((high, weight) => (Math.abs(weight) > high ? Math.abs(weight) : high), 0);
    // A mean is pale beside single weights: it is shown against its own largest.
    const scale = row === null && most > 0 ? scene.palette.range / most : 1;
    const underline = scene.chips === 'underline';
    chips.forEach((chip, i) => {
      const weight = weights[i];
      const colour = scene.palette.colourOf(weight * scale);
      const look = `${underline} ${weight} ${colour}`;
      if (looks[i] === look) return; // thousands of words: only those that change are touched
      looks[i] = look;
      chip.classList.toggle('masked', weight !== weight);
      chip.classList.toggle('zero', weight === 0);
      chip.classList.toggle('underline', underline);
      const filled = !underline && Math.abs(weight) > 0;
      const lined = underline && Math.abs(weight) > 0;
      chip.style.background = filled ? cssColour(colour) : '';
      chip.style.color = filled ? inkOn(colour) : '';
      const thickness = 1.5 + 5 * Math.min(1, (Math.abs(weight) * scale) / scene.palette.range);
      chip.style.borderBottomWidth = lined ? `${thickness}px` : '';
      chip.style.borderBottomColor = lined ? cssColour(colour) : '';
      chip.title = weightText(weight, row === null ? 0 : scene.view.floor);
    });
    const pinned = scene.pinned?.row ?? -1;
    buttons.forEach((button, i) => {
      const hidden = scene.step > 0 && i >= scene.step;
      const stop = i === Math.max(0, pinned);
      const look = `${i === pinned} ${i === row} ${hidden} ${stop}`;
      if (pressed[i] === look) return;
      pressed[i] = look;
      button.setAttribute('aria-pressed', String(i === pinned));
      button.classList.toggle('now', i === row);
      button.hidden = hidden;
      button.tabIndex = stop ? 0 : -1;
    });
    note.textContent = row === null ? 'mean over all targets' : `weights of “${scene.view.rows[row].label}”`;
  }

  // One stop for Tab, arrows between the words.
  targets.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const at = buttons.indexOf(document.activeElement);
    if (step === undefined || at < 0) return;
    event.preventDefault();
    event.stopPropagation();
    const next = buttons[at + step];
    if (!next || next.hidden) return;
    buttons[at].tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });

  return {
    update(next, changed) {
      const fresh = !scene || changed.has('view');
      scene = next;
      if (fresh) build();
      paint();
    },
  };
}
