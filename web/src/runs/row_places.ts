// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

// Where rows of different heights begin: one more entry than there are rows, the last is the end.
export function rowPlaces(heights: readonly number[]): number[] {
  const places = [0];
  let top = 0;
  for (const height of heights) {
    top += height;
    places.push(top);
  }
  return places;
}

// The row at a height; the nearest one outside.
export function rowAt(places: readonly number[], y: number): number {
  let [low, high] = [0, Math.max(0, places.length - 2)];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((places[middle] ?? 0) <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}

// The rows to draw for what is in sight, with some to spare.
export function rowsToDraw(places: readonly number[], scroll: number, height: number, spare: number): { from: number; to: number } {
  if (places.length < 2) return { from: 0, to: 0 };
  return { from: rowAt(places, scroll - spare), to: rowAt(places, scroll + height + spare) + 1 };
}
