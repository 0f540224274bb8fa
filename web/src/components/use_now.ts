// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { onScopeDispose, ref, type Ref } from 'vue';

// The time, updated every `intervalMs` until the scope is disposed.
export function useNow(intervalMs: number): Ref<number> {
  const now = ref(Date.now());
  const timer = setInterval(() => {
    now.value = Date.now();
  }, intervalMs);
  onScopeDispose(() => {
    clearInterval(timer);
  });
  return now;
}
