// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// A page of the Agent Assistant protocol: shows the questions of its workspace and answers some of them.
import { setTimeout as pause } from 'node:timers/promises';
import { Socket } from './socket.js';

const kPatienceMs = 1_000;
const kLoginMs = 30_000;
const kShareAnswered = 0.3; // of the questions that it is shown
// Numbers of the fields of the protocol.
const kCmd = 1;
const kAsked = 2;
const kReply = 4;
const kStrParam = 12;
const kPendingAnswer = 16;
const kNickname = 18;

const bytesOf = (number, bytes) => Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
const text = (number, value) => bytesOf(number, Buffer.from(value));
const scalar = (number, value) => Buffer.concat([varint(number << 3), varint(value)]);
const message = (...fields) => Buffer.concat(fields);

function varint(value) {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return Buffer.from([...bytes, value]);
}

// The fields of an encoded message that are texts or messages, by number; scalars are skipped.
export function fieldsOf(bytes) {
  const fields = new Map();
  for (let at = 0; at < bytes.length;) {
    const read = () => {
      let value = 0;
      for (let factor = 1; ; factor *= 128) {
        const byte = bytes[at++];
        value += (byte & 127) * factor;
        if (byte < 128) return value;
      }
    };
    const key = read();
    const length = read();
    if ((key & 7) !== 2) continue;
    const number = key >>> 3;
    fields.set(number, [...(fields.get(number) ?? []), bytes.subarray(at, at + length)]);
    at += length;
  }
  return fields;
}

const login = (token) => message(text(kCmd, 'UserLogin'), text(kStrParam, token), text(kNickname, 'page'));

const textOf = (fields, number) => fields.get(number)?.[0]?.toString() ?? '';

// {id, answer} of an AskQuestionRequest or an AskQuestionResponse.
const idOf = (bytes) => textOf(fieldsOf(bytes), 1);
function answerOf(bytes) {
  const contents = fieldsOf(bytes).get(4) ?? [];
  return contents.length === 0 ? undefined : textOf(fieldsOf(fieldsOf(contents[0]).get(2)[0]), 2);
}

export class Page {
  #socket;
  #space;
  #world;

  constructor(world, space) {
    this.#world = world;
    this.#space = space;
  }

  // A page that is logged in and does nothing more. Resolves when its node knows it.
  static async idle(node, token) {
    const socket = await Socket.open(node.url, '/ws?gen=1&ack=1');
    socket.send(login(token));
    if ((await socket.next(kLoginMs)) === undefined) throw new Error('a page was not logged in');
    return socket;
  }

  // Lives until isOver; connects again whenever its connection is lost.
  async live() {
    while (!this.#world.isOver) {
      this.#socket = await Socket.open(this.#world.node.url, '/ws?gen=1&ack=1');
      if (this.#socket === undefined) {
        await this.#world.wasLost();
        continue;
      }
      this.#socket.send(login(this.#space.token));
      this.#socket.send(message(text(kCmd, 'GetPendingMessages')));
      while (!this.#world.isOver && !this.#socket.isClosed) {
        const frame = await this.#socket.next(kPatienceMs);
        if (frame !== undefined) await this.#hear(fieldsOf(frame));
      }
      this.#socket.end();
    }
  }

  async #hear(frame) {
    switch (textOf(frame, kCmd)) {
      case 'AskQuestion':
        return this.#consider(idOf(frame.get(kAsked)[0]));
      case 'GetPendingMessages':
        for (const pending of fieldsOf(frame.get(kPendingAnswer)?.[0] ?? Buffer.alloc(0)).get(1) ?? []) {
          const asked = fieldsOf(pending).get(2);
          if (asked !== undefined) await this.#consider(idOf(asked[0]));
        }
        return undefined;
      case 'AskQuestionReplyNotification': {
        const answer = answerOf(frame.get(kReply)[0]);
        if (answer !== undefined) this.#world.history.shown(this.#space, idOf(frame.get(kReply)[0]), answer);
        return undefined;
      }
      default:
        return undefined;
    }
  }

  async #consider(id) {
    if (Math.random() > kShareAnswered) return;
    await pause(kPatienceMs * Math.random());
    const answer = id.includes('/approval/') ? 'Allow' : this.#world.name(`page answers ${id}`);
    this.#world.history.attempted(this.#space, id, answer);
    const content = message(scalar(1, 1), bytesOf(2, message(text(1, 'text'), text(2, answer))));
    const reply = message(text(1, id), bytesOf(4, content));
    this.#socket.send(message(text(kCmd, 'AskQuestionReply'), bytesOf(kAsked, text(1, id)), bytesOf(kReply, reply)));
  }
}
