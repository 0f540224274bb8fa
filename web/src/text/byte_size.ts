// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

// "812 B", "3.4 KB", "12 MB": steps of 1024, two digits below ten.
export function byteSize(bytes: number): string {
  const units = ['KB', 'MB', 'GB'];
  if (bytes < 1024) return `${Math.round(bytes)} B`;
  let size = bytes / 1024;
  let unit = 0;
  for (; size >= 1023.5 && unit < units.length - 1; unit += 1) size /= 1024;
  return `${size < 9.95 ? size.toFixed(1) : Math.round(size)} ${units[unit] ?? ''}`;
}
