// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

// The rendered part of a long thread: items [start, end).
export interface Window {
  start: number;
  end: number;
}

export const kWindowStep = 40;
export const kWindowMax = 160;

export function tailWindow(total: number): Window {
  return { start: Math.max(0, total - kWindowStep * 2), end: total };
}

// As long at both ends of the thread: a short part might not fill a tall pane, which could not be scrolled then.
export function windowAround(index: number, total: number): Window {
  const start = Math.max(0, Math.min(index, total - kWindowStep) - kWindowStep);
  return { start, end: Math.min(total, start + kWindowStep * 2) };
}

// From `start`, with at most `length` items.
export function grownTo(start: number, length: number, total: number): Window {
  return { start, end: Math.min(total, start + length) };
}

export function growUp(window: Window): Window {
  const start = Math.max(0, window.start - kWindowStep);
  return { start, end: Math.min(window.end, start + kWindowMax) };
}

export function growDown(window: Window, total: number): Window {
  const end = Math.min(total, window.end + kWindowStep);
  return { start: Math.max(window.start, end - kWindowMax), end };
}
