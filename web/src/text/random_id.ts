// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

// A version 4 UUID. Does not need crypto.randomUUID, which is missing on pages over plain HTTP.
export function randomId(fill: (bytes: Uint8Array) => void = fillRandom): string {
  const bytes = new Uint8Array(16);
  fill(bytes);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

function fillRandom(bytes: Uint8Array): void {
  crypto.getRandomValues(bytes);
}
