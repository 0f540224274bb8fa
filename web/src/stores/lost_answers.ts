// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { defineStore } from 'pinia';
import { shallowRef } from 'vue';
import { fingerprint } from '@/text/fingerprint';
import { useAccount } from './account';
import { readStored, sessionStore, writeStored } from './storage';

const kLostKey = 'parley.lost';
// Limit (Answers in the console): answers of a tab that were not used. Reached: the oldest are dropped.
const kMaxLost = 50;

// An own answer that was not used: another one won, or the question ended first.
export interface LostAnswer {
  text: string;
  files: string[]; // names
}

interface Stored extends LostAnswer {
  owner: string;
  key: string;
}

// Own answers that were not used, by request ID, until the tab is closed.
export const useLostAnswers = defineStore('lostAnswers', () => {
  const account = useAccount();
  const all = shallowRef<readonly Stored[]>(load());

  function load(): Stored[] {
    const stored = readStored<unknown>(sessionStore(), kLostKey, null);
    return Array.isArray(stored) ? (stored as Stored[]) : [];
  }

  function set(next: readonly Stored[]): void {
    all.value = next.slice(-kMaxLost);
    writeStored(sessionStore(), kLostKey, all.value.length === 0 ? null : all.value);
  }

  const mine = () => fingerprint(account.owner ?? '');

  function of(key: string): LostAnswer | undefined {
    const owner = mine();
    const found = all.value.find((it) => it.key === key && it.owner === owner);
    return found && { text: found.text, files: found.files };
  }

  function keep(key: string, { files, text }: LostAnswer): void {
    if (text === '' && files.length === 0) return;
    const owner = mine();
    set([...all.value.filter((it) => it.key !== key || it.owner !== owner), { owner, key, text, files }]);
  }

  // Adds a file that was finished after the question ended.
  function addFile(key: string, name: string): void {
    const { files, text } = of(key) ?? { files: [], text: '' };
    keep(key, { text, files: [...files, name] });
  }

  function forget(key: string): void {
    const owner = mine();
    set(all.value.filter((it) => it.key !== key || it.owner !== owner));
  }

  function clear(): void {
    set([]);
  }

  return { of, keep, addFile, forget, clear };
});
