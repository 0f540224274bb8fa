// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { axisTime, everyDay, noonOf, readStatistics, statisticsRequest, totalsOf } from './statistics';

const now = new Date(2026, 2, 1, 15, 30); // 1 March
const answer = {
  days: [
    { day: '2026-02-28', asked: 12, answered: 10, expired: 1, cancelled: 1, median_ms: 12_345, p90_ms: 99_999 },
    { day: '2026-03-01', asked: 2, answered: 0, expired: 0, cancelled: 0, median_ms: null, p90_ms: null },
  ],
  agents: [{ name: 'Coder', asked: 14, answered: 10, median_ms: 12_345 }],
  projects: [],
  people: [{ name: 'Ada', answered: 10, median_ms: 12_345 }],
  open: 3,
};

describe('statistics', () => {
  it('are read', () => {
    const { agents, days, open, people } = readStatistics(answer);
    expect(open).toBe(3);
    expect(days[0]).toEqual({
      day: '2026-02-28',
      asked: 12,
      answered: 10,
      expired: 1,
      cancelled: 1,
      medianMs: 12_345,
      p90Ms: 99_999,
    });
    expect(days[1]?.medianMs).toBeNull();
    expect(agents[0]).toEqual({ name: 'Coder', asked: 14, answered: 10, medianMs: 12_345 });
    expect(people[0]?.asked).toBeNull();
  });

  it('may have anything in them', () => {
    expect(readStatistics('x')).toEqual({ days: [], agents: [], projects: [], people: [], open: 0 });
    expect(readStatistics({ days: [{ day: 'today' }], agents: [4], open: -1 })).toMatchObject({
      days: [],
      agents: [{ name: '', answered: 0 }],
      open: 0,
    });
  });

  it('have every day of the range, across the end of a month', () => {
    const days = everyDay(readStatistics(answer).days, 7, now);
    expect(days.map(({ day }) => day)).toEqual([
      '2026-02-23',
      '2026-02-24',
      '2026-02-25',
      '2026-02-26',
      '2026-02-27',
      '2026-02-28',
      '2026-03-01',
    ]);
    expect(days.map(({ asked }) => asked)).toEqual([0, 0, 0, 0, 0, 12, 2]);
    expect(totalsOf(days)).toEqual({ asked: 14, answered: 10, expired: 1, cancelled: 1 });
  });

  it('are asked for from the beginning of the first day, in the time zone of the person', () => {
    const asked = new URLSearchParams(statisticsRequest(7, now));
    expect(asked.get('from')).toBe(new Date(2026, 1, 23).toISOString());
    expect(asked.get('to')).toBe(now.toISOString());
    expect(Number(asked.get('offset_minutes'))).toBe(-now.getTimezoneOffset() || 0);
  });

  it('have durations on the axis that differ', () => {
    expect([0, 500, 30_000, 60_000, 90_000, 120_000, 5_400_000].map(axisTime)).toEqual([
      '0',
      '500 ms',
      '30 s',
      '1 min',
      '1.5 min',
      '2 min',
      '1.5 h',
    ]);
  });

  it('place a day at its noon', () => {
    expect(noonOf('2026-03-01').getDate()).toBe(1);
    expect(noonOf('2026-03-01').getHours()).toBe(12);
  });
});
