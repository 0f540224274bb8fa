// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { onScopeDispose } from 'vue';
import type { Router } from 'vue-router';
import { isComposing, isTyping } from '@/inbox/keys';
import { useShell } from '@/stores/shell';
import { type ShellAct, ShellKeys } from './keys';

// The search field of the page, if one is visible.
function pageSearch(): HTMLInputElement | null {
  const fields = document.querySelectorAll<HTMLInputElement>('main input[type=search]');
  return [...fields].find((field) => field.getClientRects().length > 0) ?? null;
}

// Handles the keys of the whole console while `isOn()`. Listens before the pages, so that the second key of a
// chord is not taken for one of theirs.
export function useShellKeys(router: Router, isOn: () => boolean): void {
  const shell = useShell();
  const keys = new ShellKeys();

  function act(what: ShellAct): void {
    if (what.do === 'go') void router.push({ name: what.to });
    else if (what.do !== 'search') shell.show(what.do);
    else {
      const field = pageSearch();
      if (field) field.focus();
      else void router.push({ name: 'search' });
    }
  }

  function onKey(event: KeyboardEvent): void {
    if (!isOn() || event.defaultPrevented || event.repeat) return;
    const { altKey, ctrlKey, key, metaKey, target } = event;
    const found = keys.press(
      { key, altKey, ctrlKey, metaKey, typing: isTyping(target), composing: isComposing(event) },
      event.timeStamp,
    );
    if (found === null) return;
    // Over a dialog only the palette's own key counts.
    const isCovered = document.querySelector('.q-dialog') !== null;
    if (isCovered && (found === 'held' || found.do !== 'palette' || shell.panel !== 'palette')) return;
    event.preventDefault();
    event.stopPropagation();
    if (found === 'held') return;
    if (isCovered) shell.close();
    else act(found);
  }

  window.addEventListener('keydown', onKey, { capture: true });
  onScopeDispose(() => {
    window.removeEventListener('keydown', onKey, { capture: true });
  });
}
