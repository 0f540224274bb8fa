// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Writes .gz and .br beside each compressible file of dist and prints the sizes.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const dist = join(dirname(dirname(fileURLToPath(import.meta.url))), 'dist');
const compressible = new Set(['.html', '.js', '.css', '.svg', '.json', '.txt', '.webmanifest']);
const kMinBytes = 256;

function* files(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* files(path);
    else yield path;
  }
}

const rows = [];
for (const path of [...files(dist)].sort()) {
  const name = relative(dist, path);
  if (/\.(gz|br)$/.test(name)) continue;
  const bytes = readFileSync(path);
  if (!compressible.has(extname(path)) || bytes.length < kMinBytes) {
    rows.push({ name, raw: bytes.length, br: bytes.length });
    continue;
  }
  if (extname(path) === '.js' && /new Function\(|\beval\(/.test(bytes.toString('utf8'))) {
    console.error(`${name} builds code from text, which the page's policy forbids.`);
    process.exit(1);
  }
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
  const br = brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
  writeFileSync(`${path}.br`, br);
  rows.push({ name, raw: bytes.length, br: statSync(`${path}.br`).size });
}

const kib = (n) => `${(n / 1024).toFixed(1)} KiB`.padStart(11);
for (const row of rows) console.log(`${kib(row.raw)} ${kib(row.br)}  ${row.name}`);
const total = rows.reduce((sum, row) => sum + row.br, 0);
console.log(`${' '.repeat(11)} ${kib(total)}  total over the wire (brotli)`);
