// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readOpened } from '@/protocol/history';
import type { Item } from './item';
import { noteShown, shownDigest, shownText } from './shown';

interface Case {
  name: string;
  opened: unknown;
  shown: string;
}
const cases = JSON.parse(readFileSync('../tests/shown/cases.json', 'utf8')) as Case[];

const itemOf = (opened: unknown): Item => {
  const item = readOpened(opened);
  if (!item) throw new Error('the case is no request');
  return item;
};

afterEach(() => vi.unstubAllGlobals());

describe('the text that was shown', () => {
  it.each(cases)('$name', ({ opened, shown }) => {
    expect(shownText(itemOf(opened))).toBe(shown);
  });

  it('has a digest once it was noted, also for a copy of its item', async () => {
    const [first] = cases;
    const item = itemOf(first?.opened);
    expect(shownDigest(item)).toBe('');
    await noteShown(item);
    const digest = createHash('sha256')
      .update(first?.shown ?? '')
      .digest('hex');
    const copy: Item = { ...item, state: 'closed' };
    expect(shownDigest(copy)).toBe(digest);
  });

  it('has none where the browser has no SHA-256', async () => {
    vi.stubGlobal('crypto', {});
    const item = itemOf(cases[0]?.opened);
    await noteShown(item);
    expect(shownDigest(item)).toBe('');
  });
});
