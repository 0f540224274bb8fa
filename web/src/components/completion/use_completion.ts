// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { onScopeDispose, ref, shallowRef } from 'vue';
import { type CompletionQuery, completionQueryAt, withCompletion } from '@/inbox/completion_query';
import { useAccount } from '@/stores/account';
import { useAnswering } from '@/stores/answering';
import type { Offer } from './offers';

const kPauseMs = 120;

// Offers paths while a person writes "@…" in a text field, and commands of the agent while it is "/…". `write` stores
// a changed text.
export function useCompletion(key: () => string, write: (text: string) => void) {
  const account = useAccount();
  const answering = useAnswering();
  const found = shallowRef<Offer[]>([]);
  const active = ref(0);
  let field: HTMLTextAreaElement | null = null;
  let query: CompletionQuery | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asking: AbortController | undefined;

  function close(): void {
    clearTimeout(timer);
    asking?.abort();
    found.value = [];
    query = null;
  }

  async function ask(wanted: CompletionQuery): Promise<void> {
    asking?.abort();
    asking = new AbortController();
    const { signal } = asking;
    const source = { token: account.token ?? '', key: key(), template: answering.template };
    const offers = await import('./offers').then(({ offersFor }) => offersFor(wanted, source, signal)).catch(() => []);
    if (signal.aborted) return;
    found.value = offers;
    active.value = 0;
  }

  // Call after each change of the text or of the caret.
  function look(target: HTMLTextAreaElement): void {
    const next = completionQueryAt(target.value, target.selectionEnd);
    if (!next) return close();
    if (field === target && query?.start === next.start && query.text === next.text) return;
    field = target;
    query = next;
    clearTimeout(timer);
    timer = setTimeout(() => void ask(next), kPauseMs);
  }

  function accept(index: number): void {
    const chosen = found.value[index];
    if (!field || !query || !chosen) return;
    const target = field;
    const next = withCompletion(target.value, query, chosen.words, chosen.open);
    close();
    target.value = next.text;
    write(next.text);
    target.focus();
    target.setSelectionRange(next.caret, next.caret);
    if (chosen.open) look(target);
  }

  // True: the key was for the list.
  function onKey(event: KeyboardEvent): boolean {
    const count = found.value.length;
    if (count === 0 || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return false;
    if (event.key === 'ArrowDown') active.value = (active.value + 1) % count;
    else if (event.key === 'ArrowUp') active.value = (active.value + count - 1) % count;
    else if (event.key === 'Enter' || event.key === 'Tab') accept(active.value);
    else if (event.key === 'Escape') close();
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  onScopeDispose(close);
  return { found, active, look, onKey, accept, close };
}
