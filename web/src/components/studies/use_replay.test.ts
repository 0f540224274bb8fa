// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { effectScope, type EffectScope } from 'vue';
import { kSmallLog } from '@/studies/small_log';
import { type Replay, useReplay } from './use_replay';

const kRecords = 20;
let scope: EffectScope;
let frames: FrameRequestCallback[];

// Runs the pending animation frames at the given times.
function tick(...at: number[]): void {
  for (const time of at)
    frames.splice(0).forEach((frame) => {
      frame(time);
    });
}

async function opened(text = kSmallLog): Promise<Replay> {
  const replay = scope.run(useReplay);
  if (!replay) throw new Error('no scope');
  replay.open({ is: 'file', file: new File([text], 'log.jsonl') });
  await vi.waitFor(() => expect(replay.state.value.phase).toBe('complete'));
  await vi.waitFor(() => expect(replay.count.value).toBe(text === '' ? 0 : kRecords));
  return replay;
}

beforeEach(() => {
  frames = [];
  scope = effectScope();
  vi.stubGlobal('requestAnimationFrame', (frame: FrameRequestCallback) => frames.push(frame));
  vi.stubGlobal('cancelAnimationFrame', () => frames.splice(0));
});
afterEach(() => {
  scope.stop();
  vi.unstubAllGlobals();
});

describe('a replay', () => {
  it('starts at the first record and stays within the log', async () => {
    const replay = await opened();
    expect(replay.index.value).toBe(0);
    replay.seekIndex(999);
    expect(replay.index.value).toBe(kRecords - 1);
    replay.seekTime(-5);
    expect([replay.index.value, replay.position.value]).toEqual([0, 0]);
  });

  it('plays at the chosen speed and stops at the end', async () => {
    const replay = await opened();
    replay.setSpeed(8);
    replay.play();
    tick(1000, 1200);
    expect(replay.position.value).toBe(1600);
    expect(replay.now.value.index).toBe(5);
    for (let at = 1400; at < 6000; at += 200) tick(at);
    expect([replay.index.value, replay.playing.value]).toEqual([kRecords - 1, false]);
    replay.play();
    expect(replay.index.value).toBe(0);
  });

  it('does not leap on a late frame', async () => {
    const replay = await opened();
    replay.play();
    tick(1000, 61_000);
    expect(replay.position.value).toBe(250);
  });

  it('keeps its position when pauses are skipped', async () => {
    const replay = await opened();
    replay.seekIndex(14);
    replay.setSkipPauses(true);
    expect(replay.index.value).toBe(14);
    expect(replay.length.value).toBeLessThan(21_000);
    expect(replay.log().time.indexAt(replay.position.value, true)).toBe(14);
  });

  it('goes from event to event, and to the next refusal', async () => {
    const replay = await opened();
    expect(replay.jump(true, (entry) => entry.kind === 'refused')).toBe(true);
    expect(replay.index.value).toBe(11);
    expect(replay.jump(true, (entry) => entry.kind === 'refused')).toBe(false);
    replay.jump(false);
    expect(replay.index.value).toBe(6);
  });

  it('leaves the live end on going back, and returns to it', async () => {
    const replay = await opened();
    replay.goLive();
    expect([replay.follow.value, replay.index.value]).toEqual([true, kRecords - 1]);
    replay.seekIndex(3);
    expect(replay.follow.value).toBe(false);
  });

  it('is empty for a file without records', async () => {
    const replay = await opened('');
    expect([replay.count.value, replay.index.value, replay.now.value.index]).toEqual([0, -1, -1]);
    expect(replay.reading.value?.records).toBe(0);
  });

  it('tells whether the file is complete', async () => {
    expect((await opened()).findings()).toEqual([]);
  });
});
