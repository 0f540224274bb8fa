// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { onMounted, onScopeDispose, readonly, ref, type Ref, watch } from 'vue';
import { useSelection } from '@/stores/selection';

export const kSettleMs = 700;
const kMovedPx = 2;

function onceDrawn(act: () => void): void {
  requestAnimationFrame(() => requestAnimationFrame(act));
}

// True while the buttons of `form` take no press, because the person may still mean what was in their place: for a
// moment after the form has come, was moved by something else on the page, or got the keys without being chosen.
// `key`: of its card in the inbox.
export function useSettling(form: Readonly<Ref<HTMLElement | null>>, key = '') {
  const selection = useSelection();
  const settling = ref(true);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = 0; // number of the newest reason to settle

  const top = () => form.value?.getBoundingClientRect().top ?? 0;

  // The time counts from the moment at which the person can see the form in its place.
  function settle(): void {
    last += 1;
    const mine = last;
    settling.value = true;
    clearTimeout(timer);
    onceDrawn(() => {
      if (mine === last) timer = setTimeout(() => (settling.value = false), kSettleMs);
    });
  }

  // Must be called before something moves the form: it takes no press until it is known to have stayed in its place.
  function moved(): void {
    const [before, was] = [top(), settling.value];
    if (!was) last += 1;
    const mine = last;
    settling.value = true;
    onceDrawn(() => {
      if (Math.abs(top() - before) >= kMovedPx) settle();
      else if (!was && mine === last) settling.value = false;
    });
  }

  onMounted(settle);
  onScopeDispose(() => {
    last += 1;
    clearTimeout(timer);
  });
  // Synchronous: the place before the change is read.
  watch(() => selection.moves, moved, { flush: 'sync' });
  watch(
    () => selection.offered,
    (offered) => {
      if (offered?.key === key) settle();
    },
    { flush: 'sync' },
  );

  // The listener for clicks on their way to a button of the form.
  function guard(event: Event): void {
    if (!settling.value || !(event.target instanceof Element) || !event.target.closest('button')) return;
    event.preventDefault();
    event.stopPropagation();
  }

  return { settling: readonly(settling), guard, moved };
}
