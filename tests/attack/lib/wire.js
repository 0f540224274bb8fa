// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Connections of misbehaving clients. Only to 127.0.0.1.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';

const kPatienceMs = 60_000;

export class Wire {
  received = Buffer.alloc(0);
  closed = false;
  #pieces = [];
  #wake = () => undefined;

  constructor(socket) {
    this.socket = socket;
    socket.on('data', (piece) => this.#take(piece));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.closed = true;
      this.#wake();
    });
  }

  static async open(port) {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new Wire(socket);
  }

  #take(piece) {
    this.#pieces.push(piece);
    this.#wake();
  }

  // Reads and discards all further bytes.
  discard() {
    this.socket.removeAllListeners('data');
    this.socket.resume();
  }

  // Stops reading.
  stopReading() {
    this.socket.pause();
  }

  // Resolves with all bytes received once `good(bytes, closed)` is true. Rejects if the connection closes
  // first, or after kPatienceMs.
  async until(good, what) {
    const late = after(kPatienceMs, 'late', { ref: false });
    for (;;) {
      if (this.#pieces.length > 0) this.received = Buffer.concat([this.received, ...this.#pieces.splice(0)]);
      if (good(this.received, this.closed)) return this.received;
      if (this.closed) throw new Error(`closed before ${what}: ${this.received.subarray(0, 300).toString('latin1')}`);
      const woken = new Promise((resolve) => (this.#wake = resolve));
      if ((await Promise.race([woken, late])) === 'late') throw new Error(`nothing came: ${what}`);
    }
  }

  // Resolves once the bytes are written. False: the connection is closed, or the server has stopped
  // reading for `patienceMs`.
  async write(bytes, patienceMs = kPatienceMs) {
    if (this.closed || this.socket.destroyed) return false;
    if (this.socket.write(bytes)) return true;
    const giveUp = new AbortController();
    const { signal } = giveUp;
    const drained = await Promise.race([
      once(this.socket, 'drain', { signal }).then(
        () => true,
        () => false,
      ),
      once(this.socket, 'close', { signal }).then(
        () => false,
        () => false,
      ),
      after(patienceMs, false, { ref: false, signal }).catch(() => false),
    ]);
    giveUp.abort();
    return drained && !this.socket.destroyed;
  }

  // Resolves with the HTTP answer, {status, text}.
  async answer() {
    const all = await this.until((bytes, closed) => {
      const head = bytes.indexOf('\r\n\r\n');
      if (head < 0) return false;
      const length = /content-length: (\d+)/i.exec(bytes.subarray(0, head).toString('latin1'));
      return closed || (length !== null && bytes.length >= head + 4 + Number(length[1]));
    }, 'an answer');
    const text = all.toString('utf8');
    return { status: Number(text.slice(9, 12)), text: text.slice(text.indexOf('\r\n\r\n') + 4) };
  }

  end() {
    this.socket.destroy();
  }
}

// A frame of a client.
export function frame(opcode, payload, last = true) {
  const bytes = Buffer.from(payload);
  const head = Buffer.alloc(bytes.length < 126 ? 2 : bytes.length < 65_536 ? 4 : 10);
  head[0] = (last ? 0x80 : 0) | opcode;
  if (bytes.length < 126) head[1] = 0x80 | bytes.length;
  else if (bytes.length < 65_536) {
    head[1] = 0x80 | 126;
    head.writeUInt16BE(bytes.length, 2);
  } else {
    head[1] = 0x80 | 127;
    head.writeBigUInt64BE(BigInt(bytes.length), 2);
  }
  return Buffer.concat([head, Buffer.alloc(4), bytes]); // the mask 0 changes nothing
}

// The head of a text frame of `length` bytes, without its payload.
export function frameHead(length) {
  const head = Buffer.alloc(14);
  head[0] = 0x81;
  head[1] = 0x80 | 127;
  head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}

// The complete frames of the server in `bytes`, as {opcode, payload}.
export function framesIn(bytes) {
  const frames = [];
  let at = 0;
  while (bytes.length - at >= 2) {
    let length = bytes[at + 1] & 0x7f;
    let begin = at + 2;
    if (length === 126 && bytes.length >= at + 4) [length, begin] = [bytes.readUInt16BE(at + 2), at + 4];
    else if (length === 127 && bytes.length >= at + 10)
      [length, begin] = [Number(bytes.readBigUInt64BE(at + 2)), at + 10];
    else if (length >= 126) break;
    if (bytes.length < begin + length) break;
    frames.push({ opcode: bytes[at] & 0x0f, payload: bytes.subarray(begin, begin + length) });
    at = begin + length;
  }
  return frames;
}

export class Socket extends Wire {
  // `fields`: further lines of the handshake, each with its CRLF. `from`: the address of the client.
  static async open(port, path, fields = '', from = undefined) {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from });
    await once(socket, 'connect');
    const wire = new Socket(socket);
    const key = randomBytes(16).toString('base64');
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
        `Sec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\n${fields}\r\n`,
    );
    await wire.until((bytes) => bytes.includes('\r\n\r\n'), 'the handshake');
    if (!wire.received.toString('latin1').startsWith('HTTP/1.1 101')) throw new Error(`refused: ${wire.received}`);
    wire.received = wire.received.subarray(wire.received.indexOf('\r\n\r\n') + 4);
    return wire;
  }

  send(text) {
    return this.write(frame(1, text));
  }

  sendBytes(bytes) {
    return this.write(frame(2, bytes));
  }

  // Resolves with the frames received so far once `good(frames, closed)` is true.
  async frames(good, what) {
    return framesIn(await this.until((bytes, closed) => good(framesIn(bytes), closed), what));
  }

  // Waits for the server's close frame; resolves with its {code, reason}.
  async closing() {
    const frames = await this.frames((all) => all.some((one) => one.opcode === 8), 'a close frame');
    const { payload } = frames.find((one) => one.opcode === 8);
    return { code: payload.readUInt16BE(0), reason: payload.subarray(2).toString('utf8') };
  }
}
