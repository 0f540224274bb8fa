// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { onBeforeUnmount, readonly, ref } from 'vue';
import { isComposing, isTyping } from '@/inbox/keys';
import { useSelection } from '@/stores/selection';

export const kUndoMs = 3_000;

// A decision that was made and not sent. `held`: it is sent after kUndoMs, or when the page is left; otherwise only when
// the person confirms it.
export interface Unconfirmed {
  words: string;
  held: boolean;
}

const kDoubleClickMs = 500;

// The moment between one press and the answer to `key`. Enter or a second press confirms, Escape undoes; the keys work
// while the card is the active one.
export function useConfirm(key: string, send: () => void, undone: () => void) {
  const selection = useSelection();
  const unconfirmed = ref<Unconfirmed | null>(null);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let beganAt = 0;

  function end(): void {
    clearTimeout(timer);
    unconfirmed.value = null;
    window.removeEventListener('keydown', pressed, true);
    window.removeEventListener('pagehide', left);
    document.removeEventListener('visibilitychange', left);
  }

  function begin(words: string, held: boolean): void {
    end();
    unconfirmed.value = { words, held };
    beganAt = Date.now();
    if (held) timer = setTimeout(confirm, kUndoMs);
    window.addEventListener('keydown', pressed, true);
    window.addEventListener('pagehide', left);
    document.addEventListener('visibilitychange', left);
  }

  function confirm(): void {
    if (unconfirmed.value === null) return;
    end();
    send();
  }

  function undo(): void {
    if (unconfirmed.value === null) return;
    end();
    undone();
  }

  // A press on the choice that is unconfirmed already: true. The second click of a double click is none.
  function again(words: string, event?: Event): boolean {
    if (unconfirmed.value?.words !== words) return false;
    const isDouble = event instanceof MouseEvent && event.detail > 1 && Date.now() - beganAt < kDoubleClickMs;
    if (!isDouble) confirm();
    return true;
  }

  function left(event: Event): void {
    if (unconfirmed.value?.held === true && (event.type === 'pagehide' || document.visibilityState === 'hidden')) confirm();
  }

  function pressed(event: KeyboardEvent): void {
    const { altKey, ctrlKey, key: name, metaKey, repeat, target } = event;
    if (isComposing(event) || altKey || ctrlKey || metaKey || selection.activeKey !== key) return;
    if (document.activeElement?.closest('[role=dialog]')) return;
    const acts = target instanceof Element && target.closest('button, a, summary') !== null;
    const isDigit = /^[1-9]$/.test(name) && !isTyping(target);
    const isEnter = name === 'Enter' && !isTyping(target) && !acts;
    // A key that is held down is one press.
    if (name === 'Escape') undo();
    else if (repeat ? !isDigit && name !== 'Enter' : !isEnter) return;
    else if (!repeat) confirm();
    event.preventDefault();
    event.stopPropagation();
  }

  onBeforeUnmount(() => {
    if (unconfirmed.value?.held === true) confirm();
    end();
  });

  return { unconfirmed: readonly(unconfirmed), begin, confirm, undo, again };
}
