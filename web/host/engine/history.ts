// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The entries of messageHistory. Lists are never changed in place.
import type { HistoryEntry, Stage, UiSpec, UserEntry } from '@/stage/ui_spec';

// Limit of the entries; older ones are dropped.
export const kMaxEntries = 500;

export interface Stamp {
  now: () => number;
  random: () => number;
}

function base(prefix: 'sys' | 'usr' | 'agt', stage: Stage, stamp: Stamp) {
  const timestamp = stamp.now();
  const tail = Math.floor(stamp.random() * 36 ** 7)
    .toString(36)
    .padStart(7, '0');
  return { id: `${prefix}-${String(timestamp)}-${tail}`, timestamp, stage };
}

function appended(history: readonly HistoryEntry[], entry: HistoryEntry): HistoryEntry[] {
  return [...history, entry].slice(-kMaxEntries);
}

// Fields in the protocol's order: id, type, timestamp, stage, then those of the type.
export function withSystem(history: readonly HistoryEntry[], spec: UiSpec, stamp: Stamp): HistoryEntry[] {
  const { id, timestamp, stage } = base('sys', spec.stage, stamp);
  return appended(history, { id, type: 'system', timestamp, stage, spec });
}

export function withUser(
  history: readonly HistoryEntry[],
  stage: Stage,
  action: UserEntry['action'],
  label: string,
  stamp: Stamp,
): HistoryEntry[] {
  const { id, timestamp } = base('usr', stage, stamp);
  return appended(history, { id, type: 'user', timestamp, stage, action, label });
}

export function withAgent(history: readonly HistoryEntry[], stage: Stage, text: string, stamp: Stamp): HistoryEntry[] {
  const { id, timestamp } = base('agt', stage, stamp);
  return appended(history, { id, type: 'agent', timestamp, stage, text });
}

// The history with `spec` in its last system entry; earlier entries stay unchanged. Returns the same list if
// it has the spec already.
export function withLiveSpec(history: HistoryEntry[], spec: UiSpec): HistoryEntry[] {
  const last = history.findLastIndex((entry) => entry.type === 'system');
  const live = history[last];
  if (live?.type !== 'system' || live.spec === spec) return history;
  return history.map((entry, index) => (index === last ? { ...live, spec } : entry));
}
