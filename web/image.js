// SPDX-License-Identifier: Apache-2.0
// The image whose regions are attended to: heat over it for the chosen target, and the path of the steps.
import { cssColour } from 'heed/colour.js';
import { chosenRow, sourceWeights } from 'heed/text.js';
import { valueAt } from 'heed/view.js';

const kWidth = 280;
const kGold = '#35e06f'; // as in pictures: seen on dark and on light images
const kLook = '#ff4fa3';

// The region that a row looks at most.
function peak(view, row) {
  let best = -1;
  for (let c = 0; c < view.columns.length; ++c) {
    if (valueAt(view, row, c) > (best < 0 ? 0 : valueAt(view, row, best))) best = c;
  }
  return best;
}

export function createImage({ section, canvas, ink }) {
  const context = canvas.getContext('2d');
  let scene = null;
  let picture = null; // of the example it was made for
  let pictureOf = null;
  let scaleOf = {};

  function load() {
    if (pictureOf === scene.example) return;
    pictureOf = scene.example;
    picture = null;
    if (!scene.example.image?.png) return;
    const image = new Image();
    image.onload = () => {
      if (pictureOf !== scene.example) return;
      picture = image;
      draw();
    };
    image.src = `data:image/png;base64,${scene.example.image.png}`;
  }

  function draw() {
    const { rows, columns } = scene.example.image;
    const ratio = window.devicePixelRatio || 1;
    const height = Math.round(kWidth * (picture ? picture.height / picture.width : rows / columns) || kWidth);
    Object.assign(canvas, { width: kWidth * ratio, height: height * ratio });
    canvas.style.width = `${kWidth}px`;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = ink('--ground');
    context.fillRect(0, 0, kWidth, height);
    context.imageSmoothingEnabled = false;
    if (picture) context.drawImage(picture, 0, 0, kWidth, height);
    const width = kWidth / columns;
    const tall = height / rows;
    const weights = sourceWeights(scene.view, chosenRow(scene));
    const most = Math.max(largest(), ...weights.map((weight) => weight || 0)) || 1;
    const cells = document.createElement('canvas');
    Object.assign(cells, { width: columns, height: rows });
    const cell = cells.getContext('2d');
    scene.view.columns.forEach((group, c) => {
      const region = group.tokens[0];
      if (region >= rows * columns || !(weights[c] > 0)) return;
      const share = weights[c] / most;
      cell.globalAlpha = 0.12 + 0.6 * share;
      cell.fillStyle = cssColour(scene.palette.colourOf(scene.palette.range * share));
      cell.fillRect(region % columns, Math.floor(region / columns), 1, 1);
    });
    // Over a picture weights are upsampled bilinearly; on a plain ground the cells are all there is.
    context.imageSmoothingEnabled = picture !== null;
    context.drawImage(cells, 0, 0, kWidth, height);
    drawBoxes(scene.example.image.gold ?? [], kGold, height);
    const row = chosenRow(scene);
    drawBoxes((row !== null && scene.example.image.looks?.[row]) || [], kLook, height);
    if (scene.set.stepwise) drawPath(width, tall, height);
  }

  // Of all rows, so that steps can be compared.
  function largest() {
    if (scaleOf.view !== scene.view) {
      let most = 0;
      for (let row = 0; row < scene.view.rows.length; ++row) {
        for (let c = 0; c < scene.view.columns.length; ++c) most = Math.max(most, valueAt(scene.view, row, c) || 0);
      }
      scaleOf = { view: scene.view, most };
    }
    return chosenRow(scene) === null ? 0 : scaleOf.most; // a mean over rows has a scale of its own
  }

  // In shares of the image.
  function drawBoxes(boxes, colour, height) {
    context.strokeStyle = colour;
    context.lineWidth = 2;
    for (const [left, top, right, bottom] of boxes) {
      context.strokeRect(left * kWidth, top * height, (right - left) * kWidth, (bottom - top) * height);
    }
  }

  // Where a step looked: the middle of its box, or of the region it looked at most; null: nowhere.
  function placeOf(row, width, tall, height) {
    const { rows, columns, looks } = scene.example.image;
    const box = looks?.[row]?.[0];
    if (box) {
      const [left, top, right, bottom] = box;
      return [((left + right) / 2) * kWidth, ((top + bottom) / 2) * height];
    }
    const c = peak(scene.view, row);
    const region = c < 0 ? rows * columns : scene.view.columns[c].tokens[0];
    if (region >= rows * columns) return null;
    return [((region % columns) + 0.5) * width, (Math.floor(region / columns) + 0.5) * tall];
  }

  // From glimpse to glimpse, the numbers of its steps at each; glimpses have numbers for names.
  function drawPath(width, tall, height) {
    const steps = new Map(); // by place
    const last = scene.step > 0 ? scene.step : scene.view.rows.length;
    context.strokeStyle = ink('--accent');
    context.lineWidth = 2;
    context.beginPath();
    for (let row = 0; row < last; ++row) {
      const place = placeOf(row, width, tall, height);
      if (place === null) continue;
      context.lineTo(...place);
      const key = place.map(Math.round).join();
      const numbers = steps.get(key)?.numbers ?? [];
      steps.set(key, { place, numbers: [...numbers, scene.example.image.looks ? scene.view.rows[row].label : row + 1] });
    }
    context.stroke();
    context.font = `600 11px ${ink('--font')}`;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    for (const { place, numbers } of steps.values()) {
      const [x, y] = place;
      const text = numbers.length > 3 ? `${numbers[0]}…${numbers.at(-1)}` : numbers.join(' ');
      const half = Math.max(9, context.measureText(text).width / 2 + 5);
      context.fillStyle = ink('--accent');
      context.beginPath();
      context.roundRect(x - half, y - 9, 2 * half, 18, 9);
      context.fill();
      context.fillStyle = ink('--panel');
      context.fillText(text, x, y + 0.5);
    }
  }

  return {
    update(next) {
      scene = next;
      section.hidden = scene.example.image?.strip !== scene.set.keys;
      if (section.hidden) return;
      load();
      draw();
    },
  };
}
