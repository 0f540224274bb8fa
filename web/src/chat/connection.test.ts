// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ChatConnection, type ChatLine, type ChatSocket, chatUrl, kPingMs, kPongMs, type Verdict } from './connection';
import type { ChatFrame } from './frames';

class FakeSocket implements ChatSocket {
  onopen: ((event: Event) => void) | null = null;
  onmessage: ((event: MessageEvent) => void) | null = null;
  onclose: ((event: CloseEvent) => void) | null = null;
  readyState = 0;
  sent: Record<string, unknown>[] = [];
  closed = false;

  constructor(readonly url: string) {}

  send(data: string): void {
    this.sent.push(JSON.parse(data) as Record<string, unknown>);
  }

  close(): void {
    this.closed = true;
  }

  open(): void {
    this.readyState = 1;
    this.onopen?.(new Event('open'));
  }

  say(frame: Record<string, unknown>): void {
    this.onmessage?.(new MessageEvent('message', { data: JSON.stringify(frame) }));
  }

  cut(code = 1006): void {
    this.onclose?.({ code } as CloseEvent);
  }
}

function line(verdict: Verdict = 'fine') {
  const sockets: FakeSocket[] = [];
  const states: ChatLine[] = [];
  const frames: ChatFrame[] = [];
  const check = vi.fn(() => Promise.resolve(verdict));
  const connection = new ChatConnection({
    session: 's',
    url: (after) => chatUrl('http://host/', 's', 't&k', after),
    after: () => frames.at(-1)?.seq ?? 0,
    check,
    random: () => 0.5,
    openSocket(url) {
      sockets.push(new FakeSocket(url));
      return sockets.at(-1) as FakeSocket;
    },
    onFrame: (frame) => frames.push(frame),
    onLine: (state) => states.push(state),
  });
  connection.start();
  const socket = () => sockets.at(-1) as FakeSocket;
  return { check, connection, frames, socket, sockets, state: () => states.at(-1) };
}

describe('the line to a chat', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('asks for the history first, with the token in a supported place', () => {
    expect(line().socket().url).toBe('ws://host/api/ws/chat/s?token=t%26k&detail=tools&after=0');
    expect(chatUrl('https://host/#/chat', 's', 't', 7)).toMatch(/^wss:.*after=7$/);
  });

  it('resumes behind the last frame after a cut', () => {
    const it = line();
    it.socket().open();
    it.socket().say({ type: 'AGENT_STREAM', seq: 12 });
    it.socket().cut();
    expect(it.state()).toMatchObject({ phase: 'waiting', attempt: 1 });
    vi.advanceTimersByTime(2_000);
    expect(it.sockets).toHaveLength(2);
    expect(it.socket().url).toContain('after=12');
    it.socket().open();
    expect(it.state()).toEqual({ phase: 'live' });
  });

  it('waits longer after each failure, and retries at once on request', () => {
    const it = line();
    for (let attempt = 0; attempt < 4; attempt += 1) {
      it.socket().cut();
      vi.advanceTimersByTime(60_000);
    }
    it.socket().cut();
    const count = it.sockets.length;
    vi.advanceTimersByTime(5_000);
    expect(it.sockets).toHaveLength(count);
    it.connection.retryNow();
    expect(it.sockets).toHaveLength(count + 1);
  });

  it.each([
    ['signedOut', 'signedOut'],
    ['notFound', 'notFound'],
  ] as const)('gives up where the server says %s', async (verdict, reason) => {
    const it = line(verdict);
    it.socket().cut();
    await vi.advanceTimersByTimeAsync(0);
    expect(it.state()).toMatchObject({ phase: 'failed', reason });
    vi.advanceTimersByTime(60_000);
    expect(it.sockets).toHaveLength(1);
  });

  it('looks for a reason only if it never opened', async () => {
    const it = line('notFound');
    it.socket().open();
    it.socket().cut();
    await vi.advanceTimersByTimeAsync(0);
    expect(it.check).not.toHaveBeenCalled();
    expect(it.state()?.phase).toBe('waiting');
  });

  it('ends with its token', () => {
    const it = line();
    it.socket().open();
    it.socket().cut(4401);
    expect(it.state()).toMatchObject({ phase: 'failed', reason: 'signedOut' });
  });

  it('sends pings and gives up when silent', () => {
    const it = line();
    it.socket().open();
    vi.advanceTimersByTime(kPingMs);
    expect(it.socket().sent).toMatchObject([{ type: 'PING', sessionCode: 's' }]);
    it.socket().say({ type: 'PONG' });
    vi.advanceTimersByTime(kPongMs);
    expect(it.state()?.phase).toBe('live');
    expect(it.frames).toEqual([]);
    vi.advanceTimersByTime(kPingMs + kPongMs);
    expect(it.state()?.phase).toBe('waiting');
  });

  it('sends nothing while closed', () => {
    const it = line();
    expect(it.connection.send({ type: 'PING' })).toBe(false);
    it.socket().open();
    expect(it.connection.send({ type: 'PING' })).toBe(true);
    it.connection.stop();
    expect(it.connection.send({ type: 'PING' })).toBe(false);
    expect(it.socket().closed).toBe(true);
  });
});
