// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { PatchLine } from './patch';

// Indexes of the lines of a hunk that stand beside each other; -1: none.
export interface PatchPair {
  left: number;
  right: number;
}

// The lines of a hunk side by side: a removed block stands beside the added block behind it. A note belongs to the side
// of the line above it.
export function sideBySide(lines: readonly PatchLine[]): PatchPair[] {
  const pairs: PatchPair[] = [];
  let [left, right]: [number[], number[]] = [[], []];
  const flush = (): void => {
    for (let at = 0; at < Math.max(left.length, right.length); at += 1)
      pairs.push({ left: left[at] ?? -1, right: right[at] ?? -1 });
    [left, right] = [[], []];
  };
  lines.forEach(({ kind }, at) => {
    const before = lines[at - 1]?.kind;
    if (kind === 'removed') {
      if (right.length > 0) flush();
      left.push(at);
    } else if (kind === 'added') right.push(at);
    else if (kind === 'note' && before === 'removed') left.push(at);
    else if (kind === 'note' && before === 'added') right.push(at);
    else {
      flush();
      pairs.push({ left: at, right: at });
    }
  });
  flush();
  return pairs;
}
