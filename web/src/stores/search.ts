// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { defineStore } from 'pinia';
import { ref, shallowRef, watch } from 'vue';
import { HttpSearch, type SearchReader } from '@/search/http_search';
import { areDatesInOrder, isFiltered, kNoQuery, type SearchQuery, type SearchResult } from '@/search/search';
import { ServerError } from '@/wire/wrapped_server';
import { useAccount } from './account';

// idle: nothing to search for. dates: the last day is before the first one.
export type SearchPhase = 'idle' | 'loading' | 'ready' | 'failed' | 'absent' | 'signedOut' | 'dates';

// The results of one search. A new search ends the one before it; its results stay until the new ones arrive.
export const useSearch = defineStore('search', () => {
  const account = useAccount();
  const query = shallowRef<SearchQuery>(kNoQuery);
  const results = shallowRef<SearchResult[]>([]);
  const next = ref<string | null>(null);
  const phase = ref<SearchPhase>('idle');
  const reason = ref(''); // the server's sentence about a failure; '': not reached
  const loadingMore = ref(false);
  const moreFailed = ref(false);
  let running: AbortController | null = null;
  let reader: (token: string) => SearchReader = (token) => new HttpSearch(token);

  function readBy(make: (token: string) => SearchReader): void {
    reader = make;
  }

  function clear(to: SearchPhase): void {
    results.value = [];
    next.value = null;
    phase.value = to;
  }

  function stop(): void {
    running?.abort();
    running = null;
    loadingMore.value = moreFailed.value = false;
  }

  async function search(wanted: SearchQuery): Promise<void> {
    stop();
    query.value = wanted;
    if (wanted.text.trim() === '' && !isFiltered(wanted)) return clear('idle');
    if (!areDatesInOrder(wanted)) return clear('dates');
    const mine = (running = new AbortController());
    phase.value = 'loading';
    try {
      const page = await reader(account.token ?? '').page(wanted, '', mine.signal);
      if (mine.signal.aborted) return;
      results.value = page.results;
      next.value = page.next;
      phase.value = 'ready';
    } catch (error) {
      if (!mine.signal.aborted) fail(error);
    }
  }

  function fail(error: unknown): void {
    const status = error instanceof ServerError ? error.status : 0;
    reason.value = error instanceof ServerError ? error.sentence : '';
    clear(status === 401 ? 'signedOut' : status === 404 ? 'absent' : 'failed');
  }

  async function more(): Promise<void> {
    if (next.value === null || loadingMore.value || phase.value !== 'ready') return;
    const mine = (running = new AbortController());
    loadingMore.value = true;
    moreFailed.value = false;
    try {
      const page = await reader(account.token ?? '').page(query.value, next.value, mine.signal);
      if (mine.signal.aborted) return;
      const known = new Set(results.value.map(({ key, kind }) => `${kind} ${key}`));
      results.value = [...results.value, ...page.results.filter(({ key, kind }) => !known.has(`${kind} ${key}`))];
      next.value = page.next;
    } catch {
      if (mine.signal.aborted) return;
      moreFailed.value = true;
    }
    loadingMore.value = false;
  }

  const retry = (): Promise<void> => search(query.value);

  // Results belong to one owner.
  watch(
    () => account.owner,
    () => {
      stop();
      clear('idle');
    },
  );

  return { query, results, next, phase, reason, loadingMore, moreFailed, readBy, search, more, retry, stop };
});
