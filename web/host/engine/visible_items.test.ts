// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import type { FilterOperator, Item, Modification } from '@/stage/ui_spec';
import { visibleItems } from './visible_items';

const films: Item[] = [
  { id: 'm1', title: 'Birch', genre: ['Drama', 'War'], duration: 90, rating: 'R' },
  { id: 'm2', title: 'Aspen', genre: ['Comedy'], duration: 120, rating: 'PG' },
  { id: 'm3', title: 'Cedar', genre: ['Drama'], duration: 90, rating: 'PG' },
];
const nothing = new Map<string, string>();

function ids(modification: Modification, disabled = nothing): string[] {
  return visibleItems(films, 'title', modification, disabled).map((item) => item.id);
}

function filtered(field: string, operator: FilterOperator, value: unknown): string[] {
  return ids({ filter: { field, operator, value } });
}

describe('visibleItems', () => {
  it.each<[string, FilterOperator, unknown, string[]]>([
    ['rating', 'eq', 'PG', ['m2', 'm3']],
    ['duration', 'eq', '90', []],
    ['rating', 'neq', 'PG', ['m1']],
    ['genre', 'contains', 'Drama', ['m1', 'm3']],
    ['genre', 'contains', 'drama', []],
    ['title', 'contains', 'e', ['m2', 'm3']],
    ['duration', 'contains', '2', ['m2']],
    ['duration', 'gt', 90, ['m2']],
    ['duration', 'gte', 90, ['m1', 'm2', 'm3']],
    ['duration', 'lt', 120, ['m1', 'm3']],
    ['duration', 'lte', 90, ['m1', 'm3']],
    ['id', 'in', ['m3', 'm1'], ['m1', 'm3']],
    ['id', 'in', 'm3', []],
  ])('filters %s %s %j', (field, operator, value, expected) => {
    expect(filtered(field, operator, value)).toEqual(expected);
  });

  it('keeps all for an unknown operator', () => {
    expect(filtered('title', 'like' as FilterOperator, 'x')).toEqual(['m1', 'm2', 'm3']);
  });

  it('sorts words by locale, numbers by size, and keeps equals in order', () => {
    expect(ids({ sort: { field: 'title', order: 'asc' } })).toEqual(['m2', 'm1', 'm3']);
    expect(ids({ sort: { field: 'title', order: 'desc' } })).toEqual(['m3', 'm1', 'm2']);
    expect(ids({ sort: { field: 'duration', order: 'desc' } })).toEqual(['m2', 'm1', 'm3']);
    expect(ids({ sort: { field: 'genre', order: 'asc' } })).toEqual(['m2', 'm3', 'm1']);
  });

  it('filters before sorting, then relabels and marks disabled items', () => {
    const shown = visibleItems(
      films,
      'title',
      {
        filter: { field: 'genre', operator: 'contains', value: 'Drama' },
        sort: { field: 'title', order: 'desc' },
        augment: [
          { itemId: 'm1', value: 'Zebra' },
          { itemId: 'm1', value: 'A birch' },
        ],
      },
      new Map([['m3', 'sold out']]),
    );
    expect(shown).toEqual([
      { id: 'm3', value: 'Cedar', isDisabled: true },
      { id: 'm1', value: 'A birch' },
    ]);
  });

  it('has no isDisabled key on choosable items', () => {
    expect(visibleItems(films, 'title', {}, nothing)[0]).toStrictEqual({ id: 'm1', value: 'Birch' });
  });
});
