// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

const kWindowMs = 100;
const kAtOnce = 20; // messages of one window that are handled when they come

// Passes messages on. A burst is handled in groups, because the page is drawn after each group; the order stays.
export class Burst<T> {
  private waiting: T[] = [];
  private count = 0; // messages of the current window
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly handle: (message: T) => void) {}

  take(message: T): void {
    this.timer ??= setTimeout(this.next, kWindowMs);
    this.count += 1;
    if (this.count <= kAtOnce && this.waiting.length === 0) this.handle(message);
    else this.waiting.push(message);
  }

  // Handles what waits; call before anything that must follow it.
  flush(): void {
    const messages = this.waiting;
    this.waiting = [];
    messages.forEach(this.handle);
  }

  // Drops what waits.
  clear(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.waiting = [];
    this.count = 0;
  }

  private readonly next = (): void => {
    const isOver = this.waiting.length === 0;
    this.count = 0;
    this.timer = isOver ? undefined : setTimeout(this.next, kWindowMs);
    this.flush();
  };
}
