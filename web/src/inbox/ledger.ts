// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { Closing, Item } from './item';

// All known items, independent of the order in which they are learnt: live frames, the pending list and pages
// of history overlap, and a page may have the end of an item whose beginning is on an older page.
export class Ledger {
  private items = new Map<string, Item>();
  private early = new Map<string, Closing>();

  get size(): number {
    return this.items.size;
  }

  get(key: string): Item | undefined {
    return this.items.get(key);
  }

  values(): Item[] {
    return [...this.items.values()];
  }

  // Number of outcomes whose item is not known yet.
  get earlyCount(): number {
    return this.early.size;
  }

  // Adds an item; a known item keeps its outcome. True if anything changed.
  open(item: Item): boolean {
    const known = this.items.get(item.key);
    if (known) return this.reopenIfPending(known, item);
    const closing = this.early.get(item.key);
    this.early.delete(item.key);
    this.items.set(item.key, closing ? { ...item, state: closing.state, outcome: closing.outcome } : item);
    return true;
  }

  // Adds an outcome. The first one wins, except that a known outcome replaces an unknown one.
  close(closing: Closing): boolean {
    const known = this.items.get(closing.key);
    if (!known) {
      if (closing.state !== 'closed') this.early.set(closing.key, closing);
      return false;
    }
    const settled = known.state !== 'pending' && known.state !== 'closed';
    if (settled || (known.state === 'closed' && closing.state === 'closed')) return false;
    this.items.set(closing.key, { ...known, state: closing.state, outcome: closing.outcome });
    return true;
  }

  clear(): void {
    this.items.clear();
    this.early.clear();
  }

  private reopenIfPending(known: Item, received: Item): boolean {
    if (known.state === 'closed' && received.state === 'pending') {
      this.items.set(received.key, received);
      return true;
    }
    if (known.state !== 'pending') return false;
    const better = known.deadline === 0 && received.deadline !== 0;
    if (better) this.items.set(received.key, received);
    return better;
  }
}

// The order of a thread: closed items by the time of their outcome, then waiting ones by the time of asking.
export function threadOrder(items: readonly Item[]): Item[] {
  return [...items].sort((a, b) => {
    const aWaits = a.state === 'pending';
    const bWaits = b.state === 'pending';
    if (aWaits !== bWaits) return aWaits ? 1 : -1;
    return sortTime(a) - sortTime(b) || (a.key < b.key ? -1 : 1);
  });
}

export function sortTime(item: Item): number {
  return item.state === 'pending' ? item.openedAt : (item.outcome?.at ?? item.openedAt);
}
