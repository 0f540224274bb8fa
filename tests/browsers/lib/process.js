// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The process of a browser, with a home folder of its own that is removed after it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export class Process {
  home = mkdtempSync(join(tmpdir(), 'parley-browser-'));
  #children = [];

  get env() {
    return { PATH: process.env.PATH, HOME: this.home, XDG_RUNTIME_DIR: this.home, LC_ALL: 'C.UTF-8' };
  }

  start(program, args, env = {}) {
    const child = spawn(program, args, {
      env: { ...this.env, ...env },
      cwd: this.home,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.resume();
    child.stderr.resume();
    return this.add(child);
  }

  add(child) {
    this.#children.push(child);
    process.once('exit', () => child.kill('SIGKILL')); // a test file that is ended early
    return child;
  }

  async end() {
    for (const child of this.#children.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    }
    rmSync(this.home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}
