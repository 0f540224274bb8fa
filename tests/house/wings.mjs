// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// The wings of src/ and the picture of them in docs/architecture.md. Run by itself, this file draws the picture.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const kPicture = 'docs/images/wings.svg';

// The wings, from above to below, with those that each may include, and its rooms.
export const kWings = {
  app: { includes: ['dialects', 'services', 'runtime', 'agents', 'identity', 'model', 'base'], rooms: 'cli server' },
  dialects: {
    includes: ['services', 'runtime', 'agents', 'identity', 'model', 'base'],
    rooms: 'assistant external_agent loom chat mcp_http api',
  },
  services: { includes: ['runtime', 'model', 'base'], rooms: 'search study booking notify front_end tailnet' },
  runtime: { includes: ['model', 'base'], rooms: 'run agent tool model graph stream demo_model comfyui' },
  identity: { includes: ['model', 'base'], rooms: 'oauth access accounts auth' },
  agents: { includes: ['base'], rooms: 'setup hook mcp' },
  model: { includes: ['base'], rooms: 'session event placement' },
  base: { includes: [], rooms: 'link net http_client certificate sql shell core' },
};

const kBox = { width: 222, height: 84 };
// The left upper corner of each box.
const kPlaces = {
  app: [249, 10],
  dialects: [249, 130],
  services: [15, 250],
  identity: [249, 310],
  agents: [483, 370],
  runtime: [15, 370],
  model: [132, 490],
  base: [249, 610],
};

// The arrows that do not follow from others: a wing may include each one that its arrows lead to.
export function arrows() {
  const through = (from, to) => kWings[from].includes.some((next) => next !== to && kWings[next].includes.includes(to));
  return Object.keys(kWings).flatMap((from) =>
    kWings[from].includes.filter((to) => !through(from, to)).map((to) => [from, to]),
  );
}

function box(name) {
  const [x, y] = kPlaces[name];
  const words = kWings[name].rooms.split(' ');
  const half = words.length > 3 ? Math.ceil(words.length / 2) : words.length;
  const lines = [words.slice(0, half), words.slice(half)]
    .filter((line) => line.length > 0)
    .map((line) => line.join(' '));
  const middle = x + kBox.width / 2;
  return [
    `<rect x="${x}" y="${y}" width="${kBox.width}" height="${kBox.height}" rx="8" fill="#eef2f7" stroke="#44546a"/>`,
    `<text x="${middle}" y="${y + 28}" font-size="17" font-weight="600">${name}</text>`,
    ...lines.map((line, at) => `<text x="${middle}" y="${y + 50 + 18 * at}" font-size="12">${line}</text>`),
  ];
}

// From the lower edge of one box to the upper edge of another one.
function arrow([from, to]) {
  const [fromX, fromY] = kPlaces[from];
  const [toX, toY] = kPlaces[to];
  const lean = Math.sign(toX - fromX) * kBox.width * 0.3;
  const start = [fromX + kBox.width / 2 + lean, fromY + kBox.height];
  const end = [toX + kBox.width / 2 - lean, toY - 3];
  return `<line x1="${start[0]}" y1="${start[1]}" x2="${end[0]}" y2="${end[1]}" stroke="#44546a" stroke-width="1.5" marker-end="url(#head)"/>`;
}

export function picture() {
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 704" width="720" height="704" font-family="sans-serif" text-anchor="middle" fill="#1c2733">',
    '<title>The wings of Parley: an arrow leads to what a wing may include</title>',
    '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" fill="#44546a"/></marker></defs>',
    '<rect width="720" height="704" fill="#fff"/>',
    ...arrows().map(arrow),
    ...Object.keys(kWings).flatMap(box),
    '</svg>',
    '',
  ].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(kPicture, picture());
