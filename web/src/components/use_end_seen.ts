// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { computed, nextTick, onBeforeUnmount, onMounted, readonly, ref, type Ref, watch } from 'vue';
import { mayBeCut } from '@/inbox/choice_role';
import { provideFolds } from './reading/use_folds';

// True from the moment on at which `end`, the mark behind a text, has been on the screen, by scrolling, keys or a
// screen reader, which moves the page along.
export function useEndSeen(end: Readonly<Ref<HTMLElement | null>>) {
  const seen = ref(false);
  let observer: IntersectionObserver | null = null;

  function observe(): void {
    observer?.disconnect();
    observer = null;
    if (seen.value || end.value === null || typeof IntersectionObserver === 'undefined') return;
    observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      seen.value = true;
      observer?.disconnect();
    });
    observer.observe(end.value);
  }

  watch(end, observe, { flush: 'post' });
  onMounted(observe);
  onBeforeUnmount(() => observer?.disconnect());

  // The text is about to grow: its end is to be seen again.
  function again(): void {
    seen.value = false;
    observer?.disconnect();
    void nextTick(observe);
  }

  return { seen: readonly(seen), again };
}

// The request of a card. `decides`: a person is asked; `shown`: the text is on the page; `text`: all of it.
interface Request {
  decides: () => boolean;
  shown: () => boolean;
  text: () => string;
}

// `locked` until the whole text was shown once: loaded, its folded parts opened, and the end of a long one on the
// screen. `end`: the mark behind the text; `missing`: what is left to do.
export function useSeenWhole(end: Readonly<Ref<HTMLElement | null>>, { decides, shown, text }: Request) {
  const { again, seen } = useEndSeen(end);
  const { folded, loading } = provideFolds(decides(), again);
  const isWhole = computed(
    () => shown() && folded.value === 0 && loading.value === 0 && (seen.value || !mayBeCut(text())),
  );
  const wasWhole = ref(false);
  // After drawing: the parts of the text say by then whether they fold.
  function look(): void {
    wasWhole.value ||= isWhole.value;
  }
  onMounted(look);
  watch(isWhole, look, { flush: 'post' });
  const locked = computed(() => decides() && !wasWhole.value);
  const missing = computed(() => {
    if (!locked.value) return '';
    if (loading.value > 0) return 'lockedLoading';
    return folded.value > 0 ? 'lockedFolded' : 'locked';
  });
  return { locked, missing };
}
