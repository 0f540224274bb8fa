// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

// The card of a request ID, in any part of the page; null: not in the DOM.
export function cardElement(key: string): HTMLElement | null {
  return document.querySelector(`[data-card="${CSS.escape(key)}"]`);
}

// A dialog keeps the focus that it has.
export function focusCard(key: string, field = false): void {
  const card = cardElement(key);
  if (!card || document.activeElement?.closest('[role=dialog]')) return;
  // Without `field` the card itself has the focus: keys stay commands until Enter opens the field.
  const target = field ? card.querySelector<HTMLElement>('[data-field]') : null;
  (target ?? card).focus({ preventScroll: true });
  card.scrollIntoView({ block: 'nearest' });
}

const kMaxFrames = 120;

// Focuses a card that a person has chosen in a dialog, once it is drawn and the dialog has given the focus back.
export function focusCardSoon(key: string, frames = kMaxFrames): void {
  requestAnimationFrame(() => {
    const waits = cardElement(key) === null || document.activeElement?.closest('[role=dialog]');
    if (waits && frames > 0) focusCardSoon(key, frames - 1);
    else focusCard(key);
  });
}

// True if a part of the card is in view in its thread.
export function isCardInView(key: string): boolean {
  const card = cardElement(key);
  const thread = card?.closest('[role=log]')?.getBoundingClientRect();
  const place = card?.getBoundingClientRect();
  return place !== undefined && thread !== undefined && place.top < thread.bottom && place.bottom > thread.top;
}

// Presses a choice by a key: its `digit` event, because a key does less than a click. `choice`: its selector. False:
// the card has no such choice, or takes no press yet.
export function pressInCard(key: string, choice: string): boolean {
  const button = cardElement(key)?.querySelector<HTMLButtonElement>(`[data-settling=false] ${choice}`);
  if (button?.disabled !== false) return false;
  button.dispatchEvent(new CustomEvent('digit'));
  return true;
}

export const chooseInCard = (key: string, index: number): boolean => pressInCard(key, `[data-digit="${index + 1}"]`);
