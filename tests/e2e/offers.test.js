// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Short runs of the commands of README.md and `make help` that no other test runs.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const kRoot = fileURLToPath(new URL('../../', import.meta.url));
const kParley = join(process.env.PARLEY_BIN_DIR, 'parley');
const kParts = [
  'format',
  'house',
  'unit',
  'conformance',
  'app',
  'kill',
  'web',
  'mcp',
  'hook',
  'comfyui',
  'e2e',
  'desktop',
  'asan',
  'pictures',
  'cluster',
  'attack',
  'soak',
  'release',
  'bench',
  'fuzz',
  'tsan',
  'lint',
];

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
  for (const target of [...targets, ...kParts.map((part) => `test-${part}`)]) {
    const plan = run('make', ['-n', target], { cwd: kRoot }).stdout;
    for (const [, script] of plan.matchAll(/(?:^|[\s;])(scripts\/[\w-]+)/gm)) {
      assert.ok(existsSync(join(kRoot, script)), `make ${target} runs ${script}`);
    }
  }
  const script = readFileSync(join(kRoot, 'scripts/test'), 'utf8');
  const parts = ['test', 'deep'].flatMap((name) => new RegExp(`^${name}=\\((.*)\\)$`, 'm').exec(script)[1].split(' '));
  assert.deepEqual(parts.sort(), kParts.toSorted(), 'make test-all runs every part that has a target');
});

test(
  'the first runs of the README work',
  inFolder((folder) => {
    const readme = readFileSync(join(kRoot, 'README.md'), 'utf8');
    const [, message] = /^parley run "(.*)"$/m.exec(readme);
    writeFileSync(join(folder, 'notes.txt'), 'The till opens at nine.\n');
    const home = join(folder, 'home');
    mkdirSync(home);
    const options = { cwd: folder, env: fresh(home) };
    assert.match(run(kParley, ['run', message], options).stdout, /The till opens at nine\.[^]*notes\.txt/);
    assert.match(run(kParley, ['run', '--agent', 'tot', message], options).stdout, /The till opens at nine/);
  }),
);

test(
  'make demo-study and the study commands work',
  inFolder((folder) => {
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
  }),
);
