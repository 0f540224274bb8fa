// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { defineStore } from 'pinia';
import { ref, watch } from 'vue';
import { readStored, sessionStore, writeStored } from './storage';

const kKey = 'parley.waiting-only';

// The inbox shows only what waits; kept for the tab.
export const useTriage = defineStore('triage', () => {
  const waitingOnly = ref(readStored<boolean>(sessionStore(), kKey, false));
  watch(waitingOnly, (only) => {
    writeStored(sessionStore(), kKey, only || undefined);
  });
  return { waitingOnly };
});
