// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

export const kPlatforms = ['android', 'ios', 'computer'] as const;
export type Platform = (typeof kPlatforms)[number];

// The kind of a device by its browser. An iPad presents itself as a Mac, which has no touch screen.
export function platformOf(userAgent: string, touchPoints: number): Platform {
  if (/android/i.test(userAgent)) return 'android';
  if (/iphone|ipad|ipod/i.test(userAgent)) return 'ios';
  return /macintosh/i.test(userAgent) && touchPoints > 1 ? 'ios' : 'computer';
}
