// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { onBeforeUnmount, onMounted, readonly, ref, type Ref } from 'vue';

// True from the moment on at which `end`, the mark behind a text, has been on the screen, by scrolling, keys or a
// screen reader, which moves the page along.
export function useEndSeen(end: Ref<HTMLElement | null>) {
  const seen = ref(false);
  let observer: IntersectionObserver | null = null;
  onMounted(() => {
    if (end.value === null || typeof IntersectionObserver === 'undefined') return;
    observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      seen.value = true;
      observer?.disconnect();
    });
    observer.observe(end.value);
  });
  onBeforeUnmount(() => observer?.disconnect());

  // The text has grown: its end is to be seen again.
  function again(): void {
    if (end.value === null || observer === null) return;
    seen.value = false;
    observer.disconnect();
    observer.observe(end.value);
  }

  return { seen: readonly(seen), again };
}
