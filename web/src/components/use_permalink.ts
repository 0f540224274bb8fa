// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { computed, type Ref, watch } from 'vue';
import { useInbox } from '@/stores/inbox';
import { useSelection } from '@/stores/selection';

export type PermalinkState = 'none' | 'searching' | 'found' | 'missing' | 'failed';

// The address of one question in the console, for a page at `here`.
export function permalinkOf(key: string, here: string = window.location.href): string {
  const url = new URL(here);
  url.search = '';
  url.hash = `/inbox/item/${encodeURIComponent(key)}`;
  return url.toString();
}

// Reveals the question that the address names, and loads older history until it is there. `wanted` empty: the
// address names none.
export function usePermalink(wanted: Ref<string>) {
  const inbox = useInbox();
  const selection = useSelection();

  const state = computed<PermalinkState>(() => {
    if (wanted.value === '') return 'none';
    if (inbox.find(wanted.value)) return 'found';
    if (inbox.historyState === 'failed') return 'failed';
    return inbox.synced && inbox.historyComplete ? 'missing' : 'searching';
  });

  watch(
    () => [state.value, inbox.synced, inbox.historyState, inbox.items.length, wanted.value] as const,
    () => {
      if (state.value === 'searching' && inbox.synced && inbox.historyState === 'idle') void inbox.loadOlder();
    },
    { immediate: true, flush: 'post' },
  );
  watch(
    () => [state.value === 'found', wanted.value] as const,
    ([found, key]) => {
      if (found) selection.reveal(key);
    },
    { immediate: true, flush: 'post' },
  );

  return { state };
}
