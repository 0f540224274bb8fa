// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { clockText, kLongestPause, PlayTime } from './play_time';

function timeOf(...at: number[]): PlayTime {
  const time = new PlayTime();
  at.forEach((it) => {
    time.add(1_000_000 + it);
  });
  return time;
}

describe('the time of a study', () => {
  const time = timeOf(0, 100, 60_100, 60_200);

  it('starts at the first record and keeps every pause', () => {
    expect([0, 1, 2, 3].map((index) => time.of(index, false))).toEqual([0, 100, 60_100, 60_200]);
    expect(time.length(false)).toBe(60_200);
  });

  it('shortens longer pauses on skipping', () => {
    expect(time.of(2, true)).toBe(100 + kLongestPause);
    expect(time.length(true)).toBe(200 + kLongestPause);
  });

  it('finds the last record of a moment', () => {
    expect([-5, 0, 99, 100, 59_000, 60_100, 1e9].map((ms) => time.indexAt(ms, false))).toEqual([0, 0, 0, 1, 1, 2, 3]);
    expect(new PlayTime().indexAt(0, false)).toBe(-1);
  });

  it('gives simultaneous records together', () => {
    expect(timeOf(0, 50, 50, 50, 90).indexAt(50, false)).toBe(3);
  });

  it('keeps the record when pauses are skipped or not', () => {
    for (const at of [0, 100, 30_000, 60_150, 60_200]) {
      const index = time.indexAt(at, false);
      const short = time.convert(at, true);
      expect(time.indexAt(short, true)).toBe(index);
      expect(time.indexAt(time.convert(short, false), false)).toBe(index);
    }
  });

  it('does not run backwards after a backward clock', () => {
    const odd = timeOf(0, 500, 200, 600);
    expect([0, 1, 2, 3].map((index) => odd.of(index, false))).toEqual([0, 500, 500, 600]);
  });
});

describe('clock', () => {
  it.each([
    [0, '0:00'],
    [7_499, '0:07'],
    [7_500, '0:08'],
    [59_600, '1:00'],
    [754_000, '12:34'],
    [3_760_000, '1:02:40'],
    [-5, '0:00'],
  ])('%i ms is %s', (ms, text) => {
    expect(clockText(ms)).toBe(text);
  });

  it('gives tenths on request', () => {
    expect(clockText(61_250, true)).toBe('1:01.3');
  });
});
