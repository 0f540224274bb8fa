// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { useI18n } from 'vue-i18n';
import { ServerError } from '@/wire/wrapped_server';
import { toolVerb } from '../runs/run_words';

// Words for tools and for failures, as the chat says them.
export function useChatWords() {
  const { t, te } = useI18n();

  // What a tool does; its name where no words are known.
  function verbOf(tool: string): string {
    const key = `chatPage.verb.${tool}`;
    return /^\w+$/.test(tool) && te(key) ? t(key) : toolVerb(tool, t);
  }

  function errorWords(error: unknown): string {
    const [status, said] = error instanceof ServerError ? [error.status, error.said] : [0, ''];
    return said || (status === 0 ? t('chatPage.error.unreachable') : t('chatPage.error.status', { status }));
  }

  return { verbOf, errorWords };
}
