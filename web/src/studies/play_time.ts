// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { rounded } from '@/text/relative_time';

// Times of the records since the first one, on two scales: real, and with pauses cut. A record with an earlier
// time than its predecessor counts as simultaneous.
export class PlayTime {
  private readonly real: number[] = [];
  private readonly short: number[] = [];
  private first = 0;

  get count(): number {
    return this.real.length;
  }

  add(at: number): void {
    const last = this.real.length - 1;
    if (last < 0) {
      this.first = at;
      this.real.push(0);
      this.short.push(0);
      return;
    }
    const before = this.real[last] ?? 0;
    const gap = Math.max(0, at - this.first - before);
    this.real.push(before + gap);
    this.short.push((this.short[last] ?? 0) + Math.min(gap, kLongestPause));
  }

  // Milliseconds from the beginning to a record; an index out of range is clamped.
  of(index: number, skipPauses: boolean): number {
    const times = skipPauses ? this.short : this.real;
    return times[Math.max(0, Math.min(index, times.length - 1))] ?? 0;
  }

  length(skipPauses: boolean): number {
    return this.of(this.real.length - 1, skipPauses);
  }

  // Index of the last record at or before a time; -1: no records.
  indexAt(time: number, skipPauses: boolean): number {
    const times = skipPauses ? this.short : this.real;
    if (times.length === 0) return -1;
    let [low, high] = [0, times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((times[middle] ?? 0) <= time) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  // Converts a time to the other scale.
  convert(time: number, toSkipped: boolean): number {
    const index = this.indexAt(time, !toSkipped);
    const [from, to] = [this.of(index, !toSkipped), this.of(index + 1, !toSkipped)];
    const share = to > from ? Math.min(1, Math.max(0, (time - from) / (to - from))) : 0;
    return this.of(index, toSkipped) + share * (this.of(index + 1, toSkipped) - this.of(index, toSkipped));
  }
}

// Limit of a pause while pauses are skipped, in ms.
export const kLongestPause = 1500;
export const kSpeeds = [0.5, 1, 2, 4, 8] as const;
export type Speed = (typeof kSpeeds)[number];

// "0:07", "12:40", "1:02:40"; `tenths`: with tenths of a second.
export function clockText(ms: number, tenths = false): string {
  const all = rounded(Math.max(0, ms), tenths ? 100 : 1000) * (tenths ? 100 : 1000);
  const seconds = Math.floor(all / 1000);
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (value: number) => String(value).padStart(2, '0');
  const fraction = tenths ? `.${Math.floor((all % 1000) / 100)}` : '';
  return h > 0 ? `${h}:${two(m)}:${two(s)}${fraction}` : `${m}:${two(s)}${fraction}`;
}
