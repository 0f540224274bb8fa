// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The part of the history that is sent. Bounded: otherwise the total of all pushes would grow with the square
// of the session's length.
import type { HistoryEntry, SpecSummary, UiSpec } from '@/stage/ui_spec';

// Limit up to which the history is sent whole, in UTF-16 units of its JSON.
export const kWholeLimit = 64 * 1024;
// Limit with summaries, in the same units; beyond it the oldest entries are omitted.
export const kHardLimit = 256 * 1024;

// Cached sizes: entries are never changed in place.
const sizes = new WeakMap<HistoryEntry, number>();

function sizeOf(entry: HistoryEntry): number {
  const known = sizes.get(entry);
  if (known !== undefined) return known;
  const size = JSON.stringify(entry).length + 1;
  sizes.set(entry, size);
  return size;
}

function totalOf(history: readonly HistoryEntry[]): number {
  return history.reduce((sum, entry) => sum + sizeOf(entry), 1);
}

export function summaryOf(spec: UiSpec): SpecSummary {
  const summary: SpecSummary = {
    stage: spec.stage,
    title: spec.title,
    summary: true,
    visibleCount: spec.visibleItems.length,
  };
  return spec.state.selected ? { ...summary, selected: spec.state.selected } : summary;
}

const summaries = new WeakMap<HistoryEntry, HistoryEntry>();

function summarised(entry: HistoryEntry): HistoryEntry {
  if (entry.type !== 'system' || 'summary' in entry.spec) return entry;
  const known = summaries.get(entry);
  if (known) return known;
  const short: HistoryEntry = { ...entry, spec: summaryOf(entry.spec) };
  summaries.set(entry, short);
  return short;
}

function newest(history: readonly HistoryEntry[], limit: number): HistoryEntry[] {
  const live = history.findLastIndex((entry) => entry.type === 'system');
  let room = limit - (live < 0 ? 0 : sizeOf(history[live] as HistoryEntry));
  let first = history.length;
  while (first > 0) {
    const entry = history[first - 1] as HistoryEntry;
    if (first - 1 !== live) room -= sizeOf(entry);
    if (room < 0) break;
    first -= 1;
  }
  return history.filter((_, index) => index >= first || index === live);
}

// `full`: an agent has requested past specs in full; no limit.
export function compactHistory(history: readonly HistoryEntry[], full = false): HistoryEntry[] {
  if (full || totalOf(history) <= kWholeLimit) return [...history];
  const live = history.findLastIndex((entry) => entry.type === 'system');
  const short = history.map((entry, index) => (index === live ? entry : summarised(entry)));
  return totalOf(short) <= kHardLimit ? short : newest(short, kHardLimit);
}
