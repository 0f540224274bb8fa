// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { defineStore } from 'pinia';
import { ref, shallowRef } from 'vue';

// The card that keys affect and that the details show.
export const useSelection = defineStore('selection', () => {
  const activeKey = ref<string | null>(null);
  const offered = shallowRef<{ key: string } | null>(null); // a new object for each offer()
  const moves = ref(0); // see moved()
  const revealed = shallowRef<{ key: string } | null>(null); // a new object for each reveal()

  function activate(key: string | null): void {
    activeKey.value = key;
  }

  // Activates a card that the person has not chosen.
  function offer(key: string): void {
    activeKey.value = key;
    offered.value = { key };
  }

  // Something beside the cards is about to come or go, which may move them.
  function moved(): void {
    moves.value += 1;
  }

  // Activates a card, brings it into view and unfolds it.
  function reveal(key: string): void {
    activeKey.value = key;
    revealed.value = { key };
  }

  return { activeKey, offered, moves, revealed, activate, offer, moved, reveal };
});
