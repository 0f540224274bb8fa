// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { onBeforeUnmount, onMounted, type Ref } from 'vue';
import { HttpNotify } from '@/notify/http_notify';
import { useAccount } from '@/stores/account';

// A person counts as present for this long after a movement, a key or a touch.
const kAwakeMs = 60_000;
const kSigns = ['pointermove', 'pointerdown', 'keydown', 'wheel', 'touchstart', 'focus'] as const;

// Reports each question once: when it is on the screen, the page is visible, and a person is present. A page that
// nobody uses reports nothing.
export class SeenWatch {
  private readonly shown = new Set<string>();
  private readonly reported = new Set<string>();
  private lastSign: number;

  constructor(
    private readonly report: (key: string) => void,
    private readonly isVisible: () => boolean,
    private readonly now: () => number = () => Date.now(),
  ) {
    this.lastSign = now();
  }

  show(key: string): void {
    this.shown.add(key);
    this.settle();
  }

  hide(key: string): void {
    this.shown.delete(key);
  }

  // The person has moved, typed or touched.
  sign(): void {
    this.lastSign = this.now();
    this.settle();
  }

  settle(): void {
    if (!this.isVisible() || this.now() - this.lastSign >= kAwakeMs) return;
    for (const key of this.shown) {
      if (this.reported.has(key)) continue;
      this.reported.add(key);
      this.report(key);
    }
  }
}

let watch: SeenWatch | null = null;

function theWatch(): SeenWatch {
  if (watch !== null) return watch;
  const account = useAccount();
  const made = new SeenWatch(
    (key) => {
      // Best effort: without it the notice is sent although the question was seen.
      if (account.token) new HttpNotify(account.token).seen(key).catch(() => undefined);
    },
    () => document.visibilityState === 'visible',
  );
  for (const sign of kSigns) window.addEventListener(sign, () => made.sign(), { passive: true, capture: true });
  document.addEventListener('visibilitychange', () => made.settle());
  watch = made;
  return made;
}

// Watches the card of a question.
export function useSeen(card: Ref<HTMLElement | null>, key: () => string): void {
  let observer: IntersectionObserver | null = null;
  onMounted(() => {
    if (card.value === null || !('IntersectionObserver' in window)) return;
    observer = new IntersectionObserver((entries) => {
      const last = entries.at(-1);
      if (last?.isIntersecting) theWatch().show(key());
      else theWatch().hide(key());
    });
    observer.observe(card.value);
  });
  onBeforeUnmount(() => {
    observer?.disconnect();
    if (observer !== null) theWatch().hide(key());
  });
}
