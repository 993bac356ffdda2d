// SPDX-License-Identifier: Apache-2.0
// The links: two rows of words joined by curves, those that hold most of each target's weight.
import { cssColour } from 'heed/colour.js';
import { heaviest, isRightToLeft, valueAt } from 'heed/view.js';

const kGap = 14; // between words
const kMost = 24; // curves of one target: more cannot be told apart
const kWhole = 300; // targets beyond which only those in view are asked for their heaviest sources
const kHeight = 210;

// Words side by side in reading order: [{middle, width}], and the width of all.
function laidOut(groups, measure) {
  const widths = groups.map((group) => Math.min(160, Math.max(10, measure(group.label))));
  const total = widths.reduce((sum, width) => sum + width + kGap, kGap);
  const backwards = isRightToLeft(groups);
  let x = kGap;
  const places = widths.map((width) => {
    const middle = x + width / 2;
    x += width + kGap;
    return { middle: backwards ? total - middle : middle, width };
  });
  return { places, total };
}

export function createLinks({ frame, spacer, canvas, actions, ink }) {
  const context = canvas.getContext('2d');
  let scene = null;
  let layout = null;

  const font = (weight = 400) => `${weight} 13px ${ink('--font')}`;

  function layOut() {
    context.font = font(600); // the widest a word gets
    const measure = (text) => context.measureText(text).width;
    const sources = laidOut(scene.view.columns, measure);
    const targets = laidOut(scene.view.rows, measure);
    layout = { sources, targets, total: Math.max(sources.total, targets.total, frame.clientWidth) };
    spacer.style.width = `${layout.total}px`;
  }

  // A row of words as it lies on the canvas: [{x, width}]. One that fits stays in the middle while the other scrolls.
  function placed({ places, total }) {
    const width = frame.clientWidth;
    const shift = total <= width ? (width - total) / 2 : (layout.total - total) / 2 - frame.scrollLeft;
    return places.map((place) => ({ x: place.middle + shift, width: place.width }));
  }

  const rowsShown = () => (scene.step > 0 ? scene.step : scene.view.rows.length);

  function draw() {
    const ratio = window.devicePixelRatio || 1;
    const width = frame.clientWidth;
    if (width === 0) return;
    Object.assign(canvas, { width: Math.round(width * ratio), height: Math.round(kHeight * ratio) });
    canvas.style.width = `${width}px`;
    canvas.style.height = `${kHeight}px`;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = ink('--panel');
    context.fillRect(0, 0, width, kHeight);
    const sources = placed(layout.sources);
    const targets = placed(layout.targets);
    const seen = ({ x, width: wide }) => x + wide / 2 >= 0 && x - wide / 2 <= width;
    const top = 26;
    const bottom = kHeight - 26;
    if (scene.values.colours === 'gray') {
      // Its weight of one is white, which is not seen on a light panel.
      context.fillStyle = cssColour(scene.palette.grounds.paper);
      context.fillRect(0, top + 12, width, bottom - top - 24);
    }

    // One target or source alone when the mouse or keyboard is on it, else all, the pinned one or that of the step in front.
    const only = scene.cursor;
    const pinned = scene.pinned;
    const front = pinned?.row ?? scene.step - 1;
    const links = [];
    for (let r = 0; r < rowsShown(); ++r) {
      if (only && only.row !== null && only.row !== r) continue;
      const target = targets[r];
      if (rowsShown() > kWhole && !seen(target)) continue;
      for (const c of heaviest(scene.view, r, scene.mass / 100, kMost)) {
        if (only && only.row === null && only.column !== null && only.column !== c) continue;
        const source = sources[c];
        if (!seen(target) && !seen(source)) continue;
        links.push({ from: target.x, to: source.x, value: valueAt(scene.view, r, c), strong: front === r });
      }
    }
    // Hundreds of curves are thinner and paler, or they would run into one.
    const room = Math.max(0.2, Math.min(1, 80 / links.length));
    links.sort((a, b) => a.strong - b.strong || a.value - b.value);
    for (const { from, to, value, strong } of links) {
      const share = Math.min(1, value / scene.palette.range);
      context.strokeStyle = strong
        ? ink('--accent')
        : cssColour(scene.palette.colourOf(Math.max(value, scene.palette.range * 0.25)));
      context.globalAlpha = only || strong ? 0.95 : (0.25 + 0.65 * share) * Math.sqrt(room);
      context.lineWidth = 0.8 + 4.2 * share * room;
      context.beginPath();
      context.moveTo(from, bottom - 12);
      context.bezierCurveTo(from, (top + bottom) / 2, to, (top + bottom) / 2, to, top + 12);
      context.stroke();
    }
    context.globalAlpha = 1;
    if (scene.gold) paintGold({ sources, targets, top, bottom });
    paintWords(scene.view.columns, sources, { y: top, mark: only?.column ?? pinned?.column, seen });
    paintWords(scene.view.rows.slice(0, rowsShown()), targets, { y: bottom, mark: only?.row ?? pinned?.row, seen });
  }

  function paintGold({ sources, targets, top, bottom }) {
    context.strokeStyle = ink('--gold');
    context.lineWidth = 1.5;
    context.setLineDash([2, 4]);
    for (const { row, column } of scene.gold) {
      if (row >= rowsShown() || (scene.cursor && scene.cursor.row !== null && scene.cursor.row !== row)) continue;
      context.beginPath();
      context.moveTo(targets[row].x, bottom - 12);
      context.lineTo(sources[column].x, top + 12);
      context.stroke();
    }
    context.setLineDash([]);
  }

  function paintWords(groups, places, { y, mark, seen }) {
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    groups.forEach((group, i) => {
      if (!seen(places[i])) return;
      context.font = font(i === mark ? 600 : 400);
      context.fillStyle = i === mark ? ink('--accent') : group.special ? ink('--muted') : ink('--ink');
      context.fillText(group.label, places[i].x, y, 160);
    });
  }

  function wordAt(event) {
    const box = canvas.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    const nearest = (row) => placed(row).findIndex((place) => Math.abs(x - place.x) <= place.width / 2 + kGap / 2);
    if (y < 48) {
      const column = nearest(layout.sources);
      return column < 0 ? null : { row: null, column };
    }
    if (y > kHeight - 48) {
      const row = nearest(layout.targets);
      return row < 0 || row >= rowsShown() ? null : { row, column: null };
    }
    return null;
  }

  canvas.addEventListener('pointermove', (event) => scene && actions.hover(wordAt(event)));
  canvas.addEventListener('pointerleave', () => actions.hover(null));
  canvas.addEventListener('click', (event) => {
    const word = wordAt(event);
    if (word?.row != null) actions.pinRow(word.row);
  });
  frame.addEventListener('scroll', () => scene && draw(), { passive: true });
  new ResizeObserver(() => {
    if (!scene) return;
    layOut();
    draw();
  }).observe(frame);

  return {
    update(next, changed) {
      const fresh = !scene || changed.has('view');
      scene = next;
      if (fresh) layOut();
      draw();
    },
  };
}
