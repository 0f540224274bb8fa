// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// `parley hook` with a real server: starts hooks, finds their questions, answers them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { frame, Socket } from '../attack/lib/wire.js';
import { Server } from '../e2e/lib/server.js';

const kPatienceMs = 60_000;
const kParley = join(process.env.PARLEY_BIN_DIR ?? '', 'parley');

// A hook that runs. `ended` resolves with what it left.
export class Hook {
  constructor(args, input, { env = {}, cwd, keepOpen = false } = {}) {
    const { CURSOR_VERSION, CLAUDE_PID, ...inherited } = process.env;
    this.began = performance.now();
    this.child = spawn(kParley, ['hook', ...args], { cwd, env: { ...inherited, LC_ALL: 'C.UTF-8', ...env } });
    this.out = '';
    this.err = '';
    this.child.stdout.setEncoding('utf8').on('data', (text) => (this.out += text));
    this.child.stderr.setEncoding('utf8').on('data', (text) => (this.err += text));
    this.child.stdin.on('error', () => undefined); // it may end before it has read all
    this.child.stdin.write(typeof input === 'object' && !Buffer.isBuffer(input) ? JSON.stringify(input) : input);
    if (!keepOpen) this.child.stdin.end();
    this.ended = once(this.child, 'close').then(([code, signal]) => ({
      code,
      signal,
      out: this.out,
      err: this.err,
      ms: performance.now() - this.began,
    }));
  }
}

// A server and its hooks. `await using` ends both.
export class Desk {
  server = new Server();
  #hooks = [];
  #screens = [];

  static async open() {
    const desk = new Desk();
    await desk.server.start();
    return desk;
  }

  hook(agent, input, { args = [], ...more } = {}) {
    const hook = new Hook([agent, '--data', this.server.data, ...args], input, more);
    this.#hooks.push(hook);
    return hook;
  }

  async api(method, path, body) {
    const response = await fetch(`${this.server.url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${this.server.token}`, 'Content-Type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  }

  // Connects a page of the person, as the console does.
  async openScreen() {
    const field = (number, value) =>
      Buffer.concat([Buffer.from([(number << 3) | 2, value.length]), Buffer.from(value)]);
    const socket = await Socket.open(this.server.port, '/ws');
    this.#screens.push(socket);
    await socket.write(frame(2, Buffer.concat([field(1, 'UserLogin'), field(12, this.server.token)])));
    await this.untilScreens(this.#screens.length);
    return socket;
  }

  async untilScreens(count) {
    const end = Date.now() + kPatienceMs;
    for (;;) {
      const { screens } = await this.api('GET', '/v1/me');
      if (screens === count) return;
      if (Date.now() > end) throw new Error(`${screens} screens in place of ${count}`);
      await pause(20);
    }
  }

  // The latest question or notice, open or not.
  async latest() {
    return (await this.api('GET', '/v1/interactions?state=all')).interactions.at(-1)?.key;
  }

  async pending() {
    return (await this.api('GET', '/v1/interactions')).interactions;
  }

  // The open questions, once there are `count`.
  async untilPending(count) {
    const end = Date.now() + kPatienceMs;
    for (;;) {
      const found = await this.pending();
      if (found.length === count) return found;
      if (Date.now() > end) throw new Error(`${found.length} questions wait in place of ${count}`);
      await pause(20);
    }
  }

  // The question that is open now and is not `before`.
  async question(before) {
    const end = Date.now() + kPatienceMs;
    for (;;) {
      const found = (await this.pending()).find(({ key }) => key !== before?.key);
      if (found) return found;
      if (Date.now() > end) throw new Error('no question came');
      await pause(20);
    }
  }

  answer({ key }, reply) {
    const body = typeof reply === 'string' ? { text: reply } : reply;
    return this.api('POST', `/v1/interactions/${encodeURIComponent(key)}/answer`, body);
  }

  async [Symbol.asyncDispose]() {
    for (const { child } of this.#hooks) child.kill('SIGKILL');
    for (const { socket } of this.#screens) socket.destroy();
    await this.server.end();
  }
}

// A test function with a desk.
export const atDesk = (play) => async () => {
  const desk = await Desk.open();
  try {
    await play(desk);
  } finally {
    await desk[Symbol.asyncDispose]();
  }
};
