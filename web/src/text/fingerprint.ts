// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

const kBasis = 0xcbf29ce484222325n;
const kPrime = 0x100000001b3n;
const kMask = 0xffffffffffffffffn;

// Names an account in browser storage without its token (FNV-1a, 64 bits). Not for checking anything.
export function fingerprint(text: string): string {
  let hash = kBasis;
  for (const byte of new TextEncoder().encode(text)) hash = ((hash ^ BigInt(byte)) * kPrime) & kMask;
  return hash.toString(16).padStart(16, '0');
}
