// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { defineStore } from 'pinia';
import { computed, ref, shallowRef, watch } from 'vue';
import { HttpRuns, type NewRun, RunsError } from '@/runs/http_runs';
import type { RunListFeed } from '@/runs/run_list_feed';
import { type AgentChoice, isLive, type Models, type Run, type RunPage, withoutDeleted, withPage } from '@/runs/run';
import type { LineState } from '@/wire/feed';
import { useAccount } from './account';

export type RunsPhase = 'loading' | 'ready' | 'failed' | 'absent'; // absent: this server runs no agents

const kPage = 100;
const kNoModels: Models = { models: [], failures: [], preset: '' };

// The runs of the token, kept up to date while a page shows them.
export const useRuns = defineStore('runs', () => {
  const account = useAccount();
  const runs = shallowRef<Run[]>([]);
  const more = ref(false); // there are older runs to load
  const phase = ref<RunsPhase>('loading');
  const models = shallowRef<Models>(kNoModels);
  const agents = shallowRef<AgentChoice[]>([]);
  const file = shallowRef<File | null>(null); // a stream that the person opened here
  const live = computed(() => runs.value.filter((run) => isLive(run.state)));
  let watchers = 0;
  let loadingOlder = false;
  let feed: RunListFeed | null = null; // while a page shows the list
  const line = shallowRef<LineState>({ phase: 'stopped' }); // connection to the changes of the list
  const announced = new Map<string, Run>(); // changed runs since a page was requested
  const removed = new Set<string>(); // deleted sessions in the same time
  let reader: (token: string) => HttpRuns = (token) => new HttpRuns(token);

  const server = (): HttpRuns => reader(account.token ?? '');

  function readBy(make: (token: string) => HttpRuns): void {
    reader = make;
  }

  async function refresh(): Promise<void> {
    if (account.token === null) return;
    const { token } = account;
    announced.clear();
    removed.clear();
    try {
      const page = await server().list(kPage);
      if (token !== account.token) return;
      const first = runs.value.length === 0;
      take(page, null);
      if (first) more.value = page.more;
      phase.value = 'ready';
      await refreshLeft(page.runs);
    } catch (error) {
      phase.value = error instanceof RunsError && error.status === 404 ? 'absent' : 'failed';
    }
  }

  // Merges a page into the list. Changes received since its request are newer than the page.
  function take(page: RunPage, before: Run | null): void {
    const left = withoutDeleted(runs.value, page, before);
    const all = withPage(withPage(left, page.runs), [...announced.values()]);
    runs.value = all.filter(({ id, session }) => announced.has(id) || !removed.has(session));
  }

  // Reads live runs that are older than the newest page.
  async function refreshLeft(page: readonly Run[]): Promise<void> {
    const fresh = new Set(page.map(({ id }) => id));
    const left = live.value.filter(({ id }) => !fresh.has(id)).slice(0, 20);
    if (left.length === 0) return;
    const found = await Promise.allSettled(left.map(({ id }) => server().one(id)));
    const removedIds = new Set(left.filter((_, at) => isNotFound(found[at])).map(({ id }) => id));
    const there = runs.value.filter(({ id }) => !removedIds.has(id));
    runs.value = withPage(
      there,
      found.flatMap((it) => (it.status === 'fulfilled' ? [it.value] : [])),
    );
  }

  async function loadOlder(): Promise<void> {
    const last = runs.value.at(-1);
    if (loadingOlder || !more.value || !last) return;
    loadingOlder = true;
    try {
      const page = await server().list(kPage, last.id);
      take(page, last);
      more.value = page.more && page.runs.length > 0;
    } catch {
      // Scrolling to the end of the list retries.
    } finally {
      loadingOlder = false;
    }
  }

  async function loadChoices(workingFolder: string): Promise<void> {
    const [models_, agents_] = await Promise.allSettled([server().models(), server().agents(workingFolder)]);
    if (models_.status === 'fulfilled') models.value = models_.value;
    if (agents_.status === 'fulfilled') agents.value = agents_.value;
  }

  async function start(wanted: NewRun): Promise<Run> {
    const run = await server().start(wanted);
    keep(run);
    return run;
  }

  function keep(run: Run): void {
    announced.set(run.id, run);
    runs.value = withPage(runs.value, [run]);
  }

  // Removes the runs of a deleted session.
  function drop(session: string): void {
    removed.add(session);
    for (const run of announced.values()) if (run.session === session) announced.delete(run.id);
    runs.value = runs.value.filter((run) => run.session !== session);
  }

  function onLine(state: LineState): void {
    line.value = state;
    if (state.phase === 'live') void refresh();
    else if (state.phase === 'failed') phase.value = state.reason === 'notFound' ? 'absent' : 'failed';
    else if (state.phase === 'waiting' && phase.value !== 'ready') phase.value = 'failed';
  }

  // Not connected while the page is hidden: a browser has few connections per server.
  function follow(): void {
    feed?.stop();
    feed = null;
    if (watchers === 0 || document.hidden || account.token === null) return;
    feed = server().changes({ onRun: keep, onRemoved: drop, onState: onLine });
    feed.start();
  }

  // Returns a function that ends the watching.
  function watchList(): () => void {
    watchers += 1;
    if (watchers === 1) {
      document.addEventListener('visibilitychange', follow);
      follow();
    }
    return () => {
      watchers -= 1;
      if (watchers > 0) return;
      document.removeEventListener('visibilitychange', follow);
      follow();
    };
  }

  // Retries at once after a failure.
  function retry(): void {
    if (feed) feed.retryNow();
    else void refresh();
  }

  // Clears all data when the owner changes.
  watch(
    () => account.owner,
    () => {
      runs.value = [];
      more.value = false;
      models.value = kNoModels;
      agents.value = [];
      phase.value = 'loading';
    },
  );
  watch(() => account.token, follow);

  function openFile(chosen: File | null): void {
    file.value = chosen;
  }

  return {
    runs,
    more,
    phase,
    line,
    models,
    agents,
    file,
    live,
    server,
    readBy,
    refresh,
    retry,
    loadOlder,
    loadChoices,
    start,
    keep,
    drop,
    watchList,
    openFile,
  };
});

function isNotFound(result: PromiseSettledResult<Run> | undefined): boolean {
  return result?.status === 'rejected' && result.reason instanceof RunsError && result.reason.status === 404;
}
