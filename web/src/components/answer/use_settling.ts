// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { onMounted, onScopeDispose, readonly, ref, type Ref, watch } from 'vue';
import { useSelection } from '@/stores/selection';

export const kSettleMs = 700;
const kMovedPx = 2;

// True while the buttons of `form` take no press, because the person may still mean what was in their place: for a
// moment after the form has come, was moved by something else on the page, or got the keys without being chosen.
// `key`: of its card in the inbox.
export function useSettling(form: Readonly<Ref<HTMLElement | null>>, key = '') {
  const selection = useSelection();
  const settling = ref(true);
  let until = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function settleUntil(at: number): void {
    until = at;
    clearTimeout(timer);
    settling.value = at > Date.now();
    if (settling.value) timer = setTimeout(() => (settling.value = false), at - Date.now());
  }

  const settle = () => settleUntil(Date.now() + kSettleMs);
  const top = () => form.value?.getBoundingClientRect().top ?? 0;

  // Takes no press until it is known that the form has stayed in its place.
  function moved(): void {
    const [before, earlier] = [top(), until];
    settle();
    const mine = until;
    requestAnimationFrame(() => requestAnimationFrame(() => {
      if (until === mine && Math.abs(top() - before) < kMovedPx) settleUntil(earlier);
    }));
  }

  onMounted(settle);
  onScopeDispose(() => clearTimeout(timer));
  // Synchronous: the place before the change is read.
  watch(() => selection.moves, moved, { flush: 'sync' });
  watch(() => selection.offered, (offered) => {
    if (offered?.key === key) settle();
  }, { flush: 'sync' });

  // For clicks on their way to a button of the form.
  function guard(event: Event): void {
    if (!settling.value || !(event.target instanceof Element) || !event.target.closest('button')) return;
    event.preventDefault();
    event.stopPropagation();
  }

  return { settling: readonly(settling), guard };
}
