// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// HAProxy with the file of deploy/cluster in front of nodes.
import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../lib/free_port.mjs';

const kFile = fileURLToPath(new URL('../../deploy/cluster/haproxy.cfg', import.meta.url));
const kPauseMs = 50;

export class Balancer {
  #child;
  url;

  // Resolves when it passes on requests.
  async start(nodes) {
    const bind = `127.0.0.1:${await freePort()}`;
    this.url = `http://${bind}`;
    const env = { PATH: `${process.env.PATH}:/usr/sbin`, PARLEY_BIND: bind };
    nodes.forEach(({ port }, i) => (env[`PARLEY_NODE_${i + 1}`] = `127.0.0.1:${port}`));
    this.#child = spawn('setpriv', ['--pdeathsig', 'TERM', 'haproxy', '-db', '-f', kFile], { env, stdio: 'ignore' });
    this.#child.once('error', () => undefined);
    const isUp = () =>
      fetch(`${this.url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    while (!(await isUp())) {
      if (this.#child.exitCode !== null) throw new Error('HAProxy did not start');
      await pause(kPauseMs);
    }
  }

  end() {
    this.#child?.kill();
  }
}
