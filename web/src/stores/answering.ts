// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { defineStore } from 'pinia';
import { computed, reactive, toRefs, watch } from 'vue';
import { kMaxTemplateChars, kUsualTemplate } from '@/inbox/command_words';
import { kMaxQuickReplies, kUsualReplies, quickReplies } from '@/inbox/quick_replies';
import { kMaxAffixChars, withAffixes } from '@/inbox/reply_affixes';
import { useSettings } from './settings';
import { localStore, readStored, writeStored } from './storage';

const kAnsweringKey = 'parley.answering';

export interface Answering {
  prefix: string;
  suffix: string;
  affixed: boolean; // prefix and suffix are in use
  template: string; // of commands and skills after "/"
  quick: string[] | null; // edited quick replies; null: those of the language
}

function initial(): Answering {
  const stored = readStored<Partial<Record<keyof Answering, unknown>> | null>(localStore(), kAnsweringKey, null) ?? {};
  const words = (value: unknown) => (typeof value === 'string' ? value.slice(0, kMaxAffixChars) : '');
  return {
    prefix: words(stored.prefix),
    suffix: words(stored.suffix),
    affixed: stored.affixed !== false,
    template: typeof stored.template === 'string' ? stored.template.slice(0, kMaxTemplateChars) : kUsualTemplate,
    quick: quickReplies(stored.quick),
  };
}

// How a person answers on this device: text around each answer, and quick replies.
export const useAnswering = defineStore('answering', () => {
  const settings = useSettings();
  const answering = reactive(initial());
  watch(
    answering,
    (value) => {
      writeStored(localStore(), kAnsweringKey, value);
    },
    { deep: true, flush: 'sync' },
  );

  const replies = computed<readonly string[]>(() => answering.quick ?? kUsualReplies[settings.language]);
  const hasAffixes = computed(() => answering.prefix !== '' || answering.suffix !== '');
  const isFull = computed(() => replies.value.length >= kMaxQuickReplies);

  function setReplies(next: readonly unknown[] | null): void {
    answering.quick = next === null ? null : quickReplies(next);
  }

  // The text that is sent for `text`. `ownLines`: see withAffixes().
  function dressed(text: string, ownLines = false): string {
    return answering.affixed ? withAffixes(text, answering, ownLines) : text;
  }

  return { ...toRefs(answering), replies, hasAffixes, isFull, setReplies, dressed };
});
