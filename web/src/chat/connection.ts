// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { backoffMs } from '@/protocol/assistant_client';
import type { LineState } from '@/wire/feed';
import { type ChatFrame, pingFrame, readFrame } from './frames';

export type ChatLine = LineState | { phase: 'connecting' };

// The members of WebSocket that are used.
export interface ChatSocket {
  onopen: ((event: Event) => void) | null;
  onmessage: ((event: MessageEvent) => void) | null;
  onclose: ((event: CloseEvent) => void) | null;
  readonly readyState: number;
  send(data: string): void;
  close(code?: number): void;
}

// Reason why a session cannot be opened. Requested over HTTP: browsers hide the status of a refused upgrade.
export type Verdict = 'fine' | 'signedOut' | 'notFound' | 'unknown';

export interface ChatConnectionOptions {
  session: string;
  url: (after: number) => string;
  after: () => number; // the last seq received
  openSocket: (url: string) => ChatSocket;
  check: () => Promise<Verdict>;
  onFrame: (frame: ChatFrame) => void;
  onLine: (line: ChatLine) => void;
  random?: () => number;
}

export const kPingMs = 30_000;
export const kPongMs = 15_000;
const kDenied = 4401;
const kOpen = 1;

export function chatUrl(page: string, session: string, token: string, after: number): string {
  const url = new URL(`/api/ws/chat/${encodeURIComponent(session)}`, page);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  url.search = new URLSearchParams({ token, detail: 'tools', after: String(after) }).toString();
  return url.toString();
}

// The connection to one session. Reconnects after a loss and resumes behind the last frame received,
// until stop() or a refusal.
export class ChatConnection {
  private socket: ChatSocket | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private attempt = 0;
  private line: ChatLine = { phase: 'stopped' };
  private hasReceived = false;

  constructor(private readonly options: ChatConnectionOptions) {}

  start(): void {
    if (this.line.phase === 'stopped') this.open();
  }

  stop(): void {
    this.drop();
    this.tell({ phase: 'stopped' });
  }

  retryNow(): void {
    if (this.line.phase === 'waiting') this.open();
  }

  // Reconnects after a refusal, with the current url().
  reopen(): void {
    if (this.line.phase === 'failed') this.open();
  }

  // False: not connected; nothing was sent.
  send(frame: Record<string, unknown>): boolean {
    if (this.line.phase !== 'live' || this.socket?.readyState !== kOpen) return false;
    this.socket.send(JSON.stringify({ ...frame, sessionCode: this.options.session, timestamp: Date.now() }));
    return true;
  }

  private open(): void {
    this.drop();
    this.tell(this.attempt === 0 ? { phase: 'connecting' } : this.line);
    const socket = this.options.openSocket(this.options.url(this.options.after()));
    let opened = false;
    this.socket = socket;
    socket.onopen = () => {
      if (this.socket !== socket) return;
      opened = true;
      this.tell({ phase: 'live' });
      this.watch();
    };
    socket.onmessage = (event) => {
      if (this.socket === socket) this.receive(event.data);
    };
    socket.onclose = (event) => {
      if (this.socket === socket) void this.ended(event.code, opened);
    };
  }

  private receive(data: unknown): void {
    const frame = readFrame(data);
    this.hasReceived = true;
    this.attempt = 0;
    if (frame && frame.type !== 'PONG') this.options.onFrame(frame);
  }

  private async ended(code: number, opened: boolean): Promise<void> {
    this.drop();
    if (code === kDenied) return this.fail('signedOut', 401);
    this.wait();
    if (opened) return;
    const { attempt } = this;
    const verdict = await this.options.check();
    if (this.line.phase !== 'waiting' || this.attempt !== attempt) return;
    if (verdict === 'signedOut') this.fail('signedOut', 401);
    else if (verdict === 'notFound') this.fail('notFound', 404);
  }

  private fail(reason: 'signedOut' | 'notFound', status: number): void {
    this.drop();
    this.tell({ phase: 'failed', reason, status });
  }

  private wait(): void {
    const delay = backoffMs(this.attempt, (this.options.random ?? Math.random)());
    this.attempt += 1;
    this.tell({ phase: 'waiting', retryAt: Date.now() + delay, attempt: this.attempt });
    this.timer = setTimeout(() => {
      this.open();
    }, delay);
  }

  // Sends pings and detects a dead connection. The pings also keep proxies from closing an idle one.
  private watch(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.hasReceived = false;
      this.send(pingFrame());
      this.timer = setTimeout(() => {
        if (this.hasReceived) this.watch();
        else void this.ended(0, true);
      }, kPongMs);
    }, kPingMs);
  }

  private drop(): void {
    clearTimeout(this.timer);
    const socket = this.socket;
    this.socket = null;
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close(1000);
  }

  private tell(line: ChatLine): void {
    this.line = line;
    this.options.onLine(line);
  }
}
