// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The lock of a data directory, held as by its server, for a file endpoint.json that a test writes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export async function holdLock(folder) {
  const holder = spawn('flock', ['--exclusive', join(folder, 'lock'), 'sh', '-c', 'echo held; exec cat'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(holder, 'exit');
  await Promise.race([once(holder.stdout, 'data'), ended.then(() => Promise.reject(new Error('flock has ended')))]);
  return {
    async release() {
      holder.stdin.end();
      await ended;
    },
  };
}
