// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The visible items of a stage: filter, then sort, then augment, then isDisabled.
import type { FilterOperator, Item, Modification, VisibleItem } from '@/stage/ui_spec';

type Filter = NonNullable<Modification['filter']>;
type Sort = NonNullable<Modification['sort']>;

function comparesBy(operator: FilterOperator, left: unknown, right: unknown): boolean {
  const a = left as number;
  const b = right as number;
  switch (operator) {
    case 'gt':
      return a > b;
    case 'lt':
      return a < b;
    case 'gte':
      return a >= b;
    default:
      return a <= b;
  }
}

// eq, neq and contains are case-sensitive, eq and neq also strict. An unknown operator keeps all items.
export function passesFilter(item: Item, filter: Filter): boolean {
  const field = item[filter.field];
  switch (filter.operator) {
    case 'eq':
      return field === filter.value;
    case 'neq':
      return field !== filter.value;
    case 'contains':
      return Array.isArray(field) ? field.includes(filter.value) : textOf(field).includes(textOf(filter.value));
    case 'gt':
    case 'lt':
    case 'gte':
    case 'lte':
      return comparesBy(filter.operator, field, filter.value);
    case 'in':
      return Array.isArray(filter.value) && filter.value.includes(field);
    default:
      return true;
  }
}

export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(textOf).join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean);
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return a.localeCompare(b);
  return textOf(a).localeCompare(textOf(b));
}

function sorted(items: readonly Item[], sort: Sort): Item[] {
  const sign = sort.order === 'desc' ? -1 : 1;
  return [...items].sort((a, b) => sign * compare(a[sort.field], b[sort.field]));
}

// The label of a row under the modification, also if the row is hidden.
export function labelOf(item: Item, valueField: string, modification: Modification): string {
  const augmented = modification.augment?.findLast((entry) => entry.itemId === item.id);
  return augmented === undefined ? textOf(item[valueField]) : augmented.value;
}

export function shownItems(items: readonly Item[], modification: Modification): readonly Item[] {
  const { filter, sort } = modification;
  const passing = filter === undefined ? items : items.filter((item) => passesFilter(item, filter));
  return sort === undefined ? passing : sorted(passing, sort);
}

// `disabled`: ids of rows that cannot be chosen.
export function visibleItems(
  items: readonly Item[],
  valueField: string,
  modification: Modification,
  disabled: ReadonlyMap<string, string>,
): VisibleItem[] {
  const augmented = new Map(modification.augment?.map((entry) => [entry.itemId, entry.value]));
  return shownItems(items, modification).map((item) => {
    const value = augmented.get(item.id) ?? textOf(item[valueField]);
    return disabled.has(item.id) ? { id: item.id, value, isDisabled: true } : { id: item.id, value };
  });
}
