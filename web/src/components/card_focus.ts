// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

// The card of a request ID, in any part of the page; null: not in the DOM.
export function cardElement(key: string): HTMLElement | null {
  return document.querySelector(`[data-card="${CSS.escape(key)}"]`);
}

export function focusCard(key: string, field = false): void {
  const card = cardElement(key);
  if (!card) return;
  const wanted = field ? '[data-field]' : '[data-autofocus]';
  const target = card.querySelector<HTMLElement>(wanted) ?? card;
  // On touch screens the field is not focused, so that no keyboard opens unasked.
  const touch = window.matchMedia('(pointer: coarse)').matches;
  (touch && !field ? card : target).focus({ preventScroll: true });
  card.scrollIntoView({ block: 'nearest' });
}

export function chooseInCard(key: string, index: number): void {
  cardElement(key)?.querySelectorAll<HTMLElement>('[data-digit]')[index]?.click();
}
