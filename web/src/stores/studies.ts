// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { defineStore } from 'pinia';
import { computed, ref, shallowRef, watch } from 'vue';
import { HttpStudies, StudiesError } from '@/studies/http_studies';
import type { Figures, KitStudy, Study } from '@/studies/study';
import { useAccount } from './account';

export type ListPhase = 'loading' | 'ready' | 'failed' | 'absent'; // absent: this server has no studies

// Polling intervals: with and without an open study.
const kLiveEveryMs = 3000;
const kCalmEveryMs = 15_000;

// The studies of the token, kept up to date while a page shows them.
export const useStudies = defineStore('studies', () => {
  const account = useAccount();
  const studies = shallowRef<Study[]>([]);
  const kit = shallowRef<KitStudy[]>([]);
  const phase = ref<ListPhase>('loading');
  const file = shallowRef<File | null>(null); // a log that the person opened here
  const live = computed(() => studies.value.filter((study) => study.open));
  const figures = new Map<string, Figures>(); // of ended studies, which never change
  let counting = false;
  let watchers = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let reader: (token: string) => HttpStudies = (token) => new HttpStudies(token);

  function server(): HttpStudies {
    return reader(account.token ?? '');
  }

  function readBy(make: (token: string) => HttpStudies): void {
    reader = make;
  }

  async function refresh(): Promise<void> {
    if (account.token === null) return;
    try {
      const list = await server().list();
      const now = list.some((study) => study.open) ? await openFigures() : new Map<string, Figures>();
      studies.value = list.map((study) => withFigures(study, now));
      phase.value = 'ready';
      void countUp();
    } catch (error) {
      const absent = error instanceof StudiesError && error.status === 404;
      phase.value = absent ? 'absent' : 'failed';
    }
  }

  function withFigures(study: Study, now: Map<string, Figures>): Study {
    return { ...study, figures: study.figures ?? now.get(study.id) ?? figures.get(study.id) ?? null };
  }

  async function openFigures(): Promise<Map<string, Figures>> {
    try {
      return await server().openFigures();
    } catch {
      return new Map();
    }
  }

  // Fetches missing figures, newest first; the list is shown meanwhile.
  async function countUp(): Promise<void> {
    const missing = () => studies.value.some((study) => !study.open && study.figures === null);
    if (counting) return;
    counting = true;
    try {
      for (let cursor: string | null = ''; cursor !== null && missing() && watchers > 0;) {
        const page = await server().figures(cursor);
        for (const study of page.studies) {
          if (!study.open && study.figures) figures.set(study.id, study.figures);
        }
        studies.value = studies.value.map((study) => (study.open ? study : withFigures(study, figures)));
        cursor = page.next;
      }
    } catch {
      // Missing figures are shown as unknown; the next refresh retries.
    } finally {
      counting = false;
    }
  }

  async function refreshKit(): Promise<void> {
    try {
      kit.value = await server().kit();
    } catch {
      kit.value = [];
    }
  }

  function schedule(): void {
    clearTimeout(timer);
    if (watchers === 0) return;
    timer = setTimeout(() => void turn(), live.value.length > 0 ? kLiveEveryMs : kCalmEveryMs);
  }

  async function turn(): Promise<void> {
    if (!document.hidden) await refresh();
    schedule();
  }

  // Returns a function that ends the watching.
  function watchList(): () => void {
    watchers += 1;
    if (watchers === 1) {
      void turn();
      void refreshKit();
    }
    return () => {
      watchers -= 1;
      if (watchers === 0) clearTimeout(timer);
    };
  }

  async function find(id: string): Promise<Study | null> {
    return (await server().one(id)) ?? studies.value.find((study) => study.id === id) ?? null;
  }

  // Clears all data when the owner changes.
  watch(
    () => account.owner,
    () => {
      studies.value = [];
      kit.value = [];
      figures.clear();
      phase.value = 'loading';
      if (watchers > 0) void turn();
    },
  );

  function openFile(chosen: File | null): void {
    file.value = chosen;
  }

  return { studies, kit, phase, file, live, server, readBy, refresh, watchList, find, openFile };
});
