// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { nextTick, onMounted, onUpdated, type Ref } from 'vue';

interface Place {
  x: number;
  y: number;
}

// Index of the target of an arrow key: the nearest element in that direction, with off-axis distance
// weighted more; null at the edge. Places are centres in pixels.
export function nearest(places: readonly Place[], from: number, key: string): number | null {
  const here = places[from];
  if (!here) return null;
  const sideways = key === 'ArrowLeft' || key === 'ArrowRight';
  const sign = key === 'ArrowRight' || key === 'ArrowDown' ? 1 : -1;
  let best: number | null = null;
  let bestCost = Infinity;
  places.forEach((place, index) => {
    const along = (sideways ? place.x - here.x : place.y - here.y) * sign;
    const across = Math.abs(sideways ? place.y - here.y : place.x - here.x);
    if (along < 1 || (sideways && across > along * 2)) return;
    const cost = along + across * (sideways ? 8 : 3);
    if (cost < bestCost) {
      best = index;
      bestCost = cost;
    }
  });
  return best;
}

const kArrows = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'];

// One tab stop for all elements with [data-rove] inside `root`; arrows, Home and End move inside.
export function useRovingFocus(root: Ref<HTMLElement | null>): { onKeydown: (event: KeyboardEvent) => void } {
  function stops(): HTMLElement[] {
    return [...(root.value?.querySelectorAll<HTMLElement>('[data-rove]') ?? [])];
  }

  function settle(target?: HTMLElement): void {
    const all = stops();
    const active = all.find((it) => it === document.activeElement);
    const previous = all.find((it) => it.tabIndex === 0 && it.dataset['rove'] === 'here');
    const chosen = all.find((it) => it.getAttribute('aria-pressed') === 'true');
    const stop = target ?? active ?? previous ?? chosen ?? all[0];
    for (const it of all) {
      const index = it === stop ? 0 : -1;
      const mark = it === stop && (target !== undefined || it === previous) ? 'here' : '';
      if (it.getAttribute('tabindex') !== String(index)) it.tabIndex = index;
      if (it.dataset['rove'] !== mark) it.dataset['rove'] = mark;
    }
  }

  function onKeydown(event: KeyboardEvent): void {
    const all = stops();
    const from = all.indexOf(event.target as HTMLElement);
    if (from < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    let to: number | null = null;
    if (kArrows.includes(event.key)) {
      const places = all.map((it) => {
        const box = it.getBoundingClientRect();
        return { x: box.left + box.width / 2, y: box.top + box.height / 2 };
      });
      to = nearest(places, from, event.key);
    } else if (event.key === 'Home') to = 0;
    else if (event.key === 'End') to = all.length - 1;
    else return;
    event.preventDefault();
    const target = to === null ? undefined : all[to];
    if (!target) return;
    settle(target);
    target.focus();
  }

  onMounted(
    () =>
      void nextTick(() => {
        settle();
      }),
  );
  onUpdated(() => {
    settle();
  });
  return { onKeydown };
}
