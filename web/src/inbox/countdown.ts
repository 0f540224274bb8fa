// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

export interface Countdown {
  fraction: number; // of the time that is left, 0..1
  seconds: number; // whole seconds left, never below 0
  showNumbers: boolean; // only in the last minute
}

export const kLastMinuteMs = 60_000;

export function countdown(openedAt: number, deadline: number, now: number): Countdown | null {
  if (deadline <= 0) return null;
  const left = Math.max(0, deadline - now);
  const whole = Math.max(1, deadline - openedAt);
  return {
    fraction: Math.min(1, left / whole),
    seconds: Math.ceil(left / 1000),
    showNumbers: left <= kLastMinuteMs,
  };
}
