// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The agent's memory between steps: dead ends, and wishes that nothing fits.
import type { BookingSoFar, HistoryEntry, Item, UiSpec } from './protocol.js';
import type { Catalogue } from './wishes.js';

export type Relaxable = 'movie' | 'theater' | 'day' | 'daytime' | 'rows';

export class Memory {
  readonly catalogue: Catalogue = { movies: [], theaters: [] };
  readonly relaxed = new Set<Relaxable>();
  readonly deadEnds = new Set<string>();
  readonly highlighted = new Set<string>();
  readonly explained = new Set<string>();
  readonly choices = new Map<string, string>(); // stage -> choice
  rows: string[] = [];
  ticketTypes: Item[] = [];
  firstDay = '';
  seats: { showing: string; ids: string[] } | undefined;
  reseat = false; // the seats were taken by others: choose again

  // Without `random` the first of equal choices is taken.
  constructor(private readonly random?: () => number) {}

  pick = <T>(from: readonly T[]): T | undefined => {
    if (!this.random) return from[0];
    return from[Math.floor(this.random() * from.length)];
  };

  // Forgets dead ends, relaxed wishes and explanations, which new wishes may change.
  forget(): void {
    this.relaxed.clear();
    this.deadEnds.clear();
    this.highlighted.clear();
    this.explained.clear();
    this.choices.clear();
    this.seats = undefined;
  }

  // Learns names and types that the page shows, to understand later messages.
  learn(spec: Partial<UiSpec> | undefined): void {
    if (!spec?.items) return;
    if (spec.stage === 'movie') {
      this.catalogue.movies = spec.items.map((item) => ({
        id: item.id,
        title: String(item['title']),
        genre: Array.isArray(item['genre']) ? item['genre'].map(String) : [],
      }));
    }
    if (spec.stage === 'theater') {
      const known = new Map(this.catalogue.theaters.map((each) => [each.id, each]));
      for (const item of spec.items) known.set(item.id, { id: item.id, name: String(item['name']) });
      this.catalogue.theaters = [...known.values()];
    }
    if (spec.stage === 'ticket') this.ticketTypes = spec.items;
    if (spec.stage === 'date') this.firstDay = spec.items[0]?.id ?? this.firstDay;
  }

  learnFrom(history: readonly HistoryEntry[]): void {
    for (const entry of history) if (entry.type === 'system') this.learn(entry.spec);
  }
}

// Key of a choice with the choices before it, so that a dead end applies only there.
export function placeOf(booking: BookingSoFar, id: string): string {
  const { movie, theater, date } = booking;
  return [movie?.id, theater?.id, date, id].filter((part) => part !== undefined).join('/');
}
