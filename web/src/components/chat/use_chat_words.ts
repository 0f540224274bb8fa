// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { useI18n } from 'vue-i18n';
import { ServerError } from '@/wire/wrapped_server';
import { toolVerb } from '../runs/run_words';

// The chat's words for tools and errors.
export function useChatWords() {
  const { t, te } = useI18n();

  // The verb for a tool; its name if there is none.
  function verbOf(tool: string): string {
    const key = `chatPage.verb.${tool}`;
    return /^\w+$/.test(tool) && te(key) ? t(key) : toolVerb(tool, t);
  }

  function errorWords(error: unknown): string {
    const [status, sentence] = error instanceof ServerError ? [error.status, error.sentence] : [0, ''];
    return sentence || (status === 0 ? t('chatPage.error.unreachable') : t('chatPage.error.status', { status }));
  }

  return { verbOf, errorWords };
}
