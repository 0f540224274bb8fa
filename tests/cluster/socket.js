// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// A WebSocket whose messages wait until somebody reads them.
import { once } from 'node:events';
import WebSocket from 'ws';

const kOpenMs = 20_000;

export class Socket {
  #socket;
  #messages = [];
  #wake = () => undefined;
  isClosed = false;

  // undefined: it was refused, or did not open in time.
  static async open(url, path) {
    const socket = new Socket();
    socket.#socket = new WebSocket(url.replace('http', 'ws') + path, { handshakeTimeout: kOpenMs });
    socket.#socket.on('message', (data, isBinary) => socket.#take(isBinary ? data : data.toString()));
    socket.#socket.on('error', () => undefined);
    socket.#socket.on('close', () => {
      socket.isClosed = true;
      socket.#wake();
    });
    try {
      await once(socket.#socket, 'open');
    } catch {
      return undefined;
    }
    return socket;
  }

  #take(message) {
    this.#messages.push(message);
    this.#wake();
  }

  send(message) {
    if (!this.isClosed) this.#socket.send(message);
  }

  // The next message; undefined: it was closed, or nothing came within `patienceMs`.
  async next(patienceMs) {
    const end = Date.now() + patienceMs;
    while (this.#messages.length === 0 && !this.isClosed && Date.now() < end) {
      let timer;
      await new Promise((resolve) => {
        this.#wake = resolve;
        timer = setTimeout(resolve, end - Date.now());
      });
      clearTimeout(timer);
    }
    return this.#messages.shift();
  }

  // The next message that `fits`; undefined as above.
  async find(fits, patienceMs) {
    for (const end = Date.now() + patienceMs; ;) {
      const message = await this.next(Math.max(end - Date.now(), 0));
      if (message === undefined || fits(message)) return message;
    }
  }

  end() {
    this.#socket.terminate();
  }
}
