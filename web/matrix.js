// SPDX-License-Identifier: Apache-2.0
// The matrix: source across, target down, on a canvas that zooms and pans; a second canvas above it has the crosshair.
import { cssColour, inkOn } from 'heed/colour.js';
import { listenToPointer } from 'heed/pointer.js';
import { createPyramid, paint } from 'heed/pyramid.js';
import { cellText, slantOf, valueAt } from 'heed/view.js';

const kLargestCell = 46; // when all is shown
const kNumberWidth = 34; // of a cell that has room for its number
const kMarginal = 26; // of the bars beside the matrix
const kLabelGap = 12; // between labels, at least

const clamp = (value, low, high) => Math.min(Math.max(value, low), Math.max(low, high));

// Labels are left out where cells are narrower than a line of text.
const every = (size) => Math.max(1, Math.ceil(kLabelGap / size));

export function createMatrix({ frame, canvas, overlay, actions, ink }) {
  const context = canvas.getContext('2d');
  const above = overlay.getContext('2d');
  let scene = null;
  let pyramid = null;
  let area = null; // of the cells, in CSS pixels: left, top, width, height
  let fitted = null; // cell sizes at which all is shown
  let zoom = 1;
  let corner = { x: 0, y: 0 }; // of the shown part, in CSS pixels
  let ratio = 1;
  let widest = null; // labels, in pixels

  const font = (weight = 400) => `${weight} 12px ${ink('--font')}`;
  const sizes = () => ({ sx: fitted.sx * zoom, sy: fitted.sy * zoom });

  // Of the first few hundred: the rest is cut to the same width anyway.
  function widestLabel(groups) {
    context.font = font();
    return Math.max(18, ...groups.slice(0, 400).map((group) => context.measureText(group.label).width));
  }

  function layOut() {
    const { rows, columns } = scene.view;
    const width = Math.max(240, frame.clientWidth);
    const left = Math.ceil(Math.min(widest.rows, 130, width * 0.25) + 12);
    const room = { width: width - left - kMarginal - 30 };
    let sx = Math.min(kLargestCell, room.width / Math.max(1, columns.length));
    const upright = widest.columns <= sx - 4;
    const top = upright ? 22 : Math.ceil(Math.min(widest.columns, 120) * Math.sin(slantOf(sx * every(sx), kLabelGap)) + 22);
    room.height = clamp(window.innerHeight * 0.66, 320, 740) - top - kMarginal - 8;
    let sy = Math.min(kLargestCell, room.height / Math.max(1, rows.length));
    sx = Math.min(sx, 2.5 * sy);
    sy = Math.min(sy, 2.5 * sx);
    fitted = { sx, sy };
    area = {
      left,
      top,
      width: Math.min(room.width, Math.max(sx * columns.length, zoom > 1 ? room.width : 0)),
      height: Math.min(room.height, Math.max(sy * rows.length, zoom > 1 ? room.height : 0)),
    };
    const size = sizes();
    area.width = Math.min(area.width, size.sx * columns.length);
    area.height = Math.min(area.height, size.sy * rows.length);
    corner = {
      x: clamp(corner.x, 0, size.sx * columns.length - area.width),
      y: clamp(corner.y, 0, size.sy * rows.length - area.height),
    };
    ratio = window.devicePixelRatio || 1;
    for (const each of [canvas, overlay]) {
      const pixels = {
        width: Math.round(width * ratio),
        height: Math.round((top + area.height + kMarginal + 6) * ratio),
      };
      if (each.width !== pixels.width || each.height !== pixels.height) Object.assign(each, pixels);
      each.style.width = `${pixels.width / ratio}px`;
      each.style.height = `${pixels.height / ratio}px`;
    }
  }

  // Rows that a step slider has reached.
  const rowsShown = () => (scene.step > 0 ? scene.step : scene.view.rows.length);

  function paintCells() {
    const width = Math.round(area.width * ratio);
    const height = Math.round(area.height * ratio);
    if (width < 1 || height < 1) return;
    const image = context.createImageData(width, height);
    const { sx, sy } = sizes();
    paint(
      new Uint32Array(image.data.buffer),
      { width, height },
      {
        x: corner.x * ratio,
        y: corner.y * ratio,
        sx: sx * ratio,
        sy: sy * ratio,
        rowsShown: rowsShown(),
        hatch: 6 * ratio,
      },
      pyramid,
      scene.palette,
    );
    context.putImageData(image, Math.round(area.left * ratio), Math.round(area.top * ratio));
  }

  // The first and last cell that the area shows, on each axis.
  function shown() {
    const { sx, sy } = sizes();
    return {
      first: { row: Math.floor(corner.y / sy), column: Math.floor(corner.x / sx) },
      last: {
        row: Math.min(scene.view.rows.length - 1, Math.ceil((corner.y + area.height) / sy) - 1),
        column: Math.min(scene.view.columns.length - 1, Math.ceil((corner.x + area.width) / sx) - 1),
      },
    };
  }

  const xOf = (column) => area.left + column * sizes().sx - corner.x;
  const yOf = (row) => area.top + row * sizes().sy - corner.y;

  function paintGrid({ first, last }) {
    const { sx, sy } = sizes();
    context.strokeStyle = cssColour(scene.palette.grounds.paper);
    context.globalAlpha = 0.85;
    context.lineWidth = 1;
    context.beginPath();
    if (Math.min(sx, sy) >= 12) {
      for (let c = first.column + 1; c <= last.column; ++c) {
        context.moveTo(xOf(c), area.top);
        context.lineTo(xOf(c), area.top + area.height);
      }
      for (let r = first.row + 1; r <= last.row; ++r) {
        context.moveTo(area.left, yOf(r));
        context.lineTo(area.left + area.width, yOf(r));
      }
    }
    context.stroke();
    context.globalAlpha = 1;
    context.strokeStyle = ink('--line');
    context.strokeRect(area.left - 0.5, area.top - 0.5, area.width + 1, area.height + 1);
  }

  function paintNumbers({ first, last }) {
    const { sx, sy } = sizes();
    if (sx < kNumberWidth || sy < 16) return;
    context.font = `11px ${ink('--font')}`;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    for (let r = first.row; r <= Math.min(last.row, rowsShown() - 1); ++r) {
      for (let c = first.column; c <= last.column; ++c) {
        const value = valueAt(scene.view, r, c);
        if (!(Math.abs(value) > 0)) continue;
        context.fillStyle = inkOn(scene.palette.colourOf(value));
        context.fillText(cellText(value, scene.view.floor), xOf(c) + sx / 2, yOf(r) + sy / 2);
      }
    }
  }

  function clipped(x, y, width, height, draw) {
    context.save();
    context.beginPath();
    context.rect(x, y, width, height);
    context.clip();
    draw();
    context.restore();
  }

  function paintLabels({ first, last }) {
    const { sx, sy } = sizes();
    const { rows, columns } = scene.view;
    context.fillStyle = ink('--ink');
    context.font = font();
    context.textBaseline = 'middle';
    const start = (index, step) => Math.ceil(index / step) * step;
    context.textAlign = 'right';
    clipped(0, area.top - 6, area.left, area.height + 12, () => {
      for (let r = start(first.row, every(sy)); r <= last.row && r < rowsShown(); r += every(sy)) {
        context.fillText(rows[r].label, area.left - 7, yOf(r) + sy / 2, area.left - 8);
      }
    });
    clipped(area.left - 20, 0, canvas.width, area.top, () => {
      for (let c = start(first.column, every(sx)); c <= last.column; c += every(sx)) {
        const middle = xOf(c) + sx / 2;
        context.save();
        context.translate(middle, area.top - 7);
        if (widest.columns <= sx - 4) {
          context.textAlign = 'center';
        } else {
          context.textAlign = 'left';
          context.rotate(-slantOf(sx * every(sx), kLabelGap));
        }
        context.fillText(columns[c].label, 0, 0, 130);
        context.restore();
      }
    });
  }

  // How much each target gave out and each source got, as bars against the largest.
  function paintMarginals({ first, last }) {
    const { sx, sy } = sizes();
    const { rowSums, columnSums } = scene.view;
    const most = (sums) => sums.reduce((high, sum) => Math.max(high, sum), 0) || 1;
    const gap = (size) => (size > 5 ? 1 : 0);
    const length = kMarginal - 8;
    context.fillStyle = ink('--bar');
    const highest = { row: most(rowSums), column: most(columnSums) };
    clipped(area.left, area.top, area.width + kMarginal, area.height + kMarginal, () => {
      for (let r = first.row; r <= last.row && r < rowsShown(); ++r) {
        context.fillRect(
          area.left + area.width + 5,
          yOf(r) + gap(sy),
          (rowSums[r] / highest.row) * length,
          Math.max(0.5, sy - 2 * gap(sy)),
        );
      }
      for (let c = first.column; c <= last.column; ++c) {
        context.fillRect(
          xOf(c) + gap(sx),
          area.top + area.height + 5,
          Math.max(0.5, sx - 2 * gap(sx)),
          (columnSums[c] / highest.column) * length,
        );
      }
    });
  }

  // Gold links as frames in their cells: sure ones whole, possible ones broken.
  function paintGold() {
    if (!scene.gold) return;
    const { sx, sy } = sizes();
    context.lineWidth = 2;
    context.strokeStyle = ink('--gold');
    clipped(area.left, area.top, area.width, area.height, () => {
      for (const { row, column, sure } of scene.gold) {
        if (row >= rowsShown()) continue;
        context.setLineDash(sure ? [] : [3, 3]);
        context.strokeRect(xOf(column) + 1.5, yOf(row) + 1.5, Math.max(1, sx - 3), Math.max(1, sy - 3));
      }
    });
    context.setLineDash([]);
  }

  function draw() {
    layOut();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = ink('--panel');
    context.fillRect(0, 0, canvas.width, canvas.height);
    paintCells();
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const part = shown();
    paintGrid(part);
    paintNumbers(part);
    paintGold();
    paintLabels(part);
    paintMarginals(part);
    drawOverlay();
  }

  function drawOverlay() {
    above.setTransform(ratio, 0, 0, ratio, 0, 0);
    above.clearRect(0, 0, overlay.width, overlay.height);
    const { sx, sy } = sizes();
    above.save();
    above.beginPath();
    above.rect(0, 0, area.left + area.width, area.top + area.height);
    above.clip();
    const band = ({ row, column }, strength) => {
      above.strokeStyle = ink('--accent');
      above.globalAlpha = strength;
      above.lineWidth = 1;
      if (row !== null) above.strokeRect(area.left - 4, yOf(row) - 0.5, area.width + 4, sy + 1);
      if (column !== null) above.strokeRect(xOf(column) - 0.5, area.top - 4, sx + 1, area.height + 4);
      above.globalAlpha = 1;
    };
    if (scene.cursor) band(scene.cursor, 0.75);
    if (scene.pinned) {
      band(scene.pinned, 0.45);
      above.strokeStyle = ink('--accent');
      above.lineWidth = 2.5;
      above.strokeRect(xOf(scene.pinned.column), yOf(scene.pinned.row), Math.max(sx, 3), Math.max(sy, 3));
    }
    above.restore();
  }

  // The cell at a place of the canvas, or null.
  function cellAt(event) {
    const box = canvas.getBoundingClientRect();
    const x = event.clientX - box.left - area.left;
    const y = event.clientY - box.top - area.top;
    if (x < 0 || y < 0 || x >= area.width || y >= area.height) return null;
    const { sx, sy } = sizes();
    const row = Math.floor((y + corner.y) / sy);
    const column = Math.floor((x + corner.x) / sx);
    return row < rowsShown() && column < scene.view.columns.length ? { row, column } : null;
  }

  function zoomBy(factor, at = { x: area.left + area.width / 2, y: area.top + area.height / 2 }) {
    // Up to a cell of 80 pixels; never smaller than all of it.
    const next = clamp(zoom * factor, 1, 80 / Math.min(fitted.sx, fitted.sy));
    const grown = next / zoom;
    corner = {
      x: (corner.x + at.x - area.left) * grown - (at.x - area.left),
      y: (corner.y + at.y - area.top) * grown - (at.y - area.top),
    };
    zoom = next;
    draw();
  }

  function panBy(x, y) {
    corner = { x: corner.x + x, y: corner.y + y };
    draw();
  }

  listenToPointer(canvas, { ready: () => scene !== null, cellAt, panBy, zoomBy, ...actions });
  new ResizeObserver(() => scene && draw()).observe(frame);

  return {
    update(next, changed) {
      const fresh = !scene || changed.has('view') || changed.has('palette');
      const moved = !scene || changed.has('source');
      scene = next;
      if (fresh) {
        pyramid = createPyramid(scene.view, scene.palette);
        widest = { rows: widestLabel(scene.view.rows), columns: widestLabel(scene.view.columns) };
      }
      if (moved) {
        zoom = 1;
        corner = { x: 0, y: 0 };
      }
      if (fresh || moved || changed.has('theme') || changed.has('step') || changed.has('gold')) draw();
      else drawOverlay();
    },
    zoomBy,
    panBy,
    fit() {
      zoom = 1;
      draw();
    },
    // Brings a cell into the shown part.
    reveal({ row, column }) {
      const { sx, sy } = sizes();
      corner = {
        x: clamp(corner.x, (column + 1) * sx - area.width, column * sx),
        y: clamp(corner.y, (row + 1) * sy - area.height, row * sy),
      };
      draw();
    },
    // Where a cell is on the screen: its middle, for the tooltip and for tests.
    placeOf({ row, column }) {
      const box = canvas.getBoundingClientRect();
      const { sx, sy } = sizes();
      return { x: box.left + xOf(column) + sx / 2, y: box.top + yOf(row) + sy / 2 };
    },
    get zoom() {
      return zoom;
    },
    get corner() {
      return corner;
    },
    get area() {
      return area;
    },
  };
}
