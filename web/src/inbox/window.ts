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

export function growUp(window: Window): Window {
  const start = Math.max(0, window.start - kWindowStep);
  return { start, end: Math.min(window.end, start + kWindowMax) };
}

export function growDown(window: Window, total: number): Window {
  const end = Math.min(total, window.end + kWindowStep);
  return { start: Math.max(window.start, end - kWindowMax), end };
}

