// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { Entry, EntryKind } from './replay';

// Entries of one kind at the same position of the time line.
export interface Mark {
  x: number; // 0 to the width
  kind: EntryKind;
  count: number;
  index: number; // record of the first of them
  stage: string; // of a stage mark
}

const kMarkWidth = 3;

// The marks of all entries, at most one of each kind every few pixels.
export function marksOf(
  entries: readonly Entry[],
  timeOf: (index: number) => number,
  length: number,
  width: number,
): Mark[] {
  const marks = new Map<string, Mark>();
  const slots = Math.max(1, Math.floor(width / kMarkWidth));
  for (const { index, kind, what } of entries) {
    const share = length > 0 ? timeOf(index) / length : 0;
    const slot = Math.min(slots - 1, Math.floor(share * slots));
    const key = `${kind}${slot}`;
    const mark = marks.get(key);
    const stage = what.is === 'stage' ? what.stage : '';
    if (mark) mark.count += 1;
    else marks.set(key, { x: share * width, kind, count: 1, index, stage });
  }
  return [...marks.values()];
}

// Stage marks with room for their names; earlier marks are preferred.
export function labelled(marks: readonly Mark[], width: number, room: number): Mark[] {
  const named: Mark[] = [];
  let free = 0;
  for (const mark of marks) {
    if (mark.kind !== 'stage' || mark.x < free || mark.x + room > width) continue;
    named.push(mark);
    free = mark.x + room;
  }
  return named;
}

export function timeAtX(x: number, width: number, length: number): number {
  if (width <= 0) return 0;
  return Math.min(1, Math.max(0, x / width)) * length;
}

const kTicks = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400].map((s) => s * 1000);

// Round times for the axis, at least `room` pixels apart.
export function ticksOf(length: number, width: number, room: number): number[] {
  if (length <= 0 || width <= 0) return [];
  const wanted = (length * room) / width;
  const every = kTicks.find((tick) => tick >= wanted) ?? Math.ceil(wanted / 3_600_000) * 3_600_000;
  const ticks: number[] = [];
  for (let at = every; at < length; at += every) ticks.push(at);
  return ticks;
}

// The visible part of a list of rows of equal height, with a margin.
export function rowsInSight(
  scroll: number,
  height: number,
  row: number,
  count: number,
  spare = 6,
): { from: number; to: number } {
  const from = Math.max(0, Math.floor(scroll / row) - spare);
  const to = Math.min(count, Math.ceil((scroll + height) / row) + spare);
  return { from: Math.min(from, to), to };
}
