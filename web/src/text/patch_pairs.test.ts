// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import type { PatchLine, PatchLineKind } from './patch';
import { sideBySide } from './patch_pairs';

const kKinds: Readonly<Record<string, PatchLineKind>> = { ' ': 'same', '-': 'removed', '+': 'added', '\\': 'note' };
const paired = (signs: string) =>
  sideBySide([...signs].map((sign): PatchLine => ({ kind: kKinds[sign] ?? 'same', text: '', before: 0, after: 0 })))
    .map(({ left, right }) => `${left}:${right}`)
    .join(' ');

describe('lines side by side', () => {
  it('are unchanged ones, and a removed block beside the added one behind it', () => {
    expect(paired(' --+ ')).toBe('0:0 1:3 2:-1 4:4');
    expect(paired('-+-+')).toBe('0:1 2:3');
    expect(paired('++')).toBe('-1:0 -1:1');
    expect(paired('')).toBe('');
  });

  it('keep the note of a missing line end on its side', () => {
    expect(paired('-\\+')).toBe('0:2 1:-1');
    expect(paired('-+\\')).toBe('0:1 -1:2');
    expect(paired(' \\')).toBe('0:0 1:1');
  });

  it('contain each line once on its side', () => {
    const signs = ' -+\\-- +\\ ++-';
    const pairs = paired(signs)
      .split(' ')
      .flatMap((pair) => pair.split(':').map(Number))
      .filter((at) => at >= 0);
    expect([...new Set(pairs)].sort((a, b) => a - b)).toEqual([...signs].map((_, at) => at));
  });
});
