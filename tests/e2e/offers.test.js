// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Short runs of the commands of README.md and `make help` that no other test runs.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const kRoot = fileURLToPath(new URL('../../', import.meta.url));
const kParley = join(process.env.PARLEY_BIN_DIR, 'parley');
const kTests = ['format', 'house', 'unit', 'core', 'conformance', 'app', 'kill', 'attack', 'soak', 'web', 'mcp', 'hook', 'comfyui', 'e2e', 'desktop', 'bench', 'asan', 'tsan', 'fuzz', 'lint'];

// A test function with a temporary folder for `use`.
const inFolder = (use) => () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-offers-'));
  try {
    use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

// The environment of a user without settings of Parley.
const fresh = (home) => ({ PATH: process.env.PATH, HOME: home, LC_ALL: 'C.UTF-8' });

function run(command, args, options) {
  const ran = spawnSync(command, args, { encoding: 'utf8', ...options });
  assert.equal(ran.status, 0, `${command} ${args.join(' ')}\n${ran.stdout}${ran.stderr}`);
  return ran;
}

test('every target offered by make names existing programs', () => {
  const help = execFileSync('make', ['help'], { cwd: kRoot, encoding: 'utf8' });
  const targets = [...help.matchAll(/^([a-z-]+) {2,}/gm)].map(([, name]) => name).filter((name) => name !== 'make');
  assert.ok(targets.length > 10, help);
  for (const target of [...targets, ...kTests.map((part) => `test-${part}`)]) {
    const plan = run('make', ['-n', target], { cwd: kRoot }).stdout;
    for (const [, script] of plan.matchAll(/(?:^|[\s;])(scripts\/[\w-]+)/gm)) {
      assert.ok(existsSync(join(kRoot, script)), `make ${target} runs ${script}`);
    }
  }
  const parts = /^all=\((.*)\)$/m.exec(readFileSync(join(kRoot, 'scripts/test'), 'utf8'))[1].split(' ');
  // Not part of `all`: asan runs the tests of `unit`; `core` runs those of the basic rooms, built by g++.
  const inAll = kTests.filter((part) => part !== 'unit');
  assert.deepEqual([...parts].sort(), inAll.sort(), 'make test runs every part that has a target');
});

test('the first runs of the README work', inFolder((folder) => {
  const readme = readFileSync(join(kRoot, 'README.md'), 'utf8');
  const [, message] = /^parley run "(.*)"$/m.exec(readme);
  writeFileSync(join(folder, 'notes.txt'), 'The till opens at nine.\n');
  const home = join(folder, 'home');
  mkdirSync(home);
  const options = { cwd: folder, env: fresh(home) };
  assert.match(run(kParley, ['run', message], options).stdout, /The till opens at nine\.[^]*notes\.txt/);
  assert.match(run(kParley, ['run', '--agent', 'tot', message], options).stdout, /The till opens at nine/);
}));

test('make demo-study and the study commands work', inFolder((folder) => {
  const env = { ...fresh(folder), PARLEY_BIN_DIR: process.env.PARLEY_BIN_DIR, TMPDIR: folder };
  const demo = run('scripts/demo-study', ['--headless', '--seats', '2'], { cwd: kRoot, env });
  const [, data] = /parley study list --data (\S+)/.exec(demo.stderr);
  const study = (...words) => run(kParley, ['study', ...words, '--data', data], { env: fresh(folder) }).stdout;
  const [{ id }] = JSON.parse(study('list', '--json'));
  assert.match(study('list'), /demo-study/);
  assert.match(study('show', id), /demo-study/);
  study('verify', id);
  study('export', '--study', id, '--out', join(folder, 'demo.jsonl'));
  assert.match(readFileSync(join(folder, 'demo.jsonl'), 'utf8'), /tool\.call/);
}));

test('make pictures works', inFolder((folder) => {
  const images = join(folder, 'images');
  mkdirSync(images);
  const env = { ...process.env, PARLEY_PICTURES: images, PARLEY_PICTURE_FOLDER: join(folder, 'shop') };
  run(process.execPath, ['pictures.js'], { cwd: join(kRoot, 'tests/e2e'), env });
  // The pictures of the desktop program have a maker of their own (tests/desktop).
  const shown = readdirSync(join(kRoot, 'docs/images')).filter((name) => /\.(png|webp)$/.test(name) && !name.startsWith('desktop'));
  assert.deepEqual(readdirSync(images).sort(), shown.sort());
  for (const name of shown) {
    const bytes = readFileSync(join(images, name));
    assert.ok(name.endsWith('.png') ? bytes.subarray(1, 4).toString() === 'PNG' : bytes.subarray(8, 12).toString() === 'WEBP', name);
    assert.ok(bytes.length > 10_000, `${name} shows nothing`);
  }
}));
