// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// A Connect server that holds each call until the test answers it. Records every call and cancellation;
// the records survive kill() and start(), open calls do not.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { decode, encode, request, response } from './wire.js';

const prefix = '/agentassistproto.SrvAgentAssist/';

async function bodyOf(incoming) {
  const parts = [];
  for await (const part of incoming) parts.push(part);
  return Buffer.concat(parts);
}

export class ScriptedServer {
  calls = []; // { method, headers, message } of each RPC, in order
  cancellations = []; // { key, reason, authorization }
  port = 0;
  refusal; // (call) => { status, body } or undefined: an answer other than a held call
  #held = new Map(); // ID -> its open HTTP responses
  #waiting = []; // { test, resolve }

  async start() {
    this.server = createServer((incoming, outgoing) => this.#serve(incoming, outgoing));
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = this.server.address().port;
    return this;
  }

  // Breaks every connection at once, as kill -9 does.
  async kill() {
    this.server.closeAllConnections();
    this.#held.clear();
    this.server.close();
    await once(this.server, 'close');
  }

  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  // Resolves when `test(this)` is true; tested after each event.
  until(test) {
    if (test(this)) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ test, resolve }));
  }

  // Waits for the n-th call (from 0).
  async call(n) {
    await this.until(() => this.calls.length > n);
    return this.calls[n];
  }

  async callWith(words) {
    const match = (each) => each.message.Request.Text === words;
    await this.until(() => this.calls.some(match));
    return this.calls.find(match);
  }

  answer(id, answer) {
    const bytes = encode(response, { ID: id, ...answer });
    for (const outgoing of this.#held.get(id) ?? []) {
      outgoing.writeHead(200, { 'Content-Type': 'application/proto' }).end(bytes);
    }
    this.#held.delete(id);
  }

  isHeld(id) {
    return this.#held.has(id);
  }

  #changed() {
    this.#waiting = this.#waiting.filter(({ test, resolve }) => {
      if (!test(this)) return true;
      resolve();
      return false;
    });
  }

  async #serve(incoming, outgoing) {
    const body = await bodyOf(incoming).catch(() => undefined);
    if (body === undefined) return;
    const cancel = /^\/v1\/interactions\/([^/]+)\/cancel$/.exec(incoming.url);
    if (cancel !== null) {
      const { reason } = JSON.parse(body.toString());
      const { authorization } = incoming.headers;
      this.cancellations.push({ key: cancel[1], reason, authorization });
      outgoing.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    } else if (incoming.url.startsWith(prefix)) {
      const method = incoming.url.slice(prefix.length);
      const call = { method, headers: incoming.headers, message: decode(request, body), body };
      this.calls.push(call);
      const refused = this.refusal?.(call);
      if (refused !== undefined) {
        outgoing.writeHead(refused.status, { 'Content-Type': 'application/json' }).end(refused.body);
      } else {
        const id = call.message.ID;
        const held = this.#held.get(id) ?? new Set();
        this.#held.set(id, held.add(outgoing));
        outgoing.on('close', () => {
          held.delete(outgoing);
          if (held.size === 0 && this.#held.get(id) === held) this.#held.delete(id);
          this.#changed();
        });
      }
    } else {
      outgoing.writeHead(404).end();
    }
    this.#changed();
  }
}
