// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

// Cards are found by their request ID, so that keys work whatever part of the page drew them.
export function cardElement(key: string): HTMLElement | null {
  return document.querySelector(`[data-card="${CSS.escape(key)}"]`);
}

export function focusCard(key: string, field = false): void {
  const card = cardElement(key);
  if (!card) return;
  const wanted = field ? '[data-field]' : '[data-autofocus]';
  const target = card.querySelector<HTMLElement>(wanted) ?? card;
  // A phone's keyboard comes up only when the person touches the field.
  const touch = window.matchMedia('(pointer: coarse)').matches;
  (touch && !field ? card : target).focus({ preventScroll: true });
  card.scrollIntoView({ block: 'nearest' });
}

export function chooseInCard(key: string, index: number): void {
  cardElement(key)?.querySelectorAll<HTMLElement>('[data-digit]')[index]?.click();
}
