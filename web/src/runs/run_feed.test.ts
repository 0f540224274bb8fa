// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { fixtureText, seeded } from './fixtures/fixture';
import type { Frame } from './run_event';
import { RunFeed, type RunFeedState } from './run_feed';

const kLines = fixtureText('react')
  .split('\n')
  .filter((line) => line !== '');

interface Request {
  url: string;
  headers: Record<string, string>;
}

// A server that sends the run from the requested event on, and breaks the connection after some bytes.
class Line {
  readonly requests: Request[] = [];
  readonly frames: Frame[] = [];
  readonly states: RunFeedState[] = [];
  live = true;
  form: 'sse' | 'ndjson' = 'sse';
  cuts: number[] = []; // number of characters sent before each break
  statuses: number[] = [];
  pieces = 97;
  private waiting: (() => void)[] = [];

  feed = new RunFeed({
    url: '/v1/runs/r/events',
    token: 'secret',
    onFrames: (frames) => this.frames.push(...frames),
    onState: (state) => this.states.push(state),
    isLive: () => Promise.resolve(this.live),
    tools: {
      fetch: (url, init) => Promise.resolve(this.answer(url as string, init as { headers: Record<string, string> })),
      now: () => 1000,
      after: (ms, act) => {
        if (ms < 20_000) this.waiting.push(act);
        return () => undefined;
      },
    },
  });

  // Lets the feed run until it neither reads nor waits.
  async play(): Promise<void> {
    this.feed.start();
    for (let turn = 0; turn < 3000; turn += 1) {
      await new Promise((resolve) => setTimeout(resolve));
      const { phase } = this.states.at(-1) ?? { phase: 'loading' };
      if (phase === 'complete' || phase === 'failed') return;
      if (phase === 'waiting') this.waiting.splice(0).forEach((act) => act());
    }
    throw new Error('the feed did not come to an end');
  }

  private answer(url: string, { headers }: { headers: Record<string, string> }): Response {
    this.requests.push({ url, headers });
    const status = this.statuses.shift() ?? 200;
    if (status !== 200) return new Response('{}', { status });
    const after = Number(new URL(url, 'http://x').searchParams.get('after') ?? 0);
    const text = kLines
      .slice(after)
      .map((line, at) => (this.form === 'sse' ? `id: ${after + at + 1}\ndata: ${line}\n\n` : `${line}\n`))
      .join('');
    const sent = text.slice(0, this.cuts.shift() ?? text.length);
    const size = this.pieces;
    const parts = Array.from({ length: Math.ceil(sent.length / size) }, (_, at) =>
      new TextEncoder().encode(sent.slice(at * size, (at + 1) * size)),
    );
    const body = new ReadableStream({
      pull(controller) {
        const part = parts.shift();
        if (part) controller.enqueue(part);
        else controller.close();
      },
    });
    return new Response(body, {
      headers: { 'Content-Type': this.form === 'sse' ? 'text/event-stream' : 'application/x-ndjson; charset=utf-8' },
    });
  }
}

const ids = ({ frames }: Line) => frames.map(({ eventId }) => eventId);
const kAll = kLines.map((_, at) => at + 1);

describe('following a run', () => {
  it.each(['sse', 'ndjson'] as const)('gives every frame once and ends with the reply (%s)', async (form) => {
    const line = new Line();
    line.form = form;
    await line.play();
    expect(ids(line)).toEqual(kAll);
    expect(line.states.map(({ phase }) => phase)).toEqual(['loading', 'live', 'complete']);
    expect(line.requests[0]?.url).toBe('/v1/runs/r/events?times=true');
    expect(line.requests[0]?.headers).toMatchObject({ Authorization: 'Bearer secret' });
    expect(line.requests[0]?.url).not.toContain('secret');
  });

  it('resumes behind the last frame after any cut without loss', async () => {
    const random = seeded(9);
    for (let round = 0; round < 12; round += 1) {
      const line = new Line();
      line.form = round % 2 === 0 ? 'sse' : 'ndjson';
      line.pieces = 1 + Math.floor(random() * 4000);
      line.cuts = Array.from({ length: 6 }, () => Math.floor(random() * 9000));
      await line.play();
      expect(ids(line)).toEqual(kAll);
      expect(line.requests).toHaveLength(line.states.filter(({ phase }) => phase === 'live').length);
    }
  });

  it('waits longer during an outage, and reports final errors', async () => {
    const line = new Line();
    line.statuses = [503, 500, 429];
    await line.play();
    const waits = line.states.flatMap((state) => (state.phase === 'waiting' ? [state.retryAt - 1000] : []));
    expect(waits).toEqual([500, 1000, 2000]);
    expect(ids(line)).toEqual(kAll);
    for (const [status, reason] of [
      [401, 'signedOut'],
      [404, 'notFound'],
      [400, 'refused'],
    ] as const) {
      const refused = new Line();
      refused.statuses = [status];
      await refused.play();
      expect(refused.states.at(-1)).toEqual({ phase: 'failed', reason, status });
    }
  });

  it('is complete without a reply when the run does not go on', async () => {
    const line = new Line();
    line.live = false;
    line.cuts = [4000];
    await line.play();
    expect(line.states.at(-1)?.phase).toBe('complete');
    expect(line.requests).toHaveLength(1);
  });
});
