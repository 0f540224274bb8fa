// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// run_tests.mjs [--at-once=N] [--first=NAME,NAME...]
//
// Runs the files *.test.js of the working folder, N at a time (default: one more than there are processors, because
// such tests mostly wait), those of --first (NAME.test.js, the slowest) before the others, and prints TAP. A test
// that fails is run once more by itself. If it then passes, the run passes, and "unstable: FILE: TEST" is printed
// and appended to the file that PARLEY_UNSTABLE names, so that the test is mended. More than kMostAgain failures are
// no accident: none of them is run again.
import { appendFileSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { run } from 'node:test';
import { tap } from 'node:test/reporters';
import { parseArgs } from 'node:util';

const kMostAgain = 5;
const kHungMs = 1_200_000; // of a file

const { values } = parseArgs({
  options: {
    'at-once': { type: 'string', default: String(availableParallelism() + 1) },
    first: { type: 'string', default: '' },
  },
});
const concurrency = Number(values['at-once']);
const first = values.first
  .split(',')
  .filter((name) => name !== '')
  .map((name) => `${name}.test.js`);
const all = readdirSync('.')
  .filter((name) => name.endsWith('.test.js'))
  .sort();
const unknown = first.filter((name) => !all.includes(name));
if (unknown.length > 0) throw new Error(`--first names ${unknown.join(', ')}, which is not there`);
if (all.length === 0) throw new Error('no *.test.js in this folder');

// Resolves to the failed tests as { file, name }; `name` is empty if the file itself failed.
function round(names, testNamePatterns) {
  return new Promise((resolve) => {
    const failed = [];
    let ran = 0;
    const events = run({
      files: names.map((name) => path.resolve(name)),
      concurrency,
      timeout: kHungMs,
      forceExit: true,
      testNamePatterns,
    });
    events.on('test:pass', ({ skip }) => (ran += skip === undefined ? 1 : 0));
    events.on('test:fail', ({ name, file, nesting }) => {
      ran += 1;
      if (nesting > 0) return; // the test around it fails as well
      const inFile = path.basename(file ?? name);
      failed.push({ file: inFile, name: path.resolve(name) === path.resolve(inFile) ? '' : name });
    });
    const lines = events.compose(tap);
    lines.on('end', () => resolve(ran > 0 ? failed : [{ file: names.join(', '), name: 'no test ran' }]));
    lines.pipe(process.stdout, { end: false });
  });
}

const exactly = (name) => [`/^${name.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')}$/`];

const broken = await round([...first, ...all.filter((name) => !first.includes(name))]);
const unstable = [];
if (broken.length <= kMostAgain) {
  for (const { file, name } of broken) {
    const again = await round([file], name === '' ? undefined : exactly(name));
    if (again.length === 0) unstable.push(`${file}: ${name || 'the whole file'}`);
  }
}
for (const name of unstable) {
  console.log(`unstable: ${name}`);
  if (process.env.PARLEY_UNSTABLE) appendFileSync(process.env.PARLEY_UNSTABLE, `${name}\n`);
}
process.exit(unstable.length === broken.length ? 0 : 1);
