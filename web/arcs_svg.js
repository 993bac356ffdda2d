// SPDX-License-Identifier: Apache-2.0
// The arcs as a still picture.
import { byWeight, innerHeight, kFromAbove, kGround, kHead, kHeight, strokeOf } from 'heed/arcs_layout.js';
import { cssColour } from 'heed/colour.js';
import { escaped } from 'heed/save.js';

function archPath(arch, palette) {
  const { colour, width, opacity, dashes } = strokeOf(arch, palette);
  const y = kGround - kHead + 1;
  const inner = innerHeight(arch);
  const line = arch.root
    ? `M${arch.from} ${kGround - kFromAbove}V${y}`
    : `M${arch.from} ${kGround}C${arch.from} ${inner} ${arch.to} ${inner} ${arch.to} ${y}`;
  const dash = dashes.length > 0 ? ` stroke-dasharray="${dashes}"` : '';
  const head = `M${arch.to} ${kGround}l${-kHead / 2} ${-kHead}h${kHead}z`;
  const css = cssColour(colour);
  return [
    `<path class="arc" d="${line}" fill="none" stroke="${css}" stroke-width="${width}" opacity="${opacity}"${dash}/>`,
    `<path d="${head}" fill="${css}" opacity="${opacity}"/>`,
  ];
}

export function toArcsSvg({ view, palette, caption, dark, values }, { words, arches, total }) {
  const height = kHeight + 26;
  const ink = dark ? '#e9e7e2' : '#1d1f24';
  const gray = values.colours === 'gray';
  const paper = dark ? '#15171b' : '#ffffff';
  const middle = `text-anchor="middle" dominant-baseline="middle" fill="${ink}"`;
  const text = (label, x, y, more = '') => `<text x="${x}" y="${y}" ${middle}${more}>${escaped(label)}</text>`;
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${total} ${height}" width="${total}" height="${height}"`,
    ' font-family="sans-serif" font-size="13">',
    `<title>${escaped(caption)}</title>`,
    `<rect width="${total}" height="${height}" fill="${paper}"/>`,
  ];
  if (gray) parts.push(`<rect width="${total}" height="${kGround}" fill="${cssColour(palette.grounds.paper)}"/>`);
  for (const arch of [...arches].sort(byWeight)) {
    parts.push(...archPath(arch, palette));
    if (arch.root) {
      const { opacity } = strokeOf(arch, palette);
      const on = gray ? ' style="fill:#ffffff"' : '';
      parts.push(text('root', arch.to, kGround - kFromAbove - 8, ` font-size="11" opacity="${0.8 * opacity}"${on}`));
    }
  }
  view.columns.forEach((group, i) => parts.push(text(group.text, words[i].x, kGround + 19)));
  parts.push(`<text x="12" y="${height - 12}" fill="${ink}" font-size="12">${escaped(caption)}</text>`, '</svg>');
  return parts.join('\n');
}
