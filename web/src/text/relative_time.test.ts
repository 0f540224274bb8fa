// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { dayTitle, duration, relativeTime } from './relative_time';

const kNow = new Date(2026, 2, 10, 12, 0, 0).getTime();
const kMinute = 60_000;

describe('relativeTime', () => {
  it.each([
    [0, 'now', '现在'],
    [59_000, 'now', '现在'],
    [-5_000, 'now', '现在'],
    [kMinute, '1m ago', '1分钟前'],
    [59 * kMinute, '59m ago', '59分钟前'],
    [60 * kMinute, '1h ago', '1小时前'],
    [24 * 60 * kMinute, 'yesterday', '昨天'],
    [8 * 24 * 60 * kMinute, 'Mar 2', '3月2日'],
  ])('%d ms ago', (age, english, chinese) => {
    expect(relativeTime(kNow - age, kNow, 'en')).toBe(english);
    expect(relativeTime(kNow - age, kNow, 'zh').replace(/\s/g, '')).toBe(chinese);
  });

  it('names the year of another year', () => {
    expect(relativeTime(new Date(2024, 0, 5).getTime(), kNow, 'en')).toBe('Jan 5, 2024');
  });
});

describe('dayTitle', () => {
  it('names today, yesterday and other days', () => {
    expect(dayTitle(kNow - kMinute, kNow, 'en')).toBe('Today');
    expect(dayTitle(kNow - 13 * 60 * kMinute, kNow, 'en')).toBe('Yesterday');
    expect(dayTitle(kNow - 72 * 60 * kMinute, kNow, 'en')).toBe('Saturday, March 7');
  });
});

describe('duration', () => {
  it.each([
    [1234, '1.2 s'],
    [40_000, '40 s'],
    [180_000, '3 min'],
    [7_200_000, '2 h'],
    [149, '0.1 s'],
    [150, '0.2 s'],
    [9_949, '9.9 s'],
    [9_950, '10 s'],
    [59_499, '59 s'],
    [59_500, '1 min'],
    [3_570_000, '1 h'],
  ])('%d ms is %s', (ms, words) => {
    expect(duration(ms)).toBe(words);
  });
});
