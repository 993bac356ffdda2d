// SPDX-License-Identifier: Apache-2.0
// The links: two rows of words joined by curves, those that hold most of each target's weight.
import { cssColour } from 'heed/colour.js';
import { heaviest, valueAt } from 'heed/view.js';

const kGap = 14; // between words
const kMost = 24; // curves of one target: more cannot be told apart
const kHeight = 210;
const kRightToLeft = /^[^\p{L}]*[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

// Words side by side in reading order: [{middle, width}], and the width of all.
function laidOut(groups, measure) {
  const widths = groups.map((group) => Math.min(160, Math.max(10, measure(group.label))));
  const total = widths.reduce((sum, width) => sum + width + kGap, kGap);
  const backwards = groups.filter((group) => kRightToLeft.test(group.text)).length > groups.length / 2;
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
    const total = Math.max(sources.total, targets.total, frame.clientWidth);
    // The shorter row stands in the middle of the longer one.
    const centred = ({ places, total: own }) => places.map((place) => ({ ...place, middle: place.middle + (total - own) / 2 }));
    layout = { sources: centred(sources), targets: centred(targets), total };
    spacer.style.width = `${total}px`;
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
    const offset = frame.scrollLeft;
    const seen = ({ middle, width: wide }) => middle + wide / 2 >= offset && middle - wide / 2 <= offset + width;
    const top = 26;
    const bottom = kHeight - 26;

    // One target or source alone when the mouse or keyboard is on it, else all, the pinned one in front.
    const only = scene.cursor;
    const pinned = scene.pinned;
    const links = [];
    for (let r = 0; r < rowsShown(); ++r) {
      if (only && only.row !== null && only.row !== r) continue;
      const target = layout.targets[r];
      for (const c of heaviest(scene.view, r, scene.mass / 100, kMost)) {
        if (only && only.row === null && only.column !== null && only.column !== c) continue;
        const source = layout.sources[c];
        if (!seen(target) && !seen(source)) continue;
        links.push({ from: target.middle - offset, to: source.middle - offset, value: valueAt(scene.view, r, c), strong: pinned?.row === r });
      }
    }
    links.sort((a, b) => a.strong - b.strong || a.value - b.value);
    for (const { from, to, value, strong } of links) {
      const share = Math.min(1, value / scene.palette.range);
      context.strokeStyle = strong ? ink('--accent') : cssColour(scene.palette.colourOf(Math.max(value, scene.palette.range * 0.25)));
      context.globalAlpha = only || strong ? 0.95 : 0.25 + 0.65 * share;
      context.lineWidth = 0.8 + 4.2 * share;
      context.beginPath();
      context.moveTo(from, bottom - 12);
      context.bezierCurveTo(from, (top + bottom) / 2, to, (top + bottom) / 2, to, top + 12);
      context.stroke();
    }
    context.globalAlpha = 1;
    if (scene.gold) paintGold(offset, top, bottom);
    paintWords(scene.view.columns, layout.sources, { y: top, mark: only?.column ?? pinned?.column, offset, seen });
    paintWords(scene.view.rows.slice(0, rowsShown()), layout.targets, { y: bottom, mark: only?.row ?? pinned?.row, offset, seen });
  }

  function paintGold(offset, top, bottom) {
    context.strokeStyle = ink('--gold');
    context.lineWidth = 1.5;
    context.setLineDash([2, 4]);
    for (const { row, column } of scene.gold) {
      if (row >= rowsShown() || (scene.cursor && scene.cursor.row !== null && scene.cursor.row !== row)) continue;
      context.beginPath();
      context.moveTo(layout.targets[row].middle - offset, bottom - 12);
      context.lineTo(layout.sources[column].middle - offset, top + 12);
      context.stroke();
    }
    context.setLineDash([]);
  }

  function paintWords(groups, places, { y, mark, offset, seen }) {
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    groups.forEach((group, i) => {
      if (!seen(places[i])) return;
      context.font = font(i === mark ? 600 : 400);
      context.fillStyle = i === mark ? ink('--accent') : group.special ? ink('--muted') : ink('--ink');
      context.fillText(group.label, places[i].middle - offset, y, 160);
    });
  }

  function wordAt(event) {
    const box = canvas.getBoundingClientRect();
    const x = event.clientX - box.left + frame.scrollLeft;
    const y = event.clientY - box.top;
    const nearest = (places) => places.findIndex(({ middle, width }) => Math.abs(x - middle) <= width / 2 + kGap / 2);
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
