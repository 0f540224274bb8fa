// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { addDays, calendarDays, displayDay, localDay, weekdayOf } from './calendar';

describe('the calendar', () => {
  it('names the weekday of a date in any time zone', () => {
    expect(weekdayOf('2026-11-22')).toBe('Sun');
    expect(displayDay('2026-11-22')).toBe('Nov 22 (Sun)');
    expect(displayDay('2028-02-29')).toBe('Feb 29 (Tue)');
  });

  it('counts over the ends of months and years', () => {
    expect(addDays('2026-12-31', 1)).toBe('2027-01-01');
    expect(addDays('2026-03-28', 2)).toBe('2026-03-30');
  });

  it('takes today from local time, not from UTC', () => {
    expect(localDay(new Date(2026, 10, 22, 0, 5).getTime())).toBe('2026-11-22');
    expect(localDay(new Date(2026, 10, 22, 23, 55).getTime())).toBe('2026-11-22');
  });

  it('shows fourteen days from today', () => {
    const days = calendarDays('2026-11-22', ['2026-11-24']);
    expect(days).toHaveLength(14);
    expect(days[0]).toBe('2026-11-22');
    expect(days[13]).toBe('2026-12-05');
  });

  it('starts with the first showing if the next fourteen days have none', () => {
    expect(calendarDays('2026-11-22', ['2027-01-05', '2027-01-04'])[0]).toBe('2027-01-04');
    expect(calendarDays('2026-11-22', ['2026-03-11', '2026-03-12'])[0]).toBe('2026-03-11');
    expect(calendarDays('2026-11-22', [])[0]).toBe('2026-11-22');
  });
});
