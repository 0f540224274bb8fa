// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Thousands of connections of misbehaving clients, made by the program parley-crowd. Only to 127.0.0.1.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export const kFirstAddress = '127.0.2.1';

export class Crowd {
  // Number of connections whose bytes the server has taken, at least into the buffers of its kernel.
  sent = 0;
  #child;

  // Opens `count` connections from `addresses` addresses, the first of which is kFirstAddress. Resolves once
  // each has sent `bytes`; none reads.
  static async gather(port, count, addresses, bytes) {
    const crowd = new Crowd();
    const program = join(process.env.PARLEY_BIN_DIR, 'parley-crowd');
    crowd.#child = spawn(program, [port, count, addresses], { stdio: ['pipe', 'pipe', 'inherit'] });
    crowd.#child.stdin.on('error', () => undefined);
    crowd.#child.stdin.end(bytes);
    for await (const line of createInterface({ input: crowd.#child.stdout })) {
      crowd.sent = Number(/^sent (\d+)$/.exec(line)[1]);
      return crowd;
    }
    throw new Error('parley-crowd has ended early');
  }

  // Closes all connections.
  async leave() {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }
}
