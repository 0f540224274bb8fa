// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { type ComponentPublicInstance, computed, nextTick, onMounted, onScopeDispose, type Ref, ref, watch } from 'vue';
import { rowAt, rowPlaces, rowsToDraw } from '@/runs/row_places';

const kGuess = 44;
const kSpare = 500;
const kAtEnd = 60;
const kMuchBelow = 240;

type Measure = (part: Element | ComponentPublicInstance | null) => void;

// Renders only the visible rows of a long list whose rows have different, changing heights. Visible rows
// keep their position; a list at its end stays at its end.
export function useVirtualRows(scroller: Ref<HTMLElement | null>, keys: Ref<readonly string[]>, startAtEnd = true) {
  const heights = new Map<string, number>();
  const measured = ref(0);
  const scroll = ref(0);
  const height = ref(800);
  const atEnd = ref(startAtEnd);
  const measures = new Map<string, Measure>();

  const places = computed(() => {
    void measured.value;
    return rowPlaces(keys.value.map((key) => heights.get(key) ?? kGuess));
  });
  const total = computed(() => places.value.at(-1) ?? 0);
  const rows = computed(() => {
    const { from, to } = rowsToDraw(places.value, scroll.value, height.value, kSpare);
    return keys.value.slice(from, to).map((key, at) => ({ key, index: from + at, top: places.value[from + at] ?? 0 }));
  });

  function toEnd(): void {
    const root = scroller.value;
    if (root) root.scrollTop = root.scrollHeight;
    atEnd.value = true;
  }

  function scrolled(): void {
    const root = scroller.value;
    if (!root) return;
    scroll.value = root.scrollTop;
    atEnd.value = root.scrollHeight - root.scrollTop - root.clientHeight < kAtEnd;
  }

  const observer = new ResizeObserver((entries) => {
    const root = scroller.value;
    const top = root?.scrollTop ?? 0;
    let above = 0;
    let changed = false;
    for (const entry of entries) {
      const element = entry.target as HTMLElement;
      if (element === root) {
        height.value = root.clientHeight;
        continue;
      }
      const key = element.dataset['row'] ?? '';
      const now = element.offsetHeight;
      const before = heights.get(key) ?? kGuess;
      if (now === 0 || (heights.has(key) && now === before)) continue;
      const index = keys.value.indexOf(key);
      if (index >= 0 && (places.value[index] ?? 0) + before <= top) above += now - before;
      heights.set(key, now);
      changed = true;
    }
    const stay = atEnd.value;
    if (!changed && !stay) return;
    if (changed) measured.value += 1;
    void nextTick(() => {
      if (stay) toEnd();
      else if (root && above !== 0) root.scrollTop += above;
    });
  });

  // The `:ref` of a row, which must have its key as data-row. Returns the same function for each key, so
  // that a new rendering does not measure again.
  function measure(key: string): Measure {
    const known = measures.get(key);
    if (known) return known;
    let element: HTMLElement | null = null;
    const made: Measure = (part) => {
      if (element) observer.unobserve(element);
      element = part instanceof HTMLElement ? part : null;
      if (element) observer.observe(element);
      else measures.delete(key);
    };
    measures.set(key, made);
    return made;
  }

  // Scrolls to a row.
  function show(key: string): void {
    const root = scroller.value;
    const index = keys.value.indexOf(key);
    if (!root || index < 0) return;
    const top = places.value[index] ?? 0;
    const end = places.value[index + 1] ?? top;
    if (top >= root.scrollTop && end <= root.scrollTop + root.clientHeight) return;
    atEnd.value = false;
    root.scrollTop = Math.max(0, top - root.clientHeight / 3);
  }

  watch(
    keys,
    () => {
      if (atEnd.value) void nextTick(toEnd);
    },
    { flush: 'post' },
  );
  onMounted(() => {
    if (!scroller.value) return;
    height.value = scroller.value.clientHeight;
    observer.observe(scroller.value);
  });
  onScopeDispose(() => {
    observer.disconnect();
  });

  // True if the end is far enough below to offer a button that scrolls to it.
  const hasBelow = computed(() => !atEnd.value && total.value - scroll.value - height.value > kMuchBelow);

  return {
    rows,
    total,
    atEnd,
    hasBelow,
    measure,
    scrolled,
    toEnd,
    show,
    firstInSight: () => rowAt(places.value, scroll.value),
  };
}
