// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { isObject, type Json } from '@/wire/json';

// Replaces every part of `value` that equals its counterpart in `before` by that object; returns `before` if both
// are equal. Both are JSON trees; `value` may be modified.
export function share<T>(before: unknown, value: T): T {
  if (before === value) return value;
  if (Array.isArray(value)) return shareArray(before, value as unknown[]) as T;
  if (!isObject(value) || !isObject(before)) return value;
  return shareObject(before, value) as T;
}

function shareObject(before: Json, value: Json): Json {
  const names = Object.keys(value);
  let same = names.length === Object.keys(before).length;
  for (const name of names) {
    const old = before[name];
    const part = share(old, value[name]);
    value[name] = part;
    if (part !== old || !(name in before)) same = false;
  }
  return same ? before : value;
}

function shareArray(before: unknown, value: unknown[]): unknown[] {
  if (!Array.isArray(before)) return value;
  let same = before.length === value.length;
  const common = Math.min(before.length, value.length);
  for (let at = 0; at < common; at += 1) {
    const old: unknown = before[at];
    const part = share(old, value[at]);
    value[at] = part;
    if (part !== old) same = false;
  }
  return same ? before : value;
}
