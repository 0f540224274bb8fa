// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { inject, type InjectionKey, type Ref, ref, watch } from 'vue';

// What was unfolded and typed in rows of the time line, which are not drawn while they are out of
// sight. Lives as long as the run is shown.
export type RowMemory = Map<string, unknown>;
export const kRowMemory: InjectionKey<RowMemory> = Symbol('memory of rows');

// A value of a row that is the same when the row comes back into sight.
export function useRemembered<T>(name: string, first: T): Ref<T> {
  const memory = inject(kRowMemory, null);
  const value = ref(memory?.has(name) ? (memory.get(name) as T) : first) as Ref<T>;
  watch(value, (now) => memory?.set(name, now), { flush: 'sync' });
  return value;
}
