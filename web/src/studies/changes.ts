// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { HistoryEntry, ModificationKind, UiSpec, UserEntry } from '@/stage/ui_spec';
import { asArray, asNumber, asObject, asText } from '@/wire/json';

// An action of the participant, derived from two consecutive states.
export type Change =
  | { is: 'chose' | 'went'; label: string } // label of the history
  | { is: 'selected'; value: string }
  | { is: 'added' | 'removed'; values: string[] }
  | { is: 'quantity'; value: string; count: number }
  | { is: 'undid'; kinds: ModificationKind[] };

export interface Surfaces {
  uiSpec: UiSpec | null;
  history: HistoryEntry[];
}

function newUserEntries(before: HistoryEntry[], after: HistoryEntry[]): UserEntry[] {
  const known = before.at(-1)?.id;
  const entries: UserEntry[] = [];
  for (let at = after.length - 1; at >= 0; at -= 1) {
    const entry = after[at];
    if (!entry || (known !== undefined && entry.id === known)) break;
    if (entry.type === 'user') entries.unshift(entry);
  }
  return entries;
}

// Names by id of a list of choices; invalid entries of other hosts are ignored.
function listed(choices: unknown): Map<string, string> {
  return new Map(
    asArray(choices).map((it) => {
      const choice = asObject(it);
      return [asText(choice['id']), asText(choice['value'])];
    }),
  );
}

function counted(quantities: unknown): Map<string, { value: string; count: number }> {
  return new Map(
    asArray(quantities).map((it) => {
      const item = asObject(asObject(it)['item']);
      const count = asNumber(asObject(it)['count']) ?? 0;
      return [asText(item['id']), { value: asText(item['value']), count }];
    }),
  );
}

function missingFrom(other: Map<string, string>, from: Map<string, string>): string[] {
  return [...from].filter(([id]) => !other.has(id)).map(([, value]) => value);
}

function specChanges(before: UiSpec, after: UiSpec): Change[] {
  const changes: Change[] = [];
  const [was, is] = [asObject(before.state), asObject(after.state)];
  const selected = asObject(is['selected']);
  if (selected['id'] !== undefined && selected['id'] !== asObject(was['selected'])['id']) {
    changes.push({ is: 'selected', value: asText(selected['value']) });
  }
  if (was['selectedList'] !== is['selectedList']) {
    const [old, now] = [listed(was['selectedList']), listed(is['selectedList'])];
    const [added, removed] = [missingFrom(old, now), missingFrom(now, old)];
    if (added.length > 0) changes.push({ is: 'added', values: added });
    if (removed.length > 0) changes.push({ is: 'removed', values: removed });
  }
  const counts = counted(was['quantities']);
  for (const [id, { count, value }] of counted(is['quantities'])) {
    if (count !== (counts.get(id)?.count ?? 0)) changes.push({ is: 'quantity', value, count });
  }
  const left = asObject(after.modification);
  const kinds = Object.keys(asObject(before.modification)).filter((kind) => left[kind] === undefined);
  if (kinds.length > 0) changes.push({ is: 'undid', kinds: kinds as ModificationKind[] });
  return changes;
}

// Typed messages are not included: they have records of their own.
export function changesBetween(before: Surfaces, after: Surfaces): Change[] {
  const changes: Change[] = [];
  if (before.history !== after.history) {
    for (const entry of newUserEntries(before.history, after.history)) {
      if (entry.action === 'select') changes.push({ is: 'chose', label: entry.label });
      if (entry.action === 'back') changes.push({ is: 'went', label: entry.label });
    }
  }
  const [old, now] = [before.uiSpec, after.uiSpec];
  if (old && now && old !== now && old.stage === now.stage) changes.push(...specChanges(old, now));
  return changes;
}
