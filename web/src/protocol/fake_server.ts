// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { type WebsocketMessage, WebsocketMessageSchema } from '@/gen/agentassist_pb';
import type { Socket } from './assistant_client';
import { decodeFrame } from './frames';
import type { HistoryPage, HistoryReader } from './history';

// Test doubles: a server that records frames of the page and sends those of the test.
export class FakeSocket implements Socket {
  binaryType: BinaryType = 'blob';
  onopen: Socket['onopen'] = null;
  onmessage: Socket['onmessage'] = null;
  onclose: Socket['onclose'] = null;
  onerror: Socket['onerror'] = null;
  readyState = 0;
  bufferedAmount = 0;
  received: WebsocketMessage[] = [];
  closedByPage = false;

  constructor(readonly url: string) {}

  send(data: Uint8Array): void {
    const message = decodeFrame(data);
    if (message) this.received.push(message);
  }

  close(): void {
    this.closedByPage = true;
    this.readyState = 3;
  }

  open(): void {
    this.readyState = 1;
    this.onopen?.(new Event('open'));
  }

  say(init: MessageInitShape<typeof WebsocketMessageSchema>): void {
    const bytes = toBinary(WebsocketMessageSchema, create(WebsocketMessageSchema, init));
    const data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    this.onmessage?.(new MessageEvent('message', { data }));
  }

  sayBytes(data: unknown): void {
    this.onmessage?.(new MessageEvent('message', { data }));
  }

  accept(clientId = 'me'): void {
    this.open();
    this.say({ Cmd: 'UserLogin', UserLoginResponse: { clientId, success: true } });
  }

  die(code = 1006, reason = ''): void {
    this.readyState = 3;
    this.onclose?.(new CloseEvent('close', { code, reason }));
  }

  commands(): string[] {
    return this.received.map((message) => message.Cmd);
  }
}

export class FakeNetwork {
  sockets: FakeSocket[] = [];

  readonly open = (url: string): FakeSocket => {
    const socket = new FakeSocket(url);
    this.sockets.push(socket);
    return socket;
  };

  get last(): FakeSocket {
    const socket = this.sockets.at(-1);
    if (!socket) throw new Error('no connection was opened');
    return socket;
  }
}

export const kEmptyPage: HistoryPage = {
  epoch: 'e1',
  firstChange: 0,
  lastChange: 0,
  more: false,
  entries: [],
  serverTime: 0,
};

export class FakeHistory implements HistoryReader {
  asked: (number | null)[] = [];
  pages = new Map<number | null, HistoryPage>();
  failing = false;

  page(before: number | null): Promise<HistoryPage> {
    this.asked.push(before);
    if (this.failing) return Promise.reject(new Error('unreachable'));
    return Promise.resolve(this.pages.get(before) ?? kEmptyPage);
  }
}
