// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it, vi } from 'vitest';
import type { FeedTools } from '@/wire/feed';
import type { RawRecord } from './record';
import { type FeedState, StudyFeed } from './study_feed';

const event = (seq: number) => ({
  session: 's',
  seq,
  at: 1000 + seq,
  direction: 'in',
  type: 'user.message',
  payload: { payload: { text: `m${seq}` } },
});
const sse = (seq: number) => `id: e:${seq}\ndata: ${JSON.stringify(event(seq))}\n\n`;
const page = (seqs: number[], last: number, more = false) =>
  new Response(JSON.stringify({ epoch: 'e', first_seq: 1, last_seq: last, more, events: seqs.map(event) }));

// A response whose body stays open until the test breaks it.
function stream(...parts: string[]): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      parts.forEach((part) => {
        controller.enqueue(encoder.encode(part));
      });
      controller.close();
    },
  });
  return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
}

interface Asked {
  url: string;
  accept: string;
  last: string | null;
  token: string | null;
}

function feedOn(answers: (() => Response)[], follow = true) {
  const asked: Asked[] = [];
  const records: RawRecord[] = [];
  const states: FeedState[] = [];
  const restarts: string[] = [];
  const timers: { ms: number; act: () => void; live: boolean }[] = [];
  const tools: FeedTools = {
    fetch: (input, init) => {
      const headers = new Headers(init?.headers);
      asked.push({
        url: String(input),
        accept: headers.get('Accept') ?? '',
        last: headers.get('Last-Event-ID'),
        token: headers.get('Authorization'),
      });
      const answer = answers.shift();
      return answer ? Promise.resolve(answer()) : Promise.reject(new TypeError('not reachable'));
    },
    now: () => 0,
    after(ms, act) {
      const timer = { ms, act, live: true };
      timers.push(timer);
      return () => {
        timer.live = false;
      };
    },
  };
  const feed = new StudyFeed({
    url: '/v1/sessions/s/events',
    token: 'secret',
    follow,
    tools,
    onRecords: (some) => records.push(...some),
    onRestart: (reason) => {
      restarts.push(reason);
      records.length = 0;
    },
    onState: (state) => states.push(state),
  });
  const phase = (name: string) => vi.waitFor(() => expect(states.at(-1)?.phase).toBe(name));
  const retry = () => timers.filter((timer) => timer.live).at(-1);
  return { asked, feed, phase, records, restarts, retry, states };
}

const texts = (records: RawRecord[]) => records.map((record) => record.payload['text']);

describe('the feed of a study', () => {
  it('reads pages with the token in a header, with progress and end', async () => {
    const { asked, feed, phase, records, states } = feedOn([() => page([1, 2], 3, true), () => page([3], 3)], false);
    feed.start();
    await phase('complete');
    expect(texts(records)).toEqual(['m1', 'm2', 'm3']);
    expect(states).toContainEqual({ phase: 'loading', loaded: 2, total: 3 });
    expect(asked.map((it) => it.url)).toEqual([
      '/v1/sessions/s/events?limit=500',
      '/v1/sessions/s/events?limit=500&after=e%3A2',
    ]);
    expect(asked.every((it) => it.token === 'Bearer secret' && !it.url.includes('secret'))).toBe(true);
  });

  it('follows an open study behind the pages without loss or repetition', async () => {
    const { asked, feed, phase, records } = feedOn([
      () => page([1], 1),
      () => stream(sse(1), sse(2).slice(0, 9), sse(2).slice(9)),
    ]);
    feed.start();
    await phase('waiting');
    expect(asked[1]).toMatchObject({ accept: 'text/event-stream', last: 'e:1' });
    expect(texts(records)).toEqual(['m1', 'm2']);
  });

  it('resumes after a cut from the last record with growing pauses', async () => {
    const { asked, feed, phase, records, retry } = feedOn([() => page([1], 1), () => stream(sse(2))]);
    feed.start();
    await phase('waiting');
    const waits: number[] = [];
    for (let turn = 0; turn < 7; turn += 1) {
      const timer = retry();
      waits.push(timer?.ms ?? 0);
      if (timer) timer.live = false;
      timer?.act();
      await vi.waitFor(() => expect(retry()).toBeDefined());
    }
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 15_000, 15_000]);
    expect(asked.at(-1)?.url).toContain('after=e%3A2');
    expect(texts(records)).toEqual(['m1', 'm2']);
  });

  it('starts again on another history', async () => {
    const gone = () =>
      new Response(JSON.stringify({ code: 'history_gone', reason: 'epoch_changed', epoch: 'f', first_seq: 1 }), {
        status: 410,
      });
    const { asked, feed, phase, records, restarts, retry } = feedOn([
      () => page([1, 2], 2),
      () => stream(),
      gone,
      () => page([1], 1),
    ]);
    feed.start();
    await phase('waiting');
    retry()?.act();
    await vi.waitFor(() => expect(restarts).toEqual(['epoch_changed']));
    await vi.waitFor(() => expect(texts(records)).toEqual(['m1']));
    expect(asked[3]?.url).toBe('/v1/sessions/s/events?limit=500');
  });

  it('takes a gap in the stream as a new beginning', async () => {
    const gap = 'event: gap\ndata: {"reason":"retention","epoch":"e","first_seq":8}\n\n';
    const { feed, records, restarts } = feedOn([() => page([1], 1), () => stream(gap, sse(8))]);
    feed.start();
    await vi.waitFor(() => expect(texts(records)).toEqual(['m8']));
    expect(restarts).toEqual(['retention']);
  });

  it.each([
    [401, 'signedOut'],
    [404, 'notFound'],
    [400, 'refused'],
  ])('does not retry after %i', async (status, reason) => {
    const { feed, phase, states } = feedOn([() => new Response('{}', { status })]);
    feed.start();
    await phase('failed');
    expect(states.at(-1)).toMatchObject({ reason, status });
  });

  it.each([429, 500, 503])('retries after %i', async (status) => {
    const { feed, phase, records, retry } = feedOn([() => new Response('{}', { status }), () => page([1], 1)], false);
    feed.start();
    await phase('waiting');
    retry()?.act();
    await phase('complete');
    expect(texts(records)).toEqual(['m1']);
  });

  it('ends when the server ends it, and stops on a revoked token', async () => {
    const end = (reason: string) => `event: end\ndata: {"reason":"${reason}"}\n\n`;
    const complete = feedOn([() => page([1], 1), () => stream(end('complete'))]);
    complete.feed.start();
    await complete.phase('complete');
    const revoked = feedOn([() => page([1], 1), () => stream(end('token_revoked'))]);
    revoked.feed.start();
    await revoked.phase('failed');
  });

  it('gives nothing after a stop', async () => {
    const { feed, records, states } = feedOn([() => page([1], 1)]);
    feed.start();
    feed.stop();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(states.at(-1)).toEqual({ phase: 'stopped' });
    expect(records).toEqual([]);
  });
});
