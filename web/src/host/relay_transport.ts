// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The one thing that the bridge asks of a connection. A browser's WebSocket, Node's and `ws` fit.

export interface RelayTransport {
  readonly bufferedAmount: number;
  send(text: string): void;
  close(code?: number, reason?: string): void;
}

// Told by the transport; after onClose nothing more comes.
export interface TransportEvents {
  onOpen(): void;
  onText(text: string): void;
  onClose(code: number, reason: string): void;
}

export type OpenTransport = (events: TransportEvents) => RelayTransport;

// What browsers and `ws` have in common.
interface SocketLike {
  readonly bufferedAmount: number;
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
  send(text: string): void;
  close(code?: number, reason?: string): void;
}

// Frames that are not text are passed over: the relay sends none.
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
    // An error is always followed by a close, which is what counts.
    socket.onerror = () => undefined;
    return socket;
  };
}

// "http://host:22080" or "https://..." -> the relay's address on that server.
export function relayUrl(server: string, token?: string): string {
  const url = new URL('/agent/ws', server);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  if (token) url.searchParams.set('token', token);
  return url.toString();
}

// A later turn of the loop, also in a tab in the background, where timers are slowed down.
export function nextTurn(act: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    act();
  };
  port2.postMessage(null);
}
