// SPDX-License-Identifier: Apache-2.0
// The matrix as a table for screen readers: all weights of a small one, the heaviest of each target in a large one.
import { heaviest, valueAt, weightText } from 'heed/view.js';

const kCells = 3000; // of a table that has them all
const kRows = 300;
const kHeaviest = 5;

function cell(kind, text) {
  const element = document.createElement(kind);
  element.textContent = text;
  if (kind === 'th') element.scope = 'row';
  return element;
}

function line(cells) {
  const row = document.createElement('tr');
  row.append(...cells);
  return row;
}

function fill(table, view, caption) {
  const { rows, columns } = view;
  const title = document.createElement('caption');
  const head = document.createElement('thead');
  const body = document.createElement('tbody');
  const whole = rows.length * columns.length <= kCells;
  title.textContent = whole ? caption : `${caption}: the ${kHeaviest} heaviest sources of each target`;
  const names = whole
    ? columns.map((group) => group.text)
    : Array.from({ length: kHeaviest }, (_, i) => `rank ${i + 1}`);
  head.append(line([cell('td', ''), ...names.map((name) => cell('th', name))]));
  for (const th of head.querySelectorAll('th')) th.scope = 'col';
  rows.slice(0, whole ? rows.length : kRows).forEach((group, r) => {
    const cells = whole
      ? columns.map((_, c) => weightText(valueAt(view, r, c), view.floor))
      : heaviest(view, r, 1, kHeaviest).map((c) => `${columns[c].text} ${weightText(valueAt(view, r, c), view.floor)}`);
    body.append(line([cell('th', group.text), ...cells.map((text) => cell('td', text))]));
  });
  table.replaceChildren(title, head, body);
}

// Filled when the browser has time: nothing waits for it.
export function createTable({ table }) {
  const idle = window.requestIdleCallback ?? ((call) => setTimeout(call, 50));
  const cancel = window.cancelIdleCallback ?? clearTimeout;
  let waiting = null;
  return {
    update(scene, changed) {
      if (!changed.has('view')) return;
      if (waiting !== null) cancel(waiting);
      waiting = idle(() => {
        waiting = null;
        fill(table, scene.view, scene.caption);
      });
    },
  };
}
