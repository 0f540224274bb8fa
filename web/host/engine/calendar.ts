// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Days as texts "YYYY-MM-DD", at the theater, independent of time zones.

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

export const kCalendarDays = 14;

function pad(number: number, width: number): string {
  return String(number).padStart(width, '0');
}

// The day of a time in the time zone of this computer.
export function localDay(ms: number): string {
  const at = new Date(ms);
  return `${pad(at.getFullYear(), 4)}-${pad(at.getMonth() + 1, 2)}-${pad(at.getDate(), 2)}`;
}

// Number of the day in UTC, so that conversions do not shift the day.
function dayNumber(day: string): number {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return Date.UTC(year, month - 1, date) / 86_400_000;
}

export function addDays(day: string, count: number): string {
  return new Date((dayNumber(day) + count) * 86_400_000).toISOString().slice(0, 10);
}

export function weekdayOf(day: string): string {
  return weekdays[new Date(dayNumber(day) * 86_400_000).getUTCDay()] ?? '';
}

// "Nov 22 (Sun)"
export function displayDay(day: string): string {
  const [, month = 1, date = 1] = day.split('-').map(Number);
  return `${months[month - 1] ?? ''} ${String(date)} (${weekdayOf(day)})`;
}

// Fourteen days from today; if no showing is in them (older sample data), fourteen days from the first day
// with a showing.
export function calendarDays(today: string, offered: readonly string[]): string[] {
  const days = Array.from({ length: kCalendarDays }, (_, index) => addDays(today, index));
  const ordered = [...offered].sort();
  const first = ordered.find((day) => day >= today) ?? ordered[0];
  if (first === undefined || days.some((day) => ordered.includes(day))) return days;
  return days.map((_, index) => addDays(first, index));
}
