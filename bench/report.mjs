// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// report.mjs ROWS_DIR OUT   merges the rows of all benchmarks into one file and prints them as a table.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const [folder, out] = process.argv.slice(2);
const rows = readdirSync(folder)
  .sort()
  .flatMap((name) => JSON.parse(readFileSync(path.join(folder, name), 'utf8')));
writeFileSync(out, `${JSON.stringify(rows, null, 2)}\n`);

const number = (value) =>
  value === undefined ? '' : value >= 1000 ? Math.round(value).toLocaleString('en') : Number(value.toPrecision(3));
const cells = rows.map((row) => [
  row.name,
  `${number(row.value)} ${row.unit}`,
  row.peer,
  `${number(row.peer_value)} ${row.unit}`,
  `${row.ratio.toFixed(2)} (${number(row.ratio_min)} to ${number(row.ratio_max)})`,
]);
console.log('| what | Parley | peer | peer’s | ratio (spread) |');
console.log('| --- | --- | --- | --- | --- |');
for (const row of cells) console.log(`| ${row.join(' | ')} |`);
console.error(`==> ${out}`);
