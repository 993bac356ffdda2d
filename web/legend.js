// SPDX-License-Identifier: Apache-2.0
// The legend: the ramp with its numbers, and the looks of zero, tiny and masked.
import { cssColour } from 'heed/colour.js';
import { weightText } from 'heed/view.js';

export function createLegend({ ramp, low, high, swatches, gold }) {
  const context = ramp.getContext('2d');
  return {
    update({ palette, values, gold: links }, changed) {
      gold.hidden = !links;
      if (!changed.has('palette')) return;
      ramp.width = 254;
      ramp.height = 1;
      const { gamma } = values;
      for (let i = 0; i < 254; ++i) {
        context.fillStyle = cssColour(palette.rgb[1 + Math.round((i / 253) ** gamma * 253)]);
        context.fillRect(i, 0, 1, 1);
      }
      low.textContent = '0';
      high.textContent = weightText(palette.range);
      const { paper, masked, hatch } = palette.grounds;
      swatches.zero.style.background = cssColour(paper);
      swatches.tiny.style.background = cssColour(palette.rgb[1]);
      swatches.masked.style.background = `repeating-linear-gradient(135deg, ${cssColour(hatch)} 0 1.5px, ${cssColour(masked)} 1.5px 5px)`;
    },
  };
}
