// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { defineStore } from 'pinia';
import { ref } from 'vue';
import { addReply } from '@/inbox/reply_history';
import { fingerprint } from '@/text/fingerprint';
import { useAccount } from './account';
import { localStore, readStored, writeStored } from './storage';

const kRepliesKey = 'parley.replies';
// Limit (Answers in the console): accounts whose replies are kept. Reached: the oldest are dropped.
const kMaxAccounts = 8;

type Stored = [account: string, replies: readonly string[]][];

// The last replies of each account, on this device until it signs out. Other tabs add to them too.
export const useOwnReplies = defineStore('ownReplies', () => {
  const account = useAccount();
  const all = ref<Stored>(load());

  function load(): Stored {
    const stored = readStored<unknown>(localStore(), kRepliesKey, null);
    return Array.isArray(stored) ? (stored as Stored) : [];
  }

  const mine = () => fingerprint(account.owner ?? '');

  function save(replies: readonly string[]): void {
    const others = all.value.filter(([owner]) => owner !== mine());
    all.value = (replies.length === 0 ? others : [...others, [mine(), replies] as const]).slice(
      -kMaxAccounts,
    ) as Stored;
    writeStored(localStore(), kRepliesKey, all.value.length === 0 ? null : all.value);
  }

  // Oldest first.
  function list(): readonly string[] {
    const found = all.value.find(([owner]) => owner === mine())?.[1];
    return Array.isArray(found) ? found : [];
  }

  function refresh(): void {
    const stored = load();
    if (stored.length > 0) all.value = stored;
  }

  function add(text: string): void {
    refresh();
    const before = list();
    const after = addReply(before, text);
    if (after !== before) save(after);
  }

  function clear(): void {
    refresh();
    save([]);
  }

  return { list, refresh, add, clear };
});
