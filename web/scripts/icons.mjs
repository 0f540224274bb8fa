// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Draws the icons of the installed console from the mark, public/icons/*. Run by hand after a change of the mark;
// needs rsvg-convert (Debian: librsvg2-bin). The icons are committed.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), 'public', 'icons');
const kGround = '#f6f4ef';
const kInk = '#23201b';
// The arcs and the dot of src/attention/mark.ts, on a 24-pixel grid.
const kMark =
  '<path d="M8.6 3.8A9.4 9.4 0 0 0 8.6 20.2"/><path d="M15.4 3.8A9.4 9.4 0 0 1 15.4 20.2"/><circle cx="12" cy="12" r="3" fill="currentColor" stroke="none"/>';
const kLicence = '<!-- Copyright 2026 The Parley Authors; SPDX-License-Identifier: Apache-2.0 -->';

// `share`: fraction of the icon's width that the mark takes; `radius`: radius of the ground's corners; null: no ground.
function icon({ colour, radius, share }) {
  const scale = (512 * share) / 24;
  const offset = (512 - 24 * scale) / 2;
  const ground = radius === null ? '' : `<rect width="512" height="512" rx="${radius}" fill="${kGround}"/>`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512">${kLicence}${ground}` +
    `<g transform="translate(${offset} ${offset}) scale(${scale})" color="${colour}" fill="none" stroke="currentColor" stroke-width="2.8" stroke-linecap="round">${kMark}</g></svg>\n`
  );
}

function png(svg, size, name) {
  execFileSync('rsvg-convert', ['--width', String(size), '--height', String(size), '--output', join(folder, name)], {
    input: svg,
  });
}

mkdirSync(folder, { recursive: true });
const usual = icon({ colour: kInk, radius: 112, share: 0.66 });
// A platform may cut a maskable icon down to a circle of 80 % of its width.
const maskable = icon({ colour: kInk, radius: 0, share: 0.5 });
// Only the opacity of a badge is shown.
const badge = icon({ colour: '#ffffff', radius: null, share: 0.92 });
writeFileSync(join(folder, 'icon.svg'), usual);
for (const size of [192, 512]) {
  png(usual, size, `icon-${size}.png`);
  png(maskable, size, `maskable-${size}.png`);
}
png(usual, 180, 'apple-touch-icon.png');
png(badge, 96, 'badge-96.png');
