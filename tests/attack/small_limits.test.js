// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Starts with too little address space: the server says so and ends with a code of its own, wherever in the
// start memory or threads run out.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';

const kNoMemory = 9;
// The exit code of the loader of programs: too little memory for the libraries.
const kNotLoaded = 127;
const kFirstKiB = 60_000;
const kLastKiB = 1_300_000;
const kStepKiB = 31_000;
const kPatienceMs = 20_000;

async function startWith(limitKiB) {
  const home = mkdtempSync(join(tmpdir(), 'parley-small-'));
  const args = [
    join(process.env.PARLEY_BIN_DIR, 'parley'),
    'serve',
    '--listen',
    '127.0.0.1:0',
    '--data',
    join(home, 'data'),
    '--token',
    'small-limits-test-token',
  ];
  const child = spawn('bash', ['-c', `ulimit -v ${limitKiB} && exec "$@"`, 'bash', ...args], {
    env: { PATH: process.env.PATH, HOME: home, LC_ALL: 'C.UTF-8' },
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (said += text));
  // Enough for a start: then it serves until it is told to end.
  child.stdout.setEncoding('utf8').on('data', (text) => text.startsWith('ready ') && child.kill('SIGTERM'));
  const late = setTimeout(() => child.kill('SIGKILL'), kPatienceMs);
  const [code, signal] = await once(child, 'close');
  clearTimeout(late);
  rmSync(home, { recursive: true, force: true });
  return { limitKiB, code, signal, said };
}

it('StartWithLittleAddressSpace_IsNamed_AndEndsWithItsCode', async () => {
  let named = 0;
  for (let limit = kFirstKiB; limit <= kLastKiB; limit += kStepKiB) {
    const { code, signal, said } = await startWith(limit);
    const what = `ulimit -v ${limit}: code ${code}, signal ${signal}: ${said.slice(-1_000)}`;
    assert.equal(signal, null, what);
    assert.ok([0, kNoMemory, kNotLoaded].includes(code), what);
    if (code !== kNoMemory) continue;
    assert.match(said, /too little memory, address space or threads/, what);
    assert.match(said, /ulimit -v/, what);
    ++named;
  }
  assert.ok(named > 5, `${named} starts of this kind`);
});
