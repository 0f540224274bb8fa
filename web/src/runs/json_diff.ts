// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { isObject, type Json } from '@/wire/json';

export interface JsonChange {
  path: string; // "tot.candidates[2].score"
  is: 'added' | 'removed' | 'changed';
  before: unknown;
  after: unknown;
}

export interface JsonDiff {
  changes: JsonChange[];
  more: boolean; // the list is cut
}

const kMaxChanges = 400;
const kMaxDepth = 64;

export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((it, at) => sameJson(it, b[at]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]))
  );
}

// The differences between two values, in the order of the second.
export function diffJson(before: unknown, after: unknown): JsonDiff {
  const diff: JsonDiff = { changes: [], more: false };
  compare(before, after, '', 0, diff);
  return diff;
}

function note(diff: JsonDiff, change: JsonChange): void {
  if (diff.changes.length < kMaxChanges) diff.changes.push(change);
  else diff.more = true;
}

function compare(before: unknown, after: unknown, path: string, depth: number, diff: JsonDiff): void {
  if (diff.more || before === after) return;
  if (depth < kMaxDepth && isObject(before) && isObject(after)) {
    compareObjects(before, after, path, depth, diff);
  } else if (depth < kMaxDepth && Array.isArray(before) && Array.isArray(after)) {
    compareArrays(before as unknown[], after as unknown[], path, depth, diff);
  } else if (!sameJson(before, after)) {
    note(diff, { path, is: 'changed', before, after });
  }
}

const kPlainKey = /^[A-Za-z_][\w-]*$/;

export function memberPath(path: string, key: string): string {
  if (!kPlainKey.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}

function compareObjects(before: Json, after: Json, path: string, depth: number, diff: JsonDiff): void {
  for (const key of Object.keys(after)) {
    const inner = memberPath(path, key);
    if (Object.hasOwn(before, key)) compare(before[key], after[key], inner, depth + 1, diff);
    else note(diff, { path: inner, is: 'added', before: undefined, after: after[key] });
  }
  for (const key of Object.keys(before)) {
    if (!Object.hasOwn(after, key))
      note(diff, { path: memberPath(path, key), is: 'removed', before: before[key], after: undefined });
  }
}

// Skips equal entries at both ends: lists mostly grow at their end.
function compareArrays(before: unknown[], after: unknown[], path: string, depth: number, diff: JsonDiff): void {
  let start = 0;
  const shorter = Math.min(before.length, after.length);
  while (start < shorter && sameJson(before[start], after[start])) start += 1;
  let tail = 0;
  while (tail < shorter - start && sameJson(before[before.length - 1 - tail], after[after.length - 1 - tail]))
    tail += 1;
  const oldEnd = before.length - tail;
  const newEnd = after.length - tail;
  for (let at = start; at < Math.max(oldEnd, newEnd) && !diff.more; at += 1) {
    const inner = `${path}[${at}]`;
    if (at < oldEnd && at < newEnd) compare(before[at], after[at], inner, depth + 1, diff);
    else if (at < newEnd) note(diff, { path: inner, is: 'added', before: undefined, after: after[at] });
    else note(diff, { path: inner, is: 'removed', before: before[at], after: undefined });
  }
}
