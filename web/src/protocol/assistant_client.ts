// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { WebsocketMessage } from '@/gen/agentassist_pb';
import { decodeFrame, loginFrame, onlineUsersFrame, pendingFrame } from './frames';

export type ConnectionState =
  | { phase: 'stopped' }
  | { phase: 'connecting' }
  | { phase: 'online'; clientId: string }
  | { phase: 'waiting'; retryAt: number } // not reachable; next attempt at retryAt (Unix ms)
  | { phase: 'denied'; message: string };

// The members of WebSocket that are used.
export interface Socket {
  binaryType: BinaryType;
  onopen: ((event: Event) => void) | null;
  onmessage: ((event: MessageEvent) => void) | null;
  onclose: ((event: CloseEvent) => void) | null;
  onerror: ((event: Event) => void) | null;
  readonly readyState: number;
  readonly bufferedAmount: number;
  send(data: Uint8Array): void;
  close(code?: number, reason?: string): void;
}

export interface ClientOptions {
  url: string;
  token: string;
  nickname: string;
  openSocket: (url: string) => Socket;
  onState: (state: ConnectionState) => void;
  onMessage: (message: WebsocketMessage) => void;
  onVersion?: (version: string) => void; // of the server, at each login
  random?: () => number;
}

export const kFirstBackoffMs = 1_000;
export const kMaxBackoffMs = 30_000;
export const kLoginTimeoutMs = 10_000;
export const kHeartbeatMs = 30_000;
export const kSilenceMs = 15_000;
export const kDeniedCode = 4401;
const kOpen = 1;

// 1, 2, 4 ... 30 s, each up to a fifth shorter or longer, so that pages do not reconnect together.
export function backoffMs(attempt: number, random: number): number {
  const base = Math.min(kMaxBackoffMs, kFirstBackoffMs * 2 ** Math.min(attempt, 10));
  return Math.min(kMaxBackoffMs, Math.round(base * (0.8 + 0.4 * random)));
}

// The connection to the server: logs in, requests the pending list and the online users, detects a dead
// connection, and reconnects until stop() or until the token is refused.
export class AssistantClient {
  private socket: Socket | null = null;
  private state: ConnectionState = { phase: 'stopped' };
  private attempt = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private hasReceived = false;
  private nickname: string;

  constructor(private readonly options: ClientOptions) {
    this.nickname = options.nickname;
  }

  start(): void {
    if (this.state.phase === 'stopped' || this.state.phase === 'denied') this.connect();
  }

  stop(): void {
    this.drop();
    this.setState({ phase: 'stopped' });
  }

  // Connects at once instead of after the back-off. No effect while connected.
  retryNow(): void {
    if (this.state.phase === 'waiting') this.connect();
  }

  // False: not connected; nothing is queued.
  send(frame: Uint8Array): boolean {
    if (this.state.phase !== 'online' || this.socket?.readyState !== kOpen) return false;
    this.socket.send(frame);
    return true;
  }

  // Others see the new name at once if connected, otherwise from the next login.
  rename(nickname: string): void {
    this.nickname = nickname;
    this.send(loginFrame(this.options.token, nickname));
  }

  refresh(): void {
    this.send(pendingFrame(this.options.token));
    this.send(onlineUsersFrame(this.options.token));
  }

  private connect(): void {
    this.drop();
    this.setState({ phase: 'connecting' });
    const socket = this.options.openSocket(this.options.url);
    this.socket = socket;
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => {
      socket.send(loginFrame(this.options.token, this.nickname));
    };
    socket.onmessage = (event) => {
      if (this.socket === socket) this.receive(event.data);
    };
    socket.onclose = (event) => {
      if (this.socket === socket) this.ended(event.code, event.reason);
    };
    this.timer = setTimeout(() => {
      this.ended(0, '');
    }, kLoginTimeoutMs);
  }

  private receive(data: unknown): void {
    if (!(data instanceof ArrayBuffer)) return;
    const message = decodeFrame(new Uint8Array(data));
    if (!message) return;
    this.hasReceived = true;
    if (message.Cmd === 'UserLogin' && message.UserLoginResponse) {
      const { clientId, errorMessage, success } = message.UserLoginResponse;
      if (success) {
        this.options.onVersion?.(message.StrParam);
        this.loggedIn(clientId);
      } else this.denied(errorMessage);
      return;
    }
    this.options.onMessage(message);
  }

  private loggedIn(clientId: string): void {
    const renamed = this.state.phase === 'online' && this.state.clientId === clientId;
    if (renamed) return;
    this.attempt = 0;
    this.setState({ phase: 'online', clientId });
    this.refresh();
    this.watchLine();
  }

  private denied(message: string): void {
    this.drop();
    this.setState({ phase: 'denied', message });
  }

  private ended(code: number, reason: string): void {
    if (code === kDeniedCode) {
      this.denied(reason);
      return;
    }
    this.drop();
    const delay = backoffMs(this.attempt, (this.options.random ?? Math.random)());
    this.attempt += 1;
    this.setState({ phase: 'waiting', retryAt: Date.now() + delay });
    this.timer = setTimeout(() => {
      this.connect();
    }, delay);
  }

  // Detects a connection that looks open after a sleep or a loss of network: sends a request from time to
  // time and closes the connection if no frame arrives.
  private watchLine(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.hasReceived = false;
      this.send(onlineUsersFrame(this.options.token));
      this.awaitSign(this.socket?.bufferedAmount ?? 0);
    }, kHeartbeatMs);
  }

  // Waits for a frame. An upload that moves on is a sign of life too: the answer to the request comes behind it.
  private awaitSign(unsent: number): void {
    this.timer = setTimeout(() => {
      const left = this.socket?.bufferedAmount ?? 0;
      if (this.hasReceived) this.watchLine();
      else if (left < unsent) this.awaitSign(left);
      else this.ended(0, '');
    }, kSilenceMs);
  }

  private drop(): void {
    clearTimeout(this.timer);
    const socket = this.socket;
    this.socket = null;
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = socket.onerror = null;
    socket.close(1000);
  }

  private setState(state: ConnectionState): void {
    this.state = state;
    this.options.onState(state);
  }
}
