// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Writes dist/licences.txt: the licences of everything that is bundled into the page.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'node_modules');
// Type declarations of libraries are no part of the page.
const kTypesOnly = /^@types\/|^csstype$|^typescript$/;

const found = new Map();
function visit(name) {
  const folder = join(modules, name);
  if (found.has(name) || kTypesOnly.test(name) || !existsSync(join(folder, 'package.json'))) return;
  const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file ? readFileSync(join(folder, file), 'utf8').trim() : `Licence: ${about.license}`;
  found.set(name, `${name} ${about.version} (${about.license})\n\n${text}\n`);
  Object.keys(about.dependencies ?? {}).forEach(visit);
}
Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).dependencies).forEach(visit);

const rule = `\n${'-'.repeat(80)}\n\n`;
writeFileSync(
  join(root, 'dist', 'licences.txt'),
  [...found.keys()]
    .sort()
    .map((it) => found.get(it))
    .join(rule),
);
