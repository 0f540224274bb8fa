// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

export interface KeyPress {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  typing: boolean; // the focus is in a text field
  composing: boolean; // the key belongs to an input method, as for Chinese
  repeat?: boolean; // the key is held down
}

export type KeyAction =
  { do: 'next' } | { do: 'previous' } | { do: 'choose'; index: number } | { do: 'write' } | { do: 'leave' };

// The action of a key on the inbox page; null: left to the browser.
export function keyAction(press: KeyPress): KeyAction | null {
  if (press.composing) return null;
  if (press.key === 'Escape') return { do: 'leave' };
  if (press.typing || press.ctrlKey || press.metaKey || press.altKey) return null;
  if (press.key === 'j') return { do: 'next' };
  if (press.key === 'k') return { do: 'previous' };
  if (press.key === 'Enter') return { do: 'write' };
  // A key that is held down decides once, not the cards that come after.
  if (/^[1-9]$/.test(press.key) && press.repeat !== true) return { do: 'choose', index: Number(press.key) - 1 };
  return null;
}

export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

// True while a menu or a dialog is open: the keys are its own.
export function isLayerOpen(): boolean {
  return (
    document.querySelector('.q-menu, .q-dialog') !== null || document.activeElement?.closest('[role=dialog]') != null
  );
}

// True if a key belongs to an input method. Some browsers report the key that ends a composition after its
// end, with key code 229.
export function isComposing(event: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>): boolean {
  return event.isComposing || event.keyCode === 229;
}
