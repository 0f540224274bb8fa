// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it, vi } from 'vitest';
import type { LineState } from '@/wire/feed';
import { RunListFeed } from './run_list_feed';

const announcement = (id: string, state: string) => `data: ${JSON.stringify({ id, state, started_at: 1 })}\n\n`;

function feedOn(answers: (() => Response)[]) {
  const runs: string[] = [];
  const states: LineState[] = [];
  const asked: { url: string; token: string | null }[] = [];
  const waits: { ms: number; act: () => void }[] = [];
  const feed = new RunListFeed({
    url: '/v1/runs',
    token: 'secret',
    onRun: ({ id, state }) => runs.push(`${id} ${state}`),
    onRemoved: (session) => runs.push(`${session} deleted`),
    onState: (state) => states.push(state),
    tools: {
      fetch: (input, init) => {
        asked.push({ url: String(input), token: new Headers(init?.headers).get('Authorization') });
        const answer = answers.shift();
        return answer ? Promise.resolve(answer()) : Promise.reject(new TypeError('not reachable'));
      },
      now: () => 0,
      after(ms, act) {
        if (ms < 20_000) waits.push({ ms, act });
        return () => undefined;
      },
    },
  });
  const phase = (name: string, count = 1) =>
    vi.waitFor(() => expect(states.filter((state) => state.phase === name)).toHaveLength(count));
  return { asked, feed, phase, runs, states, waits };
}

const sse = (text: string) => () => new Response(text, { headers: { 'Content-Type': 'text/event-stream' } });

describe('the changes of the list of runs', () => {
  it('are told as they happen, with the token in a header', async () => {
    const { asked, feed, phase, runs } = feedOn([
      sse(`: from here on\n\n${announcement('r1', 'running')}: still here\n\n${announcement('r1', 'finished')}`),
    ]);
    feed.start();
    await phase('waiting');
    expect(runs).toEqual(['r1 running', 'r1 finished']);
    expect(asked).toEqual([{ url: '/v1/runs', token: 'Bearer secret' }]);
  });

  it('are live again after a cut, so that the list is reread', async () => {
    const { feed, phase, runs, waits } = feedOn([
      sse(announcement('r1', 'running')),
      sse(announcement('r2', 'running')),
    ]);
    feed.start();
    await phase('waiting');
    waits[0]?.act();
    await phase('live', 2);
    await phase('waiting', 2);
    expect(runs).toEqual(['r1 running', 'r2 running']);
    expect(waits.map(({ ms }) => ms)).toEqual([500, 500]);
  });

  it('are polled with growing pauses when the server does not stream them', async () => {
    const page = () => new Response('{"runs":[],"more":false}', { headers: { 'Content-Type': 'application/json' } });
    const { feed, phase, waits } = feedOn([page, page, page]);
    feed.start();
    for (let turn = 1; turn <= 3; turn += 1) {
      await phase('waiting', turn);
      waits[turn - 1]?.act();
    }
    expect(waits.slice(0, 3).map(({ ms }) => ms)).toEqual([500, 1000, 2000]);
  });

  it('name the deleted sessions', async () => {
    const { feed, phase, runs } = feedOn([
      sse(`${announcement('r1', 'finished')}event: removed\ndata: {"session_id":"s1"}\n\nevent: removed\ndata: {}\n\n`),
    ]);
    feed.start();
    await phase('waiting');
    expect(runs).toEqual(['r1 finished', 's1 deleted']);
  });

  it('survive data that is no run', async () => {
    const { feed, phase, runs } = feedOn([
      sse(
        `data: nonsense\n\ndata: {}\n\nevent: other\n${announcement('r1', 'running')}${announcement('r2', 'waiting')}`,
      ),
    ]);
    feed.start();
    await phase('waiting');
    expect(runs).toEqual(['r2 waiting']);
  });

  it('end with the token, and where the server runs no agents', async () => {
    const revoked = feedOn([sse('event: end\ndata: {"reason":"token_revoked"}\n\n')]);
    revoked.feed.start();
    await revoked.phase('failed');
    expect(revoked.states.at(-1)).toMatchObject({ reason: 'signedOut' });
    const none = feedOn([() => new Response('{}', { status: 404 })]);
    none.feed.start();
    await none.phase('failed');
    expect(none.states.at(-1)).toMatchObject({ reason: 'notFound' });
  });
});
