// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { computed, type Ref, ref, watch } from 'vue';

// The time, which stands still while `isHeld`, because the state of the run is unknown then.
export function useHeldTime(now: Ref<number>, isHeld: Ref<boolean>): Readonly<Ref<number>> {
  const since = ref(isHeld.value ? now.value : null);
  watch(isHeld, (held) => {
    since.value = held ? now.value : null;
  });
  return computed(() => since.value ?? now.value);
}
