// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { PatchLine } from './patch';

// A part of a line of a patch; changed: not in the other version of the line.
export interface LinePiece {
  text: string;
  changed: boolean;
}

const kMaxLine = 600; // longer lines are not compared
const kMaxWords = 160;
const kMinShared = 0.4; // share of equal characters below which the lines count as unrelated
const kWord = /[\p{L}\p{N}_]+|\s+|./gsu;

// Lengths of the longest common subsequences of the ends of two lists.
function commonTable(a: readonly string[], b: readonly string[]): Uint16Array[] {
  const table = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    const [row, below] = [table[i] ?? new Uint16Array(), table[i + 1] ?? new Uint16Array()];
    for (let j = b.length - 1; j >= 0; j -= 1) {
      row[j] = a[i] === b[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return table;
}

function joined(words: readonly string[], changed: readonly boolean[]): LinePiece[] {
  const pieces: LinePiece[] = [];
  words.forEach((text, at) => {
    const last = pieces.at(-1);
    if (last && last.changed === changed[at]) last.text += text;
    else pieces.push({ text, changed: changed[at] ?? false });
  });
  return pieces;
}

// The pieces of both versions of a line; null: too long or too different.
export function changesOf(before: string, after: string): [LinePiece[], LinePiece[]] | null {
  if (Math.max(before.length, after.length) > kMaxLine) return null;
  const a = before.match(kWord) ?? [];
  const b = after.match(kWord) ?? [];
  if (Math.max(a.length, b.length) > kMaxWords) return null;
  const table = commonTable(a, b);
  const goneA = a.map(() => true);
  const newB = b.map(() => true);
  let shared = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) {
      shared += (a[i] ?? '').trim().length;
      goneA[i++] = newB[j++] = false;
    } else if ((table[i + 1]?.[j] ?? 0) >= (table[i]?.[j + 1] ?? 0)) i += 1;
    else j += 1;
  }
  const longest = Math.max(before.replace(/\s/g, '').length, after.replace(/\s/g, '').length);
  return shared < longest * kMinShared ? null : [joined(a, goneA), joined(b, newB)];
}

// The pieces of each line of a hunk that has a counterpart: the first removed line of a block belongs to its
// first added one, and so on. By index of the line.
export function changedPieces(lines: readonly PatchLine[]): Map<number, LinePiece[]> {
  const found = new Map<number, LinePiece[]>();
  for (let at = 0; at < lines.length;) {
    const [removed, added]: [number[], number[]] = [[], []];
    for (; lines[at]?.kind === 'removed' || lines[at]?.kind === 'note'; at += 1)
      if (lines[at]?.kind === 'removed') removed.push(at);
    for (; lines[at]?.kind === 'added' || lines[at]?.kind === 'note'; at += 1)
      if (lines[at]?.kind === 'added') added.push(at);
    if (removed.length === 0 && added.length === 0) at += 1;
    removed.forEach((from, index) => {
      const to = added[index];
      const pair = to === undefined ? null : changesOf(lines[from]?.text ?? '', lines[to]?.text ?? '');
      if (!pair || to === undefined) return;
      found.set(from, pair[0]);
      found.set(to, pair[1]);
    });
  }
  return found;
}
