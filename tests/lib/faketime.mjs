// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Programs whose wall clocks are wrong, by libfaketime. Their monotonic clocks are not.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const kLibraries = '/usr/lib'; // a folder for each architecture
const kShared = '/dev/shm';

function library() {
  const found = readdirSync(kLibraries)
    .map((folder) => join(kLibraries, folder, 'faketime', 'libfaketime.so.1'))
    .find((path) => existsSync(path));
  if (found === undefined) throw new Error('libfaketime is not installed');
  return found;
}

const preload = () => ({ LD_PRELOAD: library(), FAKETIME_DONT_FAKE_MONOTONIC: '1', FAKETIME_DONT_RESET: '1' });

// The setting of a clock that is off by so many seconds.
export const offset = (seconds) => `${seconds < 0 ? '' : '+'}${seconds}`;

// The environment of a program whose clock is off by so many seconds.
export const clockOff = (seconds) => (seconds === 0 ? {} : { ...preload(), FAKETIME: offset(seconds) });

// The same with an offset that is in a file, and may change.
export const clockOfFile = (path) => ({ ...preload(), FAKETIME_TIMESTAMP_FILE: path, FAKETIME_CACHE_DURATION: '1' });

// Removes what libfaketime leaves of a program that was killed.
export function forgetClock(pid) {
  for (const name of [`faketime_shm_${pid}`, `sem.faketime_sem_${pid}`]) rmSync(join(kShared, name), { force: true });
}
