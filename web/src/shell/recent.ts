// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { localStore, readStored, writeStored } from '@/stores/storage';

const kRecentKey = 'parley.recent';
export const kMaxRecent = 12;

// Ids of the entries that were opened with the palette on this device, latest first.
export function recentIds(): string[] {
  const stored = readStored<unknown>(localStore(), kRecentKey, []);
  if (!Array.isArray(stored)) return [];
  return stored.filter((id): id is string => typeof id === 'string').slice(0, kMaxRecent);
}

export function remember(id: string): void {
  writeStored(localStore(), kRecentKey, [id, ...recentIds().filter((it) => it !== id)].slice(0, kMaxRecent));
}

export function forgetRecent(): void {
  writeStored(localStore(), kRecentKey, null);
}
