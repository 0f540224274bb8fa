// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

// Seconds as on a clock: "0:07", "4:59".
export function clockTime(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
