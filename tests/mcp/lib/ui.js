// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// A user interface of the assistant: logs in over a WebSocket and answers questions.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { decode, encode, frame, textContent } from './wire.js';

// The frames of a client (RFC 6455): masked, never fragmented.
function clientFrame(opcode, payload) {
  const mask = randomBytes(4);
  const length = payload.length;
  const head =
    length < 126
      ? Buffer.from([0x80 | opcode, 0x80 | length])
      : length < 65536
        ? Buffer.from([0x80 | opcode, 0xfe, length >> 8, length & 0xff])
        : (() => {
            throw new Error('too long for this client');
          })();
  return Buffer.concat([head, mask, payload.map((byte, i) => byte ^ mask[i % 4])]);
}

// The frame at the start of `bytes`; undefined while it is incomplete.
function serverFrame(bytes) {
  if (bytes.length < 2) return undefined;
  let length = bytes[1] & 0x7f;
  let at = 2;
  if (length === 126) [length, at] = [bytes.length < 4 ? Infinity : bytes.readUInt16BE(2), 4];
  else if (length === 127) [length, at] = [bytes.length < 10 ? Infinity : Number(bytes.readBigUInt64BE(2)), 10];
  if (bytes.length < at + length) return undefined;
  return { opcode: bytes[0] & 0x0f, payload: bytes.subarray(at, at + length), size: at + length };
}

export class Ui {
  frames = []; // every WebsocketMessage received
  #waiting = [];
  #rest = Buffer.alloc(0);

  static async login(url, token, nickname = 'Ann') {
    const ui = new Ui();
    const upgrade = request(`${url}/ws?gen=3`, {
      // shows structured questions: their text comes without the choices
      headers: {
        Connection: 'Upgrade',
        Upgrade: 'websocket',
        'Sec-WebSocket-Version': '13',
        'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
      },
    });
    upgrade.end();
    const [, socket, head] = await once(upgrade, 'upgrade');
    ui.socket = socket;
    socket.on('error', () => {});
    socket.on('data', (bytes) => ui.#feed(bytes));
    ui.#feed(head);
    ui.send({ Cmd: 'UserLogin', StrParam: token, Nickname: nickname });
    await ui.until((each) => each.Cmd === 'UserLogin' && each.UserLoginResponse.success);
    return ui;
  }

  send(message) {
    this.socket.write(clientFrame(2, encode(frame, message)));
  }

  // Waits for the first frame for which `test` is true, including those received before.
  until(test) {
    const found = this.frames.find(test);
    if (found !== undefined) return Promise.resolve(found);
    return new Promise((resolve) => this.#waiting.push({ test, resolve }));
  }

  // Waits for the request whose question is `words`, sent to this interface or pending before its login.
  async question(words) {
    this.send({ Cmd: 'GetPendingMessages' });
    const ofFrame = (each) =>
      [
        each.AskQuestionRequest,
        ...(each.GetPendingMessagesResponse?.pending_messages ?? []).map((item) => item.ask),
      ].find((asked) => asked?.Request?.Text === words);
    return ofFrame(await this.until((each) => ofFrame(each) !== undefined));
  }

  answer(asked, words) {
    this.send({
      Cmd: 'AskQuestionReply',
      AskQuestionRequest: asked,
      AskQuestionResponse: { ID: asked.ID, contents: [textContent(words)] },
    });
  }

  close() {
    this.socket.destroy();
  }

  #feed(bytes) {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    for (let next = serverFrame(this.#rest); next !== undefined; next = serverFrame(this.#rest)) {
      this.#rest = this.#rest.subarray(next.size);
      if (next.opcode === 9) this.socket.write(clientFrame(10, next.payload));
      if (next.opcode !== 2) continue;
      const message = decode(frame, next.payload);
      this.frames.push(message);
      this.#waiting = this.#waiting.filter(({ test, resolve }) => {
        if (!test(message)) return true;
        resolve(message);
        return false;
      });
    }
  }
}
