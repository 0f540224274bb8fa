// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { defineStore } from 'pinia';
import { computed, shallowReactive } from 'vue';
import { type Attached, type Refusal, refusalOf } from '@/inbox/attachments';

const kNone: readonly Attached[] = [];

// Attachments of answers that the server has not accepted yet, by request ID. In memory: they outlive the card
// and a sign-in, not a reload.
export const useAnswerFiles = defineStore('answerFiles', () => {
  const files = shallowReactive(new Map<string, readonly Attached[]>());
  const isEmpty = computed(() => files.size === 0);

  function of(key: string): readonly Attached[] {
    return files.get(key) ?? kNone;
  }

  function add(key: string, one: Attached): Refusal | null {
    const refusal = refusalOf(one.size, of(key));
    if (refusal === null) files.set(key, [...of(key), one]);
    return refusal;
  }

  function remove(key: string, id: string): void {
    const rest = of(key).filter((it) => it.id !== id);
    if (rest.length === 0) files.delete(key);
    else files.set(key, rest);
  }

  function drop(key: string): void {
    files.delete(key);
  }

  function clear(): void {
    files.clear();
  }

  return { isEmpty, of, add, remove, drop, clear };
});
