// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { defineStore } from 'pinia';
import { ref, shallowRef, watch } from 'vue';
import { HttpStatistics } from '@/statistics/http_statistics';
import { everyDay, type Range, type Statistics } from '@/statistics/statistics';
import { ServerError } from '@/wire/wrapped_server';
import { useAccount } from './account';

export type StatisticsPhase = 'loading' | 'ready' | 'failed' | 'absent' | 'signedOut';

// The figures of the last days. Those of another range stay until the new ones arrive.
export const useStatistics = defineStore('statistics', () => {
  const account = useAccount();
  const range = ref<Range>(30);
  const figures = shallowRef<Statistics | null>(null); // has every day of its range
  const phase = ref<StatisticsPhase>('loading');
  const reason = ref(''); // the server's sentence about a failure
  let turn = 0; // answers to earlier requests are dropped
  let reader: (token: string) => Pick<HttpStatistics, 'read'> = (token) => new HttpStatistics(token);

  function readBy(make: (token: string) => Pick<HttpStatistics, 'read'>): void {
    reader = make;
  }

  async function load(wanted: Range, now = new Date()): Promise<void> {
    const mine = (turn += 1);
    range.value = wanted;
    phase.value = 'loading';
    try {
      const found = await reader(account.token ?? '').read(wanted, now);
      if (mine !== turn) return;
      figures.value = { ...found, days: everyDay(found.days, wanted, now) };
      phase.value = 'ready';
    } catch (error) {
      if (mine !== turn) return;
      const status = error instanceof ServerError ? error.status : 0;
      reason.value = error instanceof ServerError ? error.sentence : '';
      figures.value = null;
      phase.value = status === 401 ? 'signedOut' : status === 404 ? 'absent' : 'failed';
    }
  }

  watch(
    () => account.owner,
    () => {
      turn += 1;
      figures.value = null;
      phase.value = 'loading';
    },
  );

  return { range, figures, phase, reason, readBy, load };
});
