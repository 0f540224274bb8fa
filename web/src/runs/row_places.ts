// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

// The positions of rows of different heights; a further last entry is the end.
export function rowPlaces(heights: readonly number[]): number[] {
  const places = [0];
  let top = 0;
  for (const height of heights) {
    top += height;
    places.push(top);
  }
  return places;
}

// The row at a position; outside of all rows, the nearest one.
export function rowAt(places: readonly number[], y: number): number {
  let [low, high] = [0, Math.max(0, places.length - 2)];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((places[middle] ?? 0) <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}

// The rows to render: the visible ones and `spare` pixels beyond.
export function rowsToDraw(
  places: readonly number[],
  scroll: number,
  height: number,
  spare: number,
): { from: number; to: number } {
  if (places.length < 2) return { from: 0, to: 0 };
  return { from: rowAt(places, scroll - spare), to: rowAt(places, scroll + height + spare) + 1 };
}
