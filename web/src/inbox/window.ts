// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

// The part of a long thread that is on the page: [start, end) of its items.
export interface Window {
  start: number;
  end: number;
}

export const kWindowStep = 40;
export const kWindowMax = 160;

export function tailWindow(total: number): Window {
  return { start: Math.max(0, total - kWindowStep * 2), end: total };
}

export function growUp(window: Window): Window {
  const start = Math.max(0, window.start - kWindowStep);
  return { start, end: Math.min(window.end, start + kWindowMax) };
}

export function growDown(window: Window, total: number): Window {
  const end = Math.min(total, window.end + kWindowStep);
  return { start: Math.max(window.start, end - kWindowMax), end };
}

// The list has changed from `before` to `after` items, `above` of the new ones above the window. A
// window at the end stays at the end.
export function follow(window: Window, before: number, after: number, above: number): Window {
  const atEnd = window.end >= before;
  const start = Math.min(window.start + above, Math.max(0, after - 1));
  const end = atEnd ? after : Math.min(after, window.end + above);
  return { start: Math.max(0, Math.max(start, end - kWindowMax)), end };
}
