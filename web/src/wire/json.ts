// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

// Values that came over the wire or out of a file, read with care: a page must not break on one
// odd record.
export type Json = Record<string, unknown>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// What a text says in JSON; null if it is none.
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

export function asObject(value: unknown): Json {
  return isObject(value) ? value : {};
}

export function asArray(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

// A number, also one written as text; null for anything else.
export function asNumber(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

// Unix ms from a number or a time in RFC 3339; null if it is neither.
export function asTime(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  const at = Date.parse(asText(value));
  return Number.isNaN(at) ? null : at;
}
