// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { onBeforeUnmount, readonly, ref } from 'vue';
import { isComposing, isLayerOpen, isTyping } from '@/inbox/keys';

// Limit (Answers in the console): time to undo a decision. Reached: it is sent.
export const kUndoMs = 3_000;
// A second press within this time belongs to the first: a double click, or a key that was hit twice.
export const kDoublePressMs = 500;

// A decision that was made and not sent. `held`: it is sent after kUndoMs, or when the page is left; otherwise only
// when the person confirms it.
export interface Unconfirmed {
  words: string;
  held: boolean;
  ready: boolean; // a second press is one of its own
}

const kHeld = new Set<() => void>();

// Sends the held decisions of a page whose connection is about to end.
export function sendHeld(): void {
  for (const confirm of [...kHeld]) confirm();
}

// The moment between one press and its sending. Enter or a second press confirms, Escape undoes; the keys work while
// `isActive` is true.
export function useConfirm(isActive: () => boolean, send: () => void, undone: () => void) {
  const unconfirmed = ref<Unconfirmed | null>(null);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let ready: ReturnType<typeof setTimeout> | undefined;

  function end(): void {
    clearTimeout(timer);
    clearTimeout(ready);
    unconfirmed.value = null;
    kHeld.delete(confirm);
    window.removeEventListener('keydown', pressed, true);
    window.removeEventListener('pagehide', left);
    document.removeEventListener('visibilitychange', left);
  }

  function begin(words: string, held: boolean): void {
    end();
    unconfirmed.value = { words, held, ready: false };
    ready = setTimeout(() => (unconfirmed.value = { words, held, ready: true }), kDoublePressMs);
    if (held) {
      timer = setTimeout(confirm, kUndoMs);
      kHeld.add(confirm);
    }
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

  // A press on the choice that is unconfirmed already: true.
  function again(words: string): boolean {
    if (unconfirmed.value?.words !== words) return false;
    if (unconfirmed.value.ready) confirm();
    return true;
  }

  function left(event: Event): void {
    if (unconfirmed.value?.held === true && (event.type === 'pagehide' || document.visibilityState === 'hidden'))
      confirm();
  }

  function pressed(event: KeyboardEvent): void {
    const { altKey, ctrlKey, key: name, metaKey, repeat, target } = event;
    if (isComposing(event) || altKey || ctrlKey || metaKey || isLayerOpen() || !isActive()) return;
    const acts = target instanceof Element && target.closest('button, a, summary, [role=menuitem]') !== null;
    const isDigit = /^[1-9]$/.test(name) && !isTyping(target);
    const isEnter = name === 'Enter' && !isTyping(target) && !acts;
    // A key that is held down is one press.
    if (name === 'Escape') undo();
    else if (repeat ? !isDigit && name !== 'Enter' && name !== ' ' : !isEnter) return;
    else if (!repeat && unconfirmed.value?.ready === true) confirm();
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  onBeforeUnmount(() => {
    if (unconfirmed.value?.held === true) confirm();
    end();
  });

  return { unconfirmed: readonly(unconfirmed), begin, confirm, undo, again };
}
