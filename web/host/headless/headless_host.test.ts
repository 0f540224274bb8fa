// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BackendError } from '../engine/host_engine';
import { createMemoryBackend } from '../engine/memory_backend';
import type { RelayTransport, TransportEvents } from '../engine/relay_transport';
import { createHeadlessHost, type HeadlessOptions, kLoadRetryMs } from './headless_host';

let sentences: string[];
let events: TransportEvents | undefined;
let joined: number;
let booked: number;
let replaced: number;

function optionsWith(change: Partial<HeadlessOptions> = {}): HeadlessOptions {
  const transport: RelayTransport = { bufferedAmount: 0, send: () => undefined, close: () => undefined };
  return {
    sessionId: 'lab-1',
    backend: createMemoryBackend('2026-11-22'),
    open: (given) => {
      events = given;
      return transport;
    },
    takeover: false,
    turn: (act) => {
      queueMicrotask(act);
    },
    say: (sentence) => sentences.push(sentence),
    onJoined: () => {
      joined += 1;
    },
    onReplaced: () => {
      replaced += 1;
    },
    onBooked: () => {
      booked += 1;
    },
    ...change,
  };
}

const frame = (type: string, payload: object): void => {
  events?.onText(JSON.stringify({ type, id: 'r', payload }));
};

beforeEach(() => {
  vi.useFakeTimers();
  sentences = [];
  joined = 0;
  booked = 0;
  replaced = 0;
});

afterEach(() => {
  vi.useRealTimers();
});

describe('the host without a browser', () => {
  it('joins its session and prints acts of agents with reasons', async () => {
    const host = createHeadlessHost(optionsWith());
    await host.start();
    frame('relay.joined', { role: 'host', sessionId: 'lab-1' });
    frame('relay.presence', { agents: [{ id: 'a', name: 'Agent A' }] });
    frame('tool.call', { toolName: 'select', params: { itemId: 'm1' }, reason: 'The first.' });
    frame('tool.call', { toolName: 'select', params: { itemId: 'm9' } });
    await vi.advanceTimersByTimeAsync(1);
    expect(joined).toBe(1);
    expect(sentences).toEqual([
      'relay: connecting',
      'relay: joined',
      'agents: Agent A',
      'select (The first.)',
      'select (no reason given), refused: There is no item "m9" in the stage movie.',
    ]);
    host.stop();
  });

  it('retries a failed first stage by itself', async () => {
    const backend = createMemoryBackend('2026-11-22');
    const working = backend.movies.bind(backend);
    backend.movies = () => Promise.reject(new BackendError('The booking service is not reachable.', 0));
    const host = createHeadlessHost(optionsWith({ backend }));
    await host.start();
    expect(sentences).toContain('The booking service is not reachable. Trying again.');
    backend.movies = working;
    await vi.advanceTimersByTimeAsync(kLoadRetryMs);
    expect(host.engine.state.uiSpec?.stage).toBe('movie');
    host.stop();
  });

  it('reports a takeover by another host', async () => {
    const host = createHeadlessHost(optionsWith());
    await host.start();
    frame('relay.joined', { role: 'host', sessionId: 'lab-1' });
    frame('error', { code: 'SESSION_NOT_ACTIVE', message: 'Host connection replaced by a newer host.' });
    expect(replaced).toBe(1);
    host.stop();
  });

  it('counts each booking once', async () => {
    const host = createHeadlessHost(optionsWith());
    await host.start();
    const { engine } = host;
    for (let step = 0; step < 5; step += 1) {
      await engine.select(engine.state.uiSpec?.visibleItems.find((item) => !item.isDisabled)?.id ?? '');
      await engine.next();
    }
    await engine.setQuantity('tt1', 1);
    await engine.next();
    await engine.next();
    engine.say('thank you');
    expect(booked).toBe(1);
    expect(sentences).toContain('booked b1 for $14.00');
    host.stop();
  });
});
