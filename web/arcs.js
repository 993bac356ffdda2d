// SPDX-License-Identifier: Apache-2.0
// The arcs: where a text looks at itself, its words with an arc from the head of each; resting on one leaves its own.
import {
  arcsOf,
  byWeight,
  innerHeight,
  kFromAbove,
  kGround,
  kHead,
  kHeight,
  layOutArcs,
  strokeOf,
} from 'heed/arcs_layout.js';
import { toArcsSvg } from 'heed/arcs_svg.js';
import { cssColour } from 'heed/colour.js';
import { isRightToLeft, weightText } from 'heed/view.js';

const kMostPixels = 16000; // of a saved picture's width

// A word's own arcs where it is pointed at; those of the matrix's row or of a source where these are.
function isShown(arch, cursor) {
  if (!cursor) return true;
  const { row, column } = cursor;
  if (row !== null && column === null) return arch.dependant === row || arch.head === row;
  return row !== null ? arch.dependant === row : column === null || arch.head === column;
}

// Arcs, then words, of what lies between `left` and `left` + `width` of the layout.
function paint(context, scene, layout, { left, width, ink }) {
  const { view, palette, cursor, pinned, step } = scene;
  const shown = step > 0 ? step : view.rows.length;
  const font = (weight) => `${weight} 13px ${ink('--font')}`;
  const ground = scene.values.colours === 'gray' ? cssColour(palette.grounds.paper) : ink('--panel');
  context.fillStyle = ink('--panel');
  context.fillRect(0, 0, width, kHeight);
  context.fillStyle = ground;
  context.fillRect(0, 0, width, kGround);
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  const seen = (from, to) => Math.max(from, to) >= left && Math.min(from, to) <= left + width;
  const arches = layout.arches.filter(
    (arch) =>
      arch.dependant < shown && arch.head < shown && isShown(arch, cursor) && seen(arch.from - 30, arch.to + 30),
  );
  for (const arch of arches.sort(byWeight)) {
    const stroke = strokeOf(arch, palette);
    const colour = pinned?.row === arch.dependant ? ink('--accent') : cssColour(stroke.colour);
    const [from, to] = [arch.from - left, arch.to - left];
    Object.assign(context, {
      strokeStyle: colour,
      fillStyle: colour,
      globalAlpha: stroke.opacity,
      lineWidth: stroke.width,
    });
    context.setLineDash(stroke.dashes);
    context.beginPath();
    if (arch.root) {
      context.moveTo(from, kGround - kFromAbove);
      context.lineTo(to, kGround - kHead + 1);
    } else {
      context.moveTo(from, kGround);
      context.bezierCurveTo(from, innerHeight(arch), to, innerHeight(arch), to, kGround - kHead + 1);
    }
    context.stroke();
    context.beginPath();
    context.moveTo(to, kGround);
    context.lineTo(to - kHead / 2, kGround - kHead);
    context.lineTo(to + kHead / 2, kGround - kHead);
    context.fill();
    if (!arch.root) continue;
    context.font = `11px ${ink('--font')}`;
    context.fillStyle = scene.values.colours === 'gray' ? '#ffffff' : ink('--muted');
    context.fillText('root', to, kGround - kFromAbove - 8);
  }
  context.globalAlpha = 1;
  context.setLineDash([]);
  const mark = cursor?.row ?? pinned?.row;
  view.columns.slice(0, shown).forEach((group, i) => {
    const { x, width: wide } = layout.words[i];
    if (!seen(x - wide / 2, x + wide / 2)) return;
    context.font = font(i === mark ? 600 : 400);
    context.fillStyle = i === mark ? ink('--accent') : group.special ? ink('--muted') : ink('--ink');
    context.fillText(group.label, x - left, kGround + 19, wide);
  });
}

export function createArcs({ section, frame, spacer, canvas, note, actions, ink }) {
  const context = canvas.getContext('2d');
  let scene = null;
  let layout = null;

  function layOut() {
    context.font = `600 13px ${ink('--font')}`; // the widest a word gets
    const measure = (text) => context.measureText(text).width;
    layout = layOutArcs(scene.view, arcsOf(scene.view, scene.values.threshold), measure);
    spacer.style.width = `${Math.max(layout.total, frame.clientWidth)}px`;
  }

  const left = () => (layout.total <= frame.clientWidth ? (layout.total - frame.clientWidth) / 2 : frame.scrollLeft);

  function draw() {
    const width = frame.clientWidth;
    if (width === 0) return;
    const ratio = window.devicePixelRatio || 1;
    Object.assign(canvas, { width: Math.round(width * ratio), height: Math.round(kHeight * ratio) });
    canvas.style.width = `${width}px`;
    canvas.style.height = `${kHeight}px`;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    paint(context, scene, layout, { left: left(), width, ink });
  }

  // "“cat” hangs on “sleeps” 0.800"
  function describe() {
    const word = scene.cursor?.row ?? scene.pinned?.row;
    if (word == null) return 'from the likeliest head of each word, dashed from others';
    const arc = layout.arches.find((each) => each.dependant === word);
    const name = `“${scene.view.rows[word].label}”`;
    if (!arc) return `${name} has no head`;
    const head = arc.root ? 'the root' : `“${scene.view.columns[arc.head].label}”`;
    return `${name} hangs on ${head} ${weightText(arc.value, scene.view.floor)}`;
  }

  function wordAt(event) {
    const box = canvas.getBoundingClientRect();
    const x = event.clientX - box.left + left();
    const row = layout.words.findIndex((word) => Math.abs(x - word.x) <= word.width / 2 + 9);
    const shown = scene.step > 0 ? scene.step : scene.view.rows.length;
    return event.clientY - box.top < kGround - kHead || row < 0 || row >= shown ? null : { row, column: null };
  }

  const point = (row) => {
    const { x, width } = layout.words[row];
    if (x - width / 2 < frame.scrollLeft) frame.scrollLeft = x - width;
    if (x + width / 2 > frame.scrollLeft + frame.clientWidth) frame.scrollLeft = x + width - frame.clientWidth;
    actions.hover({ row, column: null });
  };

  canvas.addEventListener('pointermove', (event) => layout && actions.hover(wordAt(event)));
  canvas.addEventListener('pointerleave', () => actions.hover(null));
  canvas.addEventListener('click', (event) => {
    const word = wordAt(event);
    if (word) actions.pinRow(word.row);
  });
  // Arrows go from word to word as the text is read, Enter pins.
  frame.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !layout) return;
    const last = (scene.step > 0 ? scene.step : scene.view.rows.length) - 1;
    const right = isRightToLeft(scene.view.columns) ? -1 : 1;
    const at = scene.cursor?.row ?? scene.pinned?.row ?? -1;
    const go = (step) => point(at < 0 ? 0 : Math.min(last, Math.max(0, at + step)));
    const action = {
      ArrowRight: () => go(right),
      ArrowLeft: () => go(-right),
      Home: () => point(0),
      End: () => point(last),
      Enter: () => at >= 0 && actions.pinRow(at),
    }[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  });
  frame.addEventListener('blur', () => actions.hover(null));
  frame.addEventListener('scroll', () => layout && draw(), { passive: true });
  new ResizeObserver(() => {
    if (!layout) return;
    layOut();
    draw();
  }).observe(frame);

  return {
    update(next, changed) {
      scene = next;
      section.hidden = scene.set.queries !== scene.set.keys;
      if (section.hidden) {
        layout = null;
        return;
      }
      if (!layout || changed.has('view') || changed.has('threshold')) layOut();
      note.textContent = describe();
      draw();
    },
    svg: () => toArcsSvg(scene, layout),
    // All of it, also what is out of view.
    png(done) {
      const picture = document.createElement('canvas');
      const ratio = Math.min(2, kMostPixels / layout.total);
      Object.assign(picture, { width: Math.round(layout.total * ratio), height: Math.round(kHeight * ratio) });
      const pen = picture.getContext('2d');
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      paint(pen, { ...scene, cursor: null }, layout, { left: 0, width: layout.total, ink });
      picture.toBlob(done, 'image/png');
    },
  };
}
