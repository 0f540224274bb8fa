// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { asArray, asNumber, asObject, asText } from '@/wire/json';

export interface DayFigures {
  day: string; // "2026-11-25", in the person's time zone
  asked: number;
  answered: number;
  expired: number;
  cancelled: number;
  medianMs: number | null; // null: no answers
  p90Ms: number | null;
}

export interface NamedFigures {
  name: string;
  asked: number | null; // null: does not apply, as to people
  answered: number;
  medianMs: number | null;
}

export interface Statistics {
  days: DayFigures[];
  agents: NamedFigures[];
  projects: NamedFigures[];
  people: NamedFigures[];
  open: number;
}

export const kRanges = [7, 30, 90] as const;
export type Range = (typeof kRanges)[number];

const count = (value: unknown) => Math.max(0, asNumber(value) ?? 0);

function readNamed(value: unknown): NamedFigures[] {
  return asArray(value)
    .map(asObject)
    .map((it) => ({
      name: asText(it['name']),
      asked: it['asked'] === undefined ? null : count(it['asked']),
      answered: count(it['answered']),
      medianMs: asNumber(it['median_ms']),
    }));
}

export function readStatistics(value: unknown): Statistics {
  const it = asObject(value);
  const days = asArray(it['days'])
    .map(asObject)
    .map((day): DayFigures => ({
      day: asText(day['day']),
      asked: count(day['asked']),
      answered: count(day['answered']),
      expired: count(day['expired']),
      cancelled: count(day['cancelled']),
      medianMs: asNumber(day['median_ms']),
      p90Ms: asNumber(day['p90_ms']),
    }));
  return {
    days: days.filter(({ day }) => /^\d{4}-\d{2}-\d{2}$/.test(day)),
    agents: readNamed(it['agents']),
    projects: readNamed(it['projects']),
    people: readNamed(it['people']),
    open: count(it['open']),
  };
}

const two = (value: number) => String(value).padStart(2, '0');

export function dayName(date: Date): string {
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

// Noon of a day: the same date in every time zone that has it.
export function noonOf(day: string): Date {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date, 12);
}

// The query string of GET /v1/statistics for the last `range` days, today included.
export function statisticsRequest(range: Range, now: Date): string {
  const from = new Date(now.getFullYear(), now.getMonth(), now.getDate() - range + 1);
  return new URLSearchParams({
    from: from.toISOString(),
    to: now.toISOString(),
    offset_minutes: String(-now.getTimezoneOffset()),
  }).toString();
}

// One entry for each of the last `range` days, oldest first; the server leaves out days without a question.
export function everyDay(days: readonly DayFigures[], range: Range, now: Date): DayFigures[] {
  const known = new Map(days.map((day) => [day.day, day]));
  return Array.from({ length: range }, (_, at) => {
    const day = dayName(new Date(now.getFullYear(), now.getMonth(), now.getDate() - range + 1 + at, 12));
    return known.get(day) ?? { day, asked: 0, answered: 0, expired: 0, cancelled: 0, medianMs: null, p90Ms: null };
  });
}

export function totalsOf(
  days: readonly DayFigures[],
): Pick<DayFigures, 'asked' | 'answered' | 'expired' | 'cancelled'> {
  const total = { asked: 0, answered: 0, expired: 0, cancelled: 0 };
  for (const day of days)
    for (const name of ['asked', 'answered', 'expired', 'cancelled'] as const) total[name] += day[name];
  return total;
}

// A duration on an axis: not rounded to its unit, so that two neighbours differ. 1.5 min.
export function axisTime(ms: number): string {
  if (ms === 0) return '0';
  const [unit, name] =
    ms < 1000 ? [1, 'ms'] : ms < 60_000 ? [1000, 's'] : ms < 3_600_000 ? [60_000, 'min'] : [3_600_000, 'h'];
  return `${Math.round((ms / unit) * 10) / 10} ${name}`;
}
