// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { kMaxQuickReplies, kMaxQuickReplyChars, moved, quickReplies } from './quick_replies';

describe('quick replies', () => {
  it('are those of the language until they are edited', () => {
    expect(quickReplies(undefined)).toBeNull();
    expect(quickReplies('OK')).toBeNull();
    expect(quickReplies([])).toEqual([]);
  });

  it('are trimmed, bounded, and not repeated', () => {
    expect(quickReplies([' a ', 'a', '', 3, 'b'])).toEqual(['a', 'b']);
    expect(quickReplies(Array.from({ length: 30 }, (_, i) => String(i)))).toHaveLength(kMaxQuickReplies);
    expect(quickReplies(['x'.repeat(999)])?.[0]).toHaveLength(kMaxQuickReplyChars);
  });

  it('move up and down, not out of the list', () => {
    expect(moved(['a', 'b', 'c'], 0, 1)).toEqual(['b', 'a', 'c']);
    expect(moved(['a', 'b', 'c'], 2, 0)).toEqual(['c', 'a', 'b']);
    expect(moved(['a', 'b'], 1, 2)).toEqual(['a', 'b']);
    expect(moved(['a', 'b'], 0, -1)).toEqual(['a', 'b']);
  });
});
