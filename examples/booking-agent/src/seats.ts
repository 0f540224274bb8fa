// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The choice of seats: adjacent if possible, in the wished rows, near the middle of the row.
import type { UiSpec } from './protocol.js';
import { fitsRow, type Wishes } from './wishes.js';

interface Seat {
  id: string;
  row: string;
  number: number;
  premium: boolean;
}

function freeSeats(spec: UiSpec): Seat[] {
  const open = new Set(spec.visibleItems.filter((item) => !item.isDisabled).map((item) => item.id));
  return spec.items.flatMap((item) =>
    open.has(item.id)
      ? [
          {
            id: item.id,
            row: String(item['row']),
            number: Number(item['number']),
            premium: item['type'] === 'premium',
          },
        ]
      : [],
  );
}

export function rowsOf(spec: UiSpec): string[] {
  const rows = spec.meta?.['rows'];
  if (Array.isArray(rows)) return rows.map(String);
  return [...new Set(spec.items.map((item) => String(item['row'])))];
}

// Groups of `count` adjacent seats.
function runsOf(seats: readonly Seat[], count: number): Seat[][] {
  const ordered = [...seats].sort((a, b) => a.row.localeCompare(b.row) || a.number - b.number);
  return ordered.flatMap((first, start) => {
    const run = ordered.slice(start, start + count);
    const together = run.every((seat, index) => seat.row === first.row && seat.number === first.number + index);
    return run.length === count && together ? [run] : [];
  });
}

export interface SeatChoice {
  ids: string[];
  asWished: boolean; // in the wished rows
}

// `pick` chooses among equally good groups. Undefined: not enough seats.
export function chooseSeats(
  spec: UiSpec,
  wishes: Wishes,
  pick: <T>(from: readonly T[]) => T | undefined,
): SeatChoice | undefined {
  const rows = rowsOf(spec);
  const perRow = Number(spec.meta?.['seatsPerRow'] ?? 10);
  const free = freeSeats(spec);
  if (free.length < wishes.seats) return undefined;
  const wished = free.filter((seat) => fitsRow(seat.row, rows, wishes));
  const pool = wished.length >= wishes.seats ? wished : free;
  const distance = (run: readonly Seat[]): number => {
    const centre = run.reduce((sum, seat) => sum + seat.number, 0) / run.length;
    const depth = Math.abs(rows.indexOf(run[0]?.row ?? '') - rows.length * 0.6);
    return Math.abs(centre - (perRow + 1) / 2) + depth;
  };
  const runs = runsOf(pool, wishes.seats);
  if (runs.length === 0) {
    return { ids: pool.slice(0, wishes.seats).map((seat) => seat.id), asWished: pool === wished };
  }
  runs.sort((a, b) => distance(a) - distance(b));
  const best = pick(runs) ?? [];
  return { ids: best.map((seat) => seat.id), asWished: pool === wished };
}
