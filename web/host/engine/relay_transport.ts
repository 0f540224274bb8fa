// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The bridge's interface of a connection. WebSockets of browsers, Node.js and `ws` satisfy it.

export interface RelayTransport {
  readonly bufferedAmount: number;
  send(text: string): void;
  close(code?: number, reason?: string): void;
}

// Events of the transport; onClose is the last.
export interface TransportEvents {
  onOpen(): void;
  onText(text: string): void;
  onClose(code: number, reason: string): void;
}

export type OpenTransport = (events: TransportEvents) => RelayTransport;

// The common interface of browsers' WebSockets and `ws`.
interface SocketLike {
  readonly bufferedAmount: number;
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
  send(text: string): void;
  close(code?: number, reason?: string): void;
}

// Ignores binary frames: the relay sends none.
export function overSocket(makeSocket: () => SocketLike): OpenTransport {
  return (events) => {
    const socket = makeSocket();
    socket.onopen = () => {
      events.onOpen();
    };
    socket.onmessage = (event: { data: unknown }) => {
      if (typeof event.data === 'string') events.onText(event.data);
    };
    socket.onclose = (event: { code: number; reason: string }) => {
      events.onClose(event.code, event.reason);
    };
    // An error is always followed by a close, which is handled.
    socket.onerror = () => undefined;
    return socket;
  };
}

// URL of the relay's WebSocket on the server "http://host:22080" or "https://...".
export function relayUrl(server: string, token?: string): string {
  const url = new URL('/agent/ws', server);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  if (token) url.searchParams.set('token', token);
  return url.toString();
}

// Runs `act` in a later turn of the loop, without delay also in background tabs, which throttle timers.
export function nextTurn(act: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    act();
  };
  port2.postMessage(null);
}
