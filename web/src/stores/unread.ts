// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { defineStore } from 'pinia';
import { computed, onScopeDispose, ref, shallowRef, watch } from 'vue';
import { conversationId, conversationOf, kAllConversations } from '@/inbox/conversations';
import type { Item } from '@/inbox/item';
import { sortTime } from '@/inbox/ledger';
import { useAccount } from './account';
import { useInbox } from './inbox';
import { localStore, readStored, writeStored } from './storage';

const kMaxSeen = 4000; // marks kept; older items count as read

type Seen = 'waiting' | 'closed';

interface Marks {
  from: number; // Unix ms; items of this time and before are read
  seen: Map<string, { as: Seen; at: number }>; // items after it, by key; at: their time
}

type StoredMark = [key: string, as: Seen, at: number];

function load(key: string): Marks | null {
  const stored = readStored<{ from?: unknown; seen?: unknown } | null>(localStore(), key, null);
  if (typeof stored?.from !== 'number' || !Array.isArray(stored.seen)) return null;
  return {
    from: stored.from,
    seen: new Map((stored.seen as StoredMark[]).map(([item, as, at]) => [item, { as, at }])),
  };
}

// Drops the marks of the oldest items, which count as read then.
function shortened({ from, seen }: Marks): Marks {
  const newest = [...seen].filter(([, mark]) => mark.at > from).sort(([, a], [, b]) => b.at - a.at);
  const dropped = newest[kMaxSeen];
  return { from: Math.max(from, dropped?.[1].at ?? 0), seen: new Map(newest.slice(0, kMaxSeen)) };
}

// The questions and outcomes that the person has not seen yet, on this device. The first visit of an account
// begins with everything read.
export const useUnread = defineStore('unread', () => {
  const account = useAccount();
  const inbox = useInbox();
  // The token itself is not stored here.
  const key = computed(() => (account.owner === null ? '' : `parley.read.${conversationId(account.owner, 'read')}`));
  const marks = shallowRef<Marks>({ from: Number.MAX_SAFE_INTEGER, seen: new Map() });
  const known = ref(false);
  const marked = ref(0); // calls of markAll()

  function put(next: Marks): void {
    marks.value = shortened(next);
    const seen = [...marks.value.seen].map(([item, { as, at }]): StoredMark => [item, as, at]);
    if (key.value !== '') writeStored(localStore(), key.value, { from: marks.value.from, seen });
  }

  watch(
    () => [key.value, inbox.synced] as const,
    ([name, synced]) => {
      const stored = name === '' ? null : load(name);
      known.value = stored !== null;
      if (stored) marks.value = stored;
      else if (name !== '' && synced) {
        put({ from: inbox.serverNow(), seen: new Map() });
        known.value = true;
      }
    },
    { immediate: true },
  );

  function isUnread(item: Item): boolean {
    if (!known.value || sortTime(item) <= marks.value.from || inbox.outbox.has(item.key)) return false;
    const mark = marks.value.seen.get(item.key);
    if (item.state === 'pending') return mark === undefined;
    if (inbox.isMine(item.outcome?.clientId ?? '')) return false;
    return item.state === 'closed' ? mark === undefined : mark?.as !== 'closed';
  }

  const unread = computed(() => inbox.items.filter(isUnread));
  // Numbers of unread items by conversation.
  const counts = computed(() => {
    const found = new Map<string, number>([[kAllConversations, unread.value.length]]);
    for (const item of unread.value) found.set(conversationOf(item), (found.get(conversationOf(item)) ?? 0) + 1);
    return found;
  });

  function markItems(items: readonly Item[]): void {
    const fresh = items.filter((item) => known.value && sortTime(item) > marks.value.from);
    const seen = new Map(marks.value.seen);
    for (const item of fresh) {
      const as: Seen = item.state === 'pending' ? 'waiting' : 'closed';
      if (seen.get(item.key)?.as !== as) seen.set(item.key, { as, at: sortTime(item) });
    }
    if (fresh.length > 0) put({ from: marks.value.from, seen });
  }

  // Marks items that the person has seen.
  function see(keys: readonly string[]): void {
    markItems(unread.value.filter((item) => keys.includes(item.key)));
  }

  function markAll(conversation: string): void {
    const all = conversation === kAllConversations;
    marked.value += 1;
    markItems(all ? unread.value : unread.value.filter((item) => conversationOf(item) === conversation));
  }

  // What this person answered is kept as seen: the tab forgets which answers are its own.
  watch(
    () => inbox.items,
    (items) => {
      const { from, seen } = marks.value;
      const late = items.filter(
        (item) => item.outcome !== null && sortTime(item) > from && seen.get(item.key)?.as !== 'closed',
      );
      const own = late.filter((item) => inbox.isMine(item.outcome?.clientId ?? ''));
      if (own.length > 0) markItems(own);
    },
    { flush: 'post' },
  );

  // Another tab of the device.
  function stored(event: StorageEvent): void {
    const other = event.key === key.value && key.value !== '' ? load(key.value) : null;
    if (other) marks.value = other;
  }
  window.addEventListener('storage', stored);
  onScopeDispose(() => {
    window.removeEventListener('storage', stored);
  });

  return { unread, counts, marked, isUnread, see, markAll };
});
