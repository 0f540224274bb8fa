// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { defineStore } from 'pinia';
import { computed, ref, shallowRef } from 'vue';
import { HttpStudies, StudiesError } from '@/studies/http_studies';
import type { KitStudy, Study } from '@/studies/study';
import { useAccount } from './account';

export type ListPhase = 'loading' | 'ready' | 'failed' | 'absent'; // absent: this server has no studies

// With somebody in it a study changes by the second; else only a new one can come.
const kLiveEveryMs = 3000;
const kCalmEveryMs = 15_000;

// The studies of the person's token, kept fresh while a page shows them.
export const useStudies = defineStore('studies', () => {
  const account = useAccount();
  const studies = shallowRef<Study[]>([]);
  const kit = shallowRef<KitStudy[]>([]);
  const phase = ref<ListPhase>('loading');
  const file = shallowRef<File | null>(null); // a log that the person opened here
  const live = computed(() => studies.value.filter((study) => study.open));
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
      studies.value = await server().list();
      phase.value = 'ready';
    } catch (error) {
      const absent = error instanceof StudiesError && error.status === 404;
      phase.value = absent ? 'absent' : 'failed';
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

  // Gives what ends the watching.
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

  function openFile(chosen: File | null): void {
    file.value = chosen;
  }

  return { studies, kit, phase, file, live, server, readBy, refresh, watchList, find, openFile };
});
