// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

const kMinute = 60_000;
const kHour = 60 * kMinute;
const kDay = 24 * kHour;

// Creating a formatter costs much more than formatting: one for each language and form.
function cachedByLocale<T>(make: (locale: string) => T): (locale: string) => T {
  const made = new Map<string, T>();
  return (locale) => {
    const known = made.get(locale) ?? make(locale);
    made.set(locale, known);
    return known;
  };
}

const dates = (options: Intl.DateTimeFormatOptions) =>
  cachedByLocale((locale) => new Intl.DateTimeFormat(locale, options));
const narrow = cachedByLocale((locale) => new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'narrow' }));
const wide = cachedByLocale((locale) => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }));
const shortDay = dates({ day: 'numeric', month: 'short' });
const shortDayOfYear = dates({ day: 'numeric', month: 'short', year: 'numeric' });
const longDay = dates({ weekday: 'long', day: 'numeric', month: 'long' });
const longDayOfYear = dates({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
const exact = dates({ dateStyle: 'medium', timeStyle: 'medium' });

// "now", "3 min. ago", "2 hr. ago", then a date, in the person's language.
export function relativeTime(at: number, now: number, locale: string): string {
  const format = narrow(locale);
  const age = now - at;
  if (age < kMinute) return format.format(0, 'second');
  if (age < kHour) return format.format(-Math.floor(age / kMinute), 'minute');
  if (age < kDay) return format.format(-Math.floor(age / kHour), 'hour');
  if (age < 7 * kDay) return format.format(-Math.floor(age / kDay), 'day');
  const sameYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return (sameYear ? shortDay : shortDayOfYear)(locale).format(at);
}

export function exactTime(at: number, locale: string): string {
  return exact(locale).format(at);
}

// The heading over the items of one day.
export function dayTitle(at: number, now: number, locale: string): string {
  const days = Math.round((startOfDay(now) - startOfDay(at)) / kDay);
  if (days >= 0 && days <= 1) {
    const words = wide(locale).format(-days, 'day');
    return words.charAt(0).toUpperCase() + words.slice(1);
  }
  const sameYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return (sameYear ? longDay : longDayOfYear)(locale).format(at);
}

export function startOfDay(at: number): number {
  const date = new Date(at);
  date.setHours(0, 0, 0, 0);
  return date.getTime();
}

// Rounds to the nearest unit, halves up, as the server does (src/base/core/duration_text.h).
export function rounded(ms: number, unit: number): number {
  return Math.floor((ms + unit / 2) / unit);
}

// 1.2 s, 40 s, 3 min, 2 h: how long something took or may take.
export function duration(ms: number): string {
  const tenths = rounded(ms, 100);
  if (tenths < 100) return `${(tenths / 10).toFixed(1)} s`;
  const seconds = rounded(ms, 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = rounded(ms, kMinute);
  if (minutes < 60) return `${minutes} min`;
  return `${rounded(ms, kHour)} h`;
}

// The same, with milliseconds below a second: 40 ms.
export function shortDuration(ms: number): string {
  return ms < 1000 ? `${rounded(ms, 1)} ms` : duration(ms);
}
