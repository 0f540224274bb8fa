// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// A place in the network where connections can be broken: passes bytes on to a server.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

export class Gate {
  #server = createServer({ allowHalfOpen: true }, (near) => this.#pass(near));
  #pairs = new Set();
  #isOpen = true;
  #upstream;

  // `upstream`: gives the options of net.connect at each connection.
  constructor(upstream) {
    this.#upstream = upstream;
  }

  async start() {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  get port() {
    return this.#server.address().port;
  }

  // Breaks the connections of now.
  breakAll() {
    for (const [near, far] of this.#pairs) {
      near.resetAndDestroy();
      far.destroy();
    }
  }

  // Breaks them and refuses all that come until open().
  shut() {
    this.#isOpen = false;
    this.breakAll();
  }

  open() {
    this.#isOpen = true;
  }

  end() {
    this.shut();
    this.#server.close();
  }

  #pass(near) {
    if (!this.#isOpen) {
      near.on('error', () => undefined);
      near.resetAndDestroy();
      return;
    }
    const far = connect({ ...this.#upstream(), allowHalfOpen: true });
    const pair = [near, far];
    this.#pairs.add(pair);
    for (const [from, to] of [pair, [far, near]]) {
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.#pairs.delete(pair);
        to.destroy();
      });
    }
  }
}
