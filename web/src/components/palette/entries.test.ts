// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { beforeEach, describe, expect, it } from 'vitest';
import { forgetRecent, kMaxRecent, recentIds, remember } from '@/shell/recent';
import { type Entry, type EntryKind, groupsAtRest, markedParts } from './entries';

// @vitest-environment jsdom
const entry = (kind: EntryKind, id: string): Entry => ({
  id,
  kind,
  title: id,
  hint: '',
  icon: 'note',
  at: 0,
  open: () => undefined,
});

describe('palette at rest', () => {
  it('shows recent entries first, each entry once', () => {
    const groups = groupsAtRest([entry('question', 'q'), entry('page', 'p'), entry('page', 'r')], ['r', 'gone']);
    expect(groups.map(({ entries, kind }) => [kind, entries.map(({ entry: { id } }) => id)])).toEqual([
      ['recent', ['r']],
      ['question', ['q']],
      ['page', ['p']],
    ]);
  });

  it('shows a few of a thousand questions', () => {
    const many = Array.from({ length: 1000 }, (_, at) => entry('question', `q${at}`));
    expect(groupsAtRest(many, [])[0]?.entries.length).toBeLessThan(10);
  });
});

describe('marked parts', () => {
  it('cover the whole title', () => {
    expect(markedParts('😀run', [1, 2])).toEqual([
      { text: '😀', match: false },
      { text: 'ru', match: true },
      { text: 'n', match: false },
    ]);
  });
});

describe('recent ids', () => {
  beforeEach(() => {
    localStorage.clear();
  });

  it('keep the latest first, without repeats, up to a limit', () => {
    for (let at = 0; at < kMaxRecent + 3; at += 1) remember(`id${at}`);
    remember('id5');
    expect(recentIds()[0]).toBe('id5');
    expect(recentIds()).toHaveLength(kMaxRecent);
    expect(new Set(recentIds()).size).toBe(kMaxRecent);
  });

  it('are gone after forgetRecent()', () => {
    remember('id1');
    forgetRecent();
    expect(recentIds()).toEqual([]);
  });

  it('survive a broken store', () => {
    localStorage.setItem('parley.recent', '{"a":1}');
    expect(recentIds()).toEqual([]);
  });
});
