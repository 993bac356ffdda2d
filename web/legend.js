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
        // From the strongest against to the strongest for; the two in the middle are the weakest there are.
        const signed = palette.range * (i < 127 ? (i - 127) / 127 : (i - 126) / 127);
        const colour = palette.signed ? palette.colourOf(signed) : palette.rgb[1 + Math.round((i / 253) ** gamma * 253)];
        context.fillStyle = cssColour(colour);
        context.fillRect(i, 0, 1, 1);
      }
      low.textContent = palette.signed ? `against ${weightText(-palette.range)}` : '0';
      high.textContent = palette.signed ? `${weightText(palette.range)} for` : weightText(palette.range);
      const { paper, masked, hatch } = palette.grounds;
      swatches.zero.style.background = cssColour(paper);
      swatches.tiny.style.background = cssColour(palette.rgb[1]);
      const stripes = `${cssColour(hatch)} 0 1.5px, ${cssColour(masked)} 1.5px 5px`;
      swatches.masked.style.background = `repeating-linear-gradient(135deg, ${stripes})`;
    },
  };
}
