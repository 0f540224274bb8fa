// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// What the actors share: the nodes, which they reach in any order, and the history of what they were told.
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

const kPauseMs = 800; // after a connection that was refused or broken; half of it to half more
const kPatienceMs = 20_000; // for an answer without a wait of its own

// What an event says: equal for equal events.
export const fingerprint = (value) => createHash('sha256').update(JSON.stringify(value)).digest('base64url');

export class World {
  isOver = false; // no actor begins something new
  #made = 0;
  #lost = 0;
  #failures = [];

  constructor(cluster, history) {
    this.cluster = cluster;
    this.history = history;
  }

  // A new name, unique in this world.
  name(kind) {
    return `${kind}-${++this.#made}`;
  }

  // Requests and connections that were refused or broken.
  get lost() {
    return this.#lost;
  }

  get node() {
    const { nodes } = this.cluster;
    return nodes[Math.floor(Math.random() * nodes.length)];
  }

  // One request to any node; undefined if the connection broke, or the node could not serve it now.
  async call(method, path, { token, body, headers = {}, patienceMs = kPatienceMs }) {
    try {
      const answer = await fetch(this.node.url + path, {
        method,
        headers: {
          Authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
        body: body === undefined ? undefined : JSON.stringify(body),
        signal: AbortSignal.timeout(patienceMs),
      });
      const text = await answer.text();
      if (answer.status >= 500 || answer.status === 429) return await this.#again();
      return { status: answer.status, text, json: () => JSON.parse(text) };
    } catch {
      return this.#again();
    }
  }

  // The same until there is an answer.
  async insist(method, path, options) {
    for (;;) {
      const answer = await this.call(method, path, options);
      if (answer !== undefined) return answer;
    }
  }

  // Passes each line of a stream of any node to `take`, until that returns true (result true), the stream ends, or
  // `signal` is aborted.
  async lines(path, { token, take, signal }) {
    const leave = new AbortController();
    try {
      const answer = await fetch(this.node.url + path, {
        headers: { Authorization: `Bearer ${token}`, Accept: 'application/x-ndjson' },
        signal: signal === undefined ? leave.signal : AbortSignal.any([leave.signal, signal]),
      });
      if (!answer.ok) {
        await answer.text();
        await this.#again();
        return false;
      }
      let rest = '';
      const decoder = new TextDecoder();
      for await (const piece of answer.body) {
        const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
        rest = lines.pop();
        for (const line of lines) if (line !== '' && take(JSON.parse(line)) === true) return true;
      }
      return false;
    } catch {
      await this.#again();
      return false;
    } finally {
      leave.abort();
    }
  }

  async #again() {
    this.#lost += 1;
    await pause(kPauseMs * (0.5 + Math.random()));
    return undefined;
  }
  async wasLost() {
    await this.#again();
  }

  // Starts an actor, which ends by itself some time after isOver. What it throws is a fault of the run.
  play(actor) {
    return actor().catch((error) => this.#failures.push(error.stack));
  }

  get failures() {
    return this.#failures;
  }
}
