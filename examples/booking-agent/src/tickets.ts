// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The choice of tickets.
import type { Item } from './protocol.js';
import type { Kind, Wishes } from './wishes.js';

const names: Record<Kind, RegExp> = {
  adult: /adult|standard|regular/i,
  child: /child|kid|youth/i,
  senior: /senior/i,
};

function cheapest(types: readonly Item[]): Item | undefined {
  return types.reduce<Item | undefined>(
    (best, type) => (best === undefined || Number(type['price']) < Number(best['price']) ? type : best),
    undefined,
  );
}

function typeFor(kind: Kind, types: readonly Item[]): Item | undefined {
  return types.find((type) => names[kind].test(String(type['name']))) ?? types[0];
}

// Number of tickets by type, in total the number of seats. Adults by default.
export function ticketsWanted(types: readonly Item[], wishes: Wishes): Map<string, number> {
  const wanted = new Map<string, number>();
  const add = (type: Item | undefined, count: number): void => {
    if (type) wanted.set(type.id, (wanted.get(type.id) ?? 0) + count);
  };
  const party = Object.entries(wishes.party) as [Kind, number][];
  let left = wishes.seats;
  for (const [kind, count] of party) {
    const taken = Math.min(left, count);
    add(typeFor(kind, types), taken);
    left -= taken;
  }
  if (left > 0) add(wishes.cheaper ? cheapest(types) : typeFor('adult', types), left);
  return wanted;
}
