// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { defineStore } from 'pinia';
import { ref } from 'vue';

// The card that keys affect and that the details show.
export const useSelection = defineStore('selection', () => {
  const activeKey = ref<string | null>(null);

  function activate(key: string | null): void {
    activeKey.value = key;
  }

  return { activeKey, activate };
});
