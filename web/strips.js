// SPDX-License-Identifier: Apache-2.0
// Strips of explanations: the words once for each explainer, coloured by what speaks for and what speaks against; a click
// on its name opens it.
import { createPalette, cssColour, inkOn } from 'heed/colour.js';
import { isSigned, methodOf, signedWeights, stripOf } from 'heed/data.js';
import { chosenRow } from 'heed/text.js';
import { buildView, isRightToLeft, weightText } from 'heed/view.js';

const kAsIs = { merge: false, hideSpecial: false, normalise: 'none' };

// The shares of one row, or their mean over all rows; masked where no row has any.
function sharesOf(view, row) {
  return view.columns.map((_, c) => {
    const cells = view.rows.map((__, r) => view.values[r * view.columns.length + c]);
    if (row !== null) return cells[row];
    const seen = cells.filter((cell) => cell === cell);
    return seen.length > 0 ? seen.reduce((sum, cell) => sum + cell, 0) / cells.length : NaN;
  });
}

export function createStrips({ section, list, weightsOf, choose }) {
  let strips = []; // of the example: {at, name, view, chips}
  let looks = '';

  function build({ example }) {
    strips = [];
    list.replaceChildren();
    example.attentions.forEach((set, at) => {
      if (!isSigned(set)) return;
      const view = buildView(signedWeights(set, weightsOf), stripOf(example, set.queries), stripOf(example, set.keys), kAsIs);
      const name = document.createElement('button');
      name.type = 'button';
      name.className = 'strip-name';
      name.textContent = methodOf(set);
      name.addEventListener('click', () => choose(at));
      const words = document.createElement('div');
      words.className = 'chips strip';
      words.dir = isRightToLeft(view.columns) ? 'rtl' : 'ltr';
      const chips = view.columns.map((group) => {
        const chip = document.createElement('span');
        chip.className = 'chip';
        chip.dir = 'auto';
        chip.textContent = group.label;
        return chip;
      });
      words.append(...chips);
      list.append(name, words);
      strips.push({ at, name, view, chips });
    });
    section.hidden = strips.length === 0;
  }

  function paint(scene) {
    const { values, dark } = scene;
    for (const { at, name, view, chips } of strips) {
      name.setAttribute('aria-pressed', String(at === values.set));
      const row = view.rows.length === scene.view.rows.length ? chosenRow(scene) : null;
      const shares = sharesOf(view, view.rows.length === 1 ? 0 : row);
      const range = shares.reduce((high, share) => (Math.abs(share) > high ? Math.abs(share) : high), 0);
      const palette = createPalette({ colours: values.colours, dark, range, gamma: values.gamma, threshold: 0, signed: true });
      chips.forEach((chip, i) => {
        const share = shares[i];
        const filled = Math.abs(share) > 0;
        const colour = palette.colourOf(share);
        chip.classList.toggle('masked', share !== share);
        chip.classList.toggle('zero', share === 0);
        chip.style.background = filled ? cssColour(colour) : '';
        chip.style.color = filled ? inkOn(colour) : '';
        chip.title = weightText(share);
      });
    }
  }

  return {
    update(scene, changed) {
      if (changed.has('example') || changed.has('source')) build(scene);
      if (strips.length === 0) return;
      // What the mouse is over changes often, and mostly nothing here.
      const look = JSON.stringify([scene.values.set, scene.values.colours, scene.values.gamma, scene.dark, scene.values.example, chosenRow(scene)]);
      if (look === looks && !changed.has('source')) return;
      looks = look;
      paint(scene);
    },
  };
}
