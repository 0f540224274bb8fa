// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { defineStore } from 'pinia';
import { ref, shallowRef } from 'vue';

export type ShellPanel = 'palette' | 'keys' | 'more';

// The parts that lie over the pages: the palette, the sheet of keys or the further pages of phones, and the notice of a
// new version.
export const useShell = defineStore('shell', () => {
  const panel = ref<ShellPanel | null>(null);
  const update = shallowRef<(() => void) | null>(null); // reloads the page in the new version; null: there is none

  function show(next: ShellPanel): void {
    panel.value = next;
  }

  function close(which = panel.value): void {
    if (panel.value === which) panel.value = null;
  }

  function offerUpdate(reload: (() => void) | null): void {
    update.value = reload;
  }

  return { panel, update, show, close, offerUpdate };
});
