// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { nextTick, onMounted, onScopeDispose, type Ref, ref, watch } from 'vue';
import type { Item } from '@/inbox/item';
import { useInbox } from '@/stores/inbox';
import { useUnread } from '@/stores/unread';

const kShownShare = 0.5; // of a card, or of the pane, that counts as seen

// Marks the cards of a thread as read when they are in view on a visible page, and finds the place of the line
// above the first new one: it stays until the conversation is left.
export function useSeen(
  scroller: Readonly<Ref<HTMLElement | null>>,
  items: Readonly<Ref<readonly Item[]>>,
  shown: Readonly<Ref<readonly Item[]>>,
  conversation: Readonly<Ref<string>>,
  atEnd: Readonly<Ref<boolean>>,
) {
  const inbox = useInbox();
  const unread = useUnread();
  const firstNew = ref<string | null>(null); // key of the card below the line
  const inView = new Set<string>();
  let observer: IntersectionObserver | null = null;

  function note(): void {
    if (document.visibilityState === 'visible' && inView.size > 0) unread.see([...inView]);
  }

  function looked(entries: readonly IntersectionObserverEntry[]): void {
    for (const { boundingClientRect, intersectionRect, rootBounds, target } of entries) {
      const key = target.getAttribute('data-card') ?? '';
      const needed = kShownShare * Math.min(boundingClientRect.height, rootBounds?.height ?? Infinity);
      if (intersectionRect.height > 0 && intersectionRect.height >= needed) inView.add(key);
      else inView.delete(key);
    }
    note();
  }

  async function observe(): Promise<void> {
    await nextTick();
    observer?.disconnect();
    inView.clear();
    for (const card of scroller.value?.querySelectorAll('[data-card]') ?? []) observer?.observe(card);
  }

  function place(): void {
    firstNew.value = items.value.find(unread.isUnread)?.key ?? null;
  }

  // A line whose news have been read gives way to the line above later news.
  function moved(): void {
    const line = items.value.findIndex((item) => item.key === firstNew.value);
    const mine = line >= 0 && inbox.isMine(items.value[line]?.outcome?.clientId ?? '');
    if (mine) firstNew.value = null;
    const watched = document.visibilityState === 'visible' && atEnd.value;
    if (watched || (line >= 0 && !mine && items.value.slice(line).some(unread.isUnread))) return;
    const next = items.value.find(unread.isUnread);
    if (next) firstNew.value = next.key;
  }

  onMounted(() => {
    observer = new IntersectionObserver(looked, { root: scroller.value, threshold: [0, 0.25, kShownShare, 0.75, 1] });
    document.addEventListener('visibilitychange', note);
    place();
    void observe();
  });
  onScopeDispose(() => {
    observer?.disconnect();
    document.removeEventListener('visibilitychange', note);
  });
  watch(shown, () => void observe());
  watch(items, moved);
  watch([conversation, () => inbox.synced], place);
  // Everything was marked as read.
  watch(
    () => unread.marked,
    () => {
      firstNew.value = null;
    },
  );

  return { firstNew };
}
