// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { nextTick, onMounted, ref, type Ref, shallowRef, watch } from 'vue';
import type { Item } from '@/inbox/item';
import { growDown, growUp, grownTo, kWindowMax, tailWindow, type Window, windowAround } from '@/inbox/window';

const kNearEdge = 600;
const kAtEnd = 120;
const kMargin = 12;

// Renders a bounded part of a long thread in a scroller. Visible cards keep their position while others are
// added, folded or loaded above; a scroller at the end stays at the end.
export function useThreadScroll(scroller: Ref<HTMLElement | null>, items: Ref<readonly Item[]>, wantOlder: () => void) {
  const part = shallowRef<Window>(tailWindow(items.value.length));
  const atEnd = ref(true);
  const waitingShown = ref(false); // a waiting card is at least partly visible
  let moving = false;

  function firstVisible(root: HTMLElement): HTMLElement | undefined {
    const top = root.getBoundingClientRect().top;
    const cards = [...root.querySelectorAll<HTMLElement>('[data-card]')];
    return cards.find((card) => card.getBoundingClientRect().bottom > top);
  }

  function waitingInView(root: HTMLElement): boolean {
    const { bottom, top } = root.getBoundingClientRect();
    return [...root.querySelectorAll('[data-state="pending"]')].some((card) => {
      const place = card.getBoundingClientRect();
      return place.top < bottom && place.bottom > top;
    });
  }

  // Scrolls to the end, or to the oldest waiting card if that would be above the visible part.
  function showEnd(root: HTMLElement): void {
    root.scrollTop = root.scrollHeight;
    const waiting = root.querySelector<HTMLElement>('[data-state="pending"]');
    if (!waiting) return;
    const hidden = root.getBoundingClientRect().top - waiting.getBoundingClientRect().top;
    if (hidden > 0) root.scrollTop -= hidden + kMargin;
  }

  // Applies `change` and restores the position of the first visible card.
  async function keepingPlace(change: () => void): Promise<void> {
    const root = scroller.value;
    const stay = atEnd.value;
    const anchor = root ? firstVisible(root) : undefined;
    const before = anchor?.getBoundingClientRect().top ?? 0;
    moving = true;
    change();
    await nextTick();
    if (root && stay) showEnd(root);
    else if (root && anchor?.isConnected) {
      root.scrollTop += anchor.getBoundingClientRect().top - before;
    }
    moving = false;
  }

  function scrolled(): void {
    const root = scroller.value;
    if (!root || moving) return;
    const below = root.scrollHeight - root.scrollTop - root.clientHeight;
    const total = items.value.length;
    atEnd.value = below < kAtEnd && part.value.end >= total;
    waitingShown.value = waitingInView(root);
    const nearTop = root.scrollTop < kNearEdge;
    if (nearTop && part.value.start > 0) void keepingPlace(() => (part.value = growUp(part.value)));
    else if (below < kNearEdge && part.value.end < total)
      void keepingPlace(() => (part.value = growDown(part.value, total)));
    else if (nearTop) wantOlder();
  }

  async function toEnd(): Promise<void> {
    part.value = tailWindow(items.value.length);
    atEnd.value = true;
    await nextTick();
    const root = scroller.value;
    if (!root) return;
    showEnd(root);
    scrolled();
  }

  // Brings the card at `index` into view.
  async function toItem(index: number): Promise<void> {
    part.value = windowAround(index, items.value.length);
    atEnd.value = false;
    await nextTick();
    const key = items.value[index]?.key ?? '';
    const root = scroller.value;
    const card = root?.querySelector(`[data-card="${CSS.escape(key)}"]`);
    // A card that is longer than the screen is read from its beginning.
    const fits = root && card && card.getBoundingClientRect().height < root.clientHeight;
    card?.scrollIntoView({ block: fits ? 'center' : 'start' });
    scrolled();
  }

  watch(
    items,
    (next, before) => {
      const firstShown = before[part.value.start]?.key;
      const found = next.findIndex((item) => item.key === firstShown);
      const length = part.value.end - part.value.start;
      const wasTail = part.value.end >= before.length;
      void keepingPlace(() => {
        if (found < 0 || atEnd.value) part.value = tailWindow(next.length);
        else part.value = grownTo(found, wasTail ? kWindowMax : length, next.length);
      }).then(scrolled);
    },
    { flush: 'pre' },
  );

  onMounted(toEnd);

  return { part, atEnd, waitingShown, scrolled, toEnd, toItem };
}
