// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

// Readers of values from the wire or a file that never throw, so that one invalid record cannot break a page.
export type Json = Record<string, unknown>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// The value of a JSON text; null: not JSON.
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

// A number, or a text that is one; null: neither.
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
