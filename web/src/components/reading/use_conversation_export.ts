// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { nextTick, onScopeDispose, ref, watch } from 'vue';
import type { Item } from '@/inbox/item';
import { useInbox } from '@/stores/inbox';
import { saveFile } from '@/text/save_file';

export type ExportForm = 'md' | 'json';
export type ExportState = 'none' | 'loading' | 'done' | 'failed';

const kTypes: Readonly<Record<ExportForm, string>> = { md: 'text/markdown', json: 'application/json' };

// Loads the rest of the history, page by page, and saves a conversation as a file.
export function useConversationExport(items: () => readonly Item[], title: () => string) {
  const inbox = useInbox();
  const state = ref<ExportState>('none');
  const name = ref('');
  let run = 0; // incremented by each start and cancel

  async function notLoading(): Promise<void> {
    if (inbox.historyState !== 'loading') return;
    await new Promise<void>((resolve) => {
      const stop = watch(
        () => inbox.historyState,
        (now) => {
          if (now === 'loading') return;
          stop();
          resolve();
        },
      );
    });
  }

  // False: the history could not be loaded.
  async function loadAll(mine: number): Promise<boolean> {
    if (inbox.historyState === 'failed') await inbox.loadLatest();
    while (mine === run && !inbox.historyComplete) {
      await notLoading();
      if (mine !== run || inbox.historyComplete) break;
      const before = inbox.oldest;
      await inbox.loadOlder();
      if (inbox.historyState === 'failed' || (inbox.oldest === before && !inbox.historyComplete)) return false;
    }
    return true;
  }

  async function start(form: ExportForm): Promise<void> {
    const mine = (run += 1);
    state.value = 'loading';
    const loaded = await loadAll(mine);
    if (mine !== run) return;
    if (!loaded) {
      state.value = 'failed';
      return;
    }
    const { exportJson, exportMarkdown, exportName } = await import('@/inbox/export');
    await nextTick();
    if (mine !== run) return;
    const all = items();
    const about = { title: title(), exportedAt: inbox.serverNow() };
    const text = form === 'md' ? exportMarkdown(all, about) : exportJson(all, about);
    name.value = exportName(all, about.exportedAt, form);
    saveFile(new Blob([text], { type: `${kTypes[form]};charset=utf-8` }), name.value);
    state.value = 'done';
  }

  function cancel(): void {
    run += 1;
    state.value = 'none';
  }
  onScopeDispose(cancel);

  return { state, name, start, cancel };
}

export type ConversationExport = ReturnType<typeof useConversationExport>;
