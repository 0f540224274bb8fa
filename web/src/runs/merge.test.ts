// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { fixtureFrames, frameOf, kFixtures, seeded, shuffled } from './fixtures/fixture';
import { mergeFrames } from './merge';

const kinds = (frames: Parameters<typeof mergeFrames>[0]) => mergeFrames(frames).findings.map(({ is }) => is);

describe('merging', () => {
  it.each(kFixtures)('orders the frames of %s after any shuffling and repetition', (name) => {
    const frames = fixtureFrames(name);
    const random = seeded(frames.length);
    for (let round = 0; round < 20; round += 1) {
      const twice = frames.filter(() => random() < 0.3);
      const { runs } = mergeFrames(shuffled([...frames, ...twice], random));
      expect(runs).toHaveLength(1);
      expect(runs[0]?.frames.map(({ eventId }) => eventId)).toEqual(frames.map(({ eventId }) => eventId));
    }
  });

  it('finds nothing odd in a complete run', () => {
    expect(mergeFrames(fixtureFrames('react')).findings).toEqual([]);
  });

  it('names repeated and contradicting frames, gaps and a step back', () => {
    const enter = (eventId: number, id = 'think') =>
      frameOf({ session_id: 's', event_id: eventId, type: 'node_enter', id });
    const start = frameOf({ session_id: 's', event_id: 0, type: 'run_start' });
    const end = frameOf({ session_id: 's', event_id: 9, reply: 'x' });
    expect(kinds([start, enter(1), enter(1), enter(2), end])).toEqual(['repeated', 'gap']);
    expect(kinds([start, enter(1), enter(1, 'act'), end])).toEqual(['conflict', 'gap']);
    expect(mergeFrames([start, enter(2), enter(1), end]).findings).toContainEqual({
      is: 'backwards',
      session: 's',
      eventId: 1,
      after: 2,
    });
    expect(mergeFrames([start, enter(1), end]).findings).toEqual([{ is: 'gap', session: 's', from: 2, to: 8 }]);
  });

  it('drops unstored frames of a killed server before a resumed run', () => {
    const numbered = (eventId: number, rest: Record<string, unknown>) =>
      frameOf({ session_id: 's', event_id: eventId, ...rest });
    const message = (eventId: number, content: string) =>
      numbered(eventId, { type: 'message_chunk', content, id: 'think' });
    const resumed = numbered(3, { type: 'custom', value: { resumed: { run_id: 'r', in_flight: [] } } });
    const start = numbered(1, { type: 'run_start', run_id: 'r' });
    const end = numbered(6, { reply: 'x' });
    const { findings, runs } = mergeFrames([
      start,
      message(2, 'a'),
      message(3, 'b'),
      message(4, 'c'),
      message(5, 'd'),
      message(2, 'a'),
      resumed,
      message(4, 'new'),
      message(5, 'd'),
      end,
    ]);
    expect(runs[0]?.frames).toEqual([start, message(2, 'a'), resumed, message(4, 'new'), message(5, 'd'), end]);
    expect(findings.map(({ is }) => is)).not.toContain('conflict');
    expect(
      mergeFrames([start, message(2, 'a'), end, resumed, message(4, 'c'), message(5, 'd')]).runs[0]?.frames,
      'in any other order nothing is void',
    ).toHaveLength(6);
  });

  it('names the missing parts of a cut stream', () => {
    const frames = fixtureFrames('react').slice(4, 40);
    expect(kinds(frames)).toEqual(['noStart', 'noEnd']);
  });

  it('keeps the order of lines without numbers', () => {
    const frames = ['a', 'b', 'c'].map((id) => frameOf({ type: 'node_enter', id }));
    const { findings, runs } = mergeFrames(frames);
    expect(runs[0]?.frames).toEqual(frames);
    expect(findings[0]).toEqual({ is: 'noNumbers', count: 3 });
  });

  it('separates sessions and runs', () => {
    const start = (session: string, eventId: number, run: string) =>
      frameOf({ session_id: session, event_id: eventId, type: 'run_start', run_id: run });
    const reply = (session: string, eventId: number) => frameOf({ session_id: session, event_id: eventId, reply: 'x' });
    const { runs } = mergeFrames([
      start('a', 1, 'r1'),
      start('b', 1, 'r2'),
      reply('a', 2),
      reply('b', 2),
      start('a', 3, 'r3'),
      reply('a', 4),
    ]);
    expect(runs.map(({ frames, runId, session }) => [session, runId, frames.length])).toEqual([
      ['a', 'r1', 2],
      ['a', 'r3', 2],
      ['b', 'r2', 2],
    ]);
  });

  it('joins a resumed run into one', () => {
    const frames = [
      { type: 'run_start', run_id: 'r' },
      { reply: '', error: 'cut' },
      { type: 'run_start', run_id: 'r' },
      { reply: 'x' },
    ];
    expect(
      mergeFrames(frames.map((it, at) => frameOf({ ...it, session_id: 's', event_id: at + 1 }))).runs,
    ).toHaveLength(1);
  });

  it('gives a reply naming another session to its ending run', () => {
    const frames = [
      frameOf({ session_id: 'run-1', event_id: 1, type: 'node_enter', id: 'think' }),
      frameOf({ session_id: 'thread', event_id: 2, reply: 'x' }),
    ];
    expect(mergeFrames(frames).runs).toHaveLength(1);
  });

  it('allows a reply and the next event to share a number', () => {
    const frames = [
      frameOf({ session_id: 's', event_id: 1, type: 'run_start', run_id: 'a' }),
      frameOf({ session_id: 's', event_id: 2, reply: 'x' }),
      frameOf({ session_id: 's', event_id: 2, type: 'run_start', run_id: 'b' }),
    ];
    expect(mergeFrames(frames).runs).toHaveLength(2);
  });
});
