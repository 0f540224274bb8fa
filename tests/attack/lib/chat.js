// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// One tab of a chat.
import { Socket } from './wire.js';

export class Tab {
  #socket;

  // `path` has the token, unless `fields` of the handshake have it. `from`: the address of the client.
  static async open(server, code, path, fields, from) {
    const tab = new Tab();
    tab.code = code;
    tab.#socket = await Socket.open(server.port, path, fields, from);
    return tab;
  }

  // `more`: further members; may replace sessionCode.
  send(type, requestId, more = {}) {
    return this.#socket.send(JSON.stringify({ type, sessionCode: this.code, requestId, ...more }));
  }

  // Waits until a frame fits; resolves with all frames received so far.
  async frames(fits, what) {
    const read = (all) => all.filter(({ opcode }) => opcode === 1).map(({ payload }) => JSON.parse(payload));
    return read(await this.#socket.frames((all) => read(all).some(fits), what));
  }

  // Waits for the first frame that fits.
  async frame(fits, what) {
    return (await this.frames(fits, what)).find(fits);
  }

  // Resolves with all frames that the server has sent so far; uses a PING as the marker.
  async settled(requestId) {
    await this.send('PING', requestId);
    return this.frames((frame) => frame.type === 'PONG' && frame.requestId === requestId, 'a pong');
  }

  closing() {
    return this.#socket.closing();
  }

  end() {
    this.#socket.end();
  }
}

export const prompt = (type, requestId) => (frame) => frame.data?.promptType === type && frame.requestId === requestId;
export const called = (requestId) => (frame) =>
  frame.type === 'AGENT_TOOL_CALL_REQUEST' && frame.requestId === requestId;
