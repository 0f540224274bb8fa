// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { WebsocketMessage } from '@/gen/agentassist_pb';
import {
  AssistantClient,
  backoffMs,
  type ConnectionState,
  kDeniedCode,
  kHeartbeatMs,
  kLoginTimeoutMs,
  kSilenceMs,
} from './assistant_client';
import { FakeNetwork } from './fake_server';

describe('AssistantClient', () => {
  let network: FakeNetwork;
  let states: ConnectionState[];
  let messages: WebsocketMessage[];
  let client: AssistantClient;

  beforeEach(() => {
    vi.useFakeTimers();
    network = new FakeNetwork();
    states = [];
    messages = [];
    client = new AssistantClient({
      url: 'ws://host/ws?gen=1&ack=1',
      token: 'secret',
      nickname: 'Ada',
      openSocket: network.open,
      onState: (state) => states.push(state),
      onMessage: (message) => messages.push(message),
      random: () => 0.5,
    });
  });

  afterEach(() => {
    client.stop();
    vi.useRealTimers();
  });

  const phase = () => states.at(-1)?.phase;

  it('logs in with token and nickname as its first frame', () => {
    client.start();
    network.last.open();
    expect(network.last.received).toHaveLength(1);
    expect(network.last.received[0]).toMatchObject({
      Cmd: 'UserLogin',
      StrParam: 'secret',
      Nickname: 'Ada',
    });
  });

  it('asks for pending messages and online users right after login', () => {
    client.start();
    network.last.accept('c1');
    expect(network.last.commands()).toEqual(['UserLogin', 'GetPendingMessages', 'GetOnlineUsers']);
    expect(states.at(-1)).toEqual({ phase: 'online', clientId: 'c1' });
  });

  it('stops for good on a refused token', () => {
    client.start();
    network.last.open();
    const UserLoginResponse = { success: false, errorMessage: 'unknown token' };
    network.last.say({ Cmd: 'UserLogin', UserLoginResponse });
    expect(states.at(-1)).toEqual({ phase: 'denied', message: 'unknown token' });
    vi.advanceTimersByTime(120_000);
    expect(network.sockets).toHaveLength(1);
  });

  it('stops for good when the server closes with 4401', () => {
    client.start();
    network.last.accept();
    network.last.die(kDeniedCode, 'revoked');
    expect(states.at(-1)).toEqual({ phase: 'denied', message: 'revoked' });
    vi.advanceTimersByTime(120_000);
    expect(network.sockets).toHaveLength(1);
  });

  it('reconnects after 1, 2, 4, 8, 16, then always 30 s', () => {
    client.start();
    const waits: number[] = [];
    for (let i = 0; i < 9; i += 1) {
      network.last.die();
      const state = states.at(-1);
      if (state?.phase !== 'waiting') throw new Error('not waiting');
      waits.push(state.retryAt - Date.now());
      vi.advanceTimersByTime(state.retryAt - Date.now());
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16000, 30000, 30000, 30000, 30000]);
    expect(network.sockets).toHaveLength(10);
  });

  it('restarts at 1 s after a successful login', () => {
    client.start();
    network.last.die();
    vi.advanceTimersByTime(1000);
    network.last.die();
    vi.advanceTimersByTime(2000);
    network.last.accept();
    network.last.die();
    expect(states.at(-1)).toEqual({ phase: 'waiting', retryAt: Date.now() + 1000 });
  });

  it('spreads retries by a fifth in both directions, up to 30 s', () => {
    expect(backoffMs(0, 0)).toBe(800);
    expect(backoffMs(0, 1)).toBe(1200);
    expect(backoffMs(50, 1)).toBe(30_000);
  });

  it('retries at once on request, and only while waiting', () => {
    client.start();
    client.retryNow();
    expect(network.sockets).toHaveLength(1);
    network.last.die();
    client.retryNow();
    expect(network.sockets).toHaveLength(2);
    expect(phase()).toBe('connecting');
  });

  it('gives up a connection without an answer to the login', () => {
    client.start();
    network.last.open();
    vi.advanceTimersByTime(kLoginTimeoutMs);
    expect(phase()).toBe('waiting');
    expect(network.last.closedByPage).toBe(true);
  });

  it('detects a dead line that still looks open', () => {
    client.start();
    network.last.accept();
    vi.advanceTimersByTime(kHeartbeatMs);
    expect(network.last.commands().at(-1)).toBe('GetOnlineUsers');
    vi.advanceTimersByTime(kSilenceMs);
    expect(phase()).toBe('waiting');
  });

  it('keeps a silent line while an upload moves on', () => {
    client.start();
    network.last.accept();
    network.last.bufferedAmount = 3;
    vi.advanceTimersByTime(kHeartbeatMs);
    for (const left of [2, 1]) {
      network.last.bufferedAmount = left;
      vi.advanceTimersByTime(kSilenceMs);
      expect(phase()).toBe('online');
    }
    vi.advanceTimersByTime(kSilenceMs);
    expect(phase()).toBe('waiting');
  });

  it('keeps an answering line', () => {
    client.start();
    network.last.accept();
    for (let i = 0; i < 5; i += 1) {
      vi.advanceTimersByTime(kHeartbeatMs);
      network.last.say({ Cmd: 'GetOnlineUsers', GetOnlineUsersResponse: {} });
      vi.advanceTimersByTime(kSilenceMs);
    }
    expect(phase()).toBe('online');
    expect(network.sockets).toHaveLength(1);
  });

  it('ignores text frames and invalid bytes, and stays connected', () => {
    client.start();
    network.last.accept();
    network.last.sayBytes('hello');
    network.last.sayBytes(new Uint8Array([0xff, 0xff, 0xff]).buffer);
    expect(messages).toEqual([]);
    expect(phase()).toBe('online');
  });

  it('hears nothing of a left connection', () => {
    client.start();
    const first = network.last;
    first.accept();
    first.die();
    vi.advanceTimersByTime(1000);
    network.last.accept('c2');
    first.onclose?.(new CloseEvent('close', { code: 1006 }));
    expect(states.at(-1)).toEqual({ phase: 'online', clientId: 'c2' });
  });

  it('refuses to send without a connection', () => {
    client.start();
    expect(client.send(new Uint8Array([0]))).toBe(false);
    network.last.accept();
    expect(client.send(new Uint8Array([]))).toBe(true);
  });

  it('reports a new nickname at once without a new login', () => {
    client.start();
    network.last.accept('c1');
    const before = states.length;
    client.rename('Bo');
    expect(network.last.received.at(-1)).toMatchObject({ Cmd: 'UserLogin', Nickname: 'Bo' });
    network.last.say({ Cmd: 'UserLogin', UserLoginResponse: { clientId: 'c1', success: true } });
    expect(states).toHaveLength(before);
    network.last.die();
    vi.advanceTimersByTime(1000);
    network.last.open();
    expect(network.last.received[0]?.Nickname).toBe('Bo');
  });

  it('opens nothing after stop()', () => {
    client.start();
    network.last.die();
    client.stop();
    vi.advanceTimersByTime(120_000);
    expect(network.sockets).toHaveLength(1);
  });
});
