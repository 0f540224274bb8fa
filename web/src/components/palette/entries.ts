// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { IconName } from '@/components/icons';
import type { Rankable } from '@/shell/fuzzy';

export const kEntryKinds = ['question', 'page', 'conversation', 'run', 'chat', 'study', 'action'] as const;
export type EntryKind = (typeof kEntryKinds)[number];

// One line of the palette.
export interface Entry extends Rankable {
  kind: EntryKind;
  icon: IconName;
  at: number; // Unix ms of the thing that it names; 0: none
  keys?: string; // its keys, as in the table of keys
  open: () => void;
}

export interface Group {
  kind: EntryKind | 'recent';
  entries: { entry: Entry; at: number[] }[];
}

const kPerGroup = 6; // entries of a kind while nothing is typed
const kActionsShown = 4;

// The groups of the palette while its field is empty: the entries opened last, open questions, the rest by kind.
export function groupsAtRest(entries: readonly Entry[], recent: readonly string[]): Group[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const latest = recent.flatMap((id) => byId.get(id) ?? []).slice(0, kPerGroup);
  const taken = new Set(latest.map(({ id }) => id));
  const groups: Group[] = [{ kind: 'recent', entries: latest.map((entry) => ({ entry, at: [] })) }];
  for (const kind of kEntryKinds) {
    const limit = kind === 'page' ? Infinity : kind === 'action' ? kActionsShown : kPerGroup;
    const rest = entries.filter((entry) => entry.kind === kind && !taken.has(entry.id)).slice(0, limit);
    groups.push({ kind, entries: rest.map((entry) => ({ entry, at: [] })) });
  }
  return groups.filter((group) => group.entries.length > 0);
}

// The parts of a title: matched and not.
export function markedParts(title: string, at: readonly number[]): { text: string; match: boolean }[] {
  const hits = new Set(at);
  const parts: { text: string; match: boolean }[] = [];
  for (const [index, char] of [...title].entries()) {
    const match = hits.has(index);
    const last = parts.at(-1);
    if (last?.match === match) last.text += char;
    else parts.push({ text: char, match });
  }
  return parts;
}
