// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { RunItem } from './run_items';

// True for the heading of a step that has ended and shows nothing below it.
function isEmptyStep(item: RunItem, next: RunItem | undefined): boolean {
  return item.is === 'node' && item.state === 'done' && item.error === '' && (next === undefined || next.is === 'node');
}

// The items of a time line without empty steps, such as an "observe" between two calls. `keep`: key of an item that
// is shown anyway.
export function withoutEmptySteps(items: readonly RunItem[], keep: string): RunItem[] {
  return items.filter((item, index) => item.key === keep || !isEmptyStep(item, items[index + 1]));
}
