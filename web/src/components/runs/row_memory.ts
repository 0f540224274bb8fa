// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { inject, type InjectionKey, type Ref, ref, watch } from 'vue';

// State of the rows of a time line (unfolded parts, typed text), which outlives the rendering of a row.
// Kept while the run is shown.
export type RowMemory = Map<string, unknown>;
export const kRowMemory: InjectionKey<RowMemory> = Symbol('memory of rows');

// A ref of a row that keeps its value while the row is not rendered.
export function useRemembered<T>(name: string, first: T): Ref<T> {
  const memory = inject(kRowMemory, null);
  const value = ref(memory?.has(name) ? (memory.get(name) as T) : first) as Ref<T>;
  watch(value, (now) => memory?.set(name, now), { flush: 'sync' });
  return value;
}
