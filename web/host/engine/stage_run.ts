// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// One stage in progress, and its uiSpec. A run is immutable.
import { projectBooking, stageForms } from './stages';
import type { BookingSoFar, Choice, Item, Modification, SpecState, Stage, TicketChoice, UiSpec } from '@/stage/ui_spec';
import { labelOf, textOf, visibleItems } from './visible_items';

export interface StageRun {
  readonly stage: Stage;
  readonly items: readonly Item[];
  readonly disabled: ReadonlyMap<string, string>; // id -> reason why it cannot be chosen
  readonly meta: Readonly<Record<string, unknown>> | undefined;
  readonly modification: Modification;
  readonly chosen: readonly string[]; // at most one, except at the seats
  readonly counts: ReadonlyMap<string, number>; // of ticket types
}

export function itemOf(run: StageRun, id: string): Item | undefined {
  return run.items.find((item) => item.id === id);
}

function choiceOf(run: StageRun, id: string): Choice[] {
  const item = itemOf(run, id);
  const { valueField } = stageForms[run.stage];
  return item ? [{ id, value: labelOf(item, valueField, run.modification) }] : [];
}

// The backend's label, without augmentations by the agent; used for the booking.
export function rawLabel(run: StageRun, id: string): string {
  return textOf(itemOf(run, id)?.[stageForms[run.stage].valueField]);
}

export function ticketsOf(run: StageRun): TicketChoice[] {
  return run.items.flatMap((item) => {
    const quantity = run.counts.get(item.id) ?? 0;
    if (quantity === 0) return [];
    return [{ ticketTypeId: item.id, name: textOf(item['name']), price: Number(item['price']), quantity }];
  });
}

export function ticketTotal(run: StageRun): number {
  return [...run.counts.values()].reduce((sum, count) => sum + count, 0);
}

export function maxTickets(run: StageRun): number {
  return Number(run.meta?.['maxTotal'] ?? 0);
}

// The highlighted items; hidden ones have their own label, unknown ids are omitted.
function highlightedOf(run: StageRun, visible: readonly Choice[]): Choice[] {
  const shown = new Map(visible.map((item) => [item.id, item.value]));
  return (run.modification.highlight?.itemIds ?? []).flatMap((id) => {
    if (!itemOf(run, id)) return [];
    return [{ id, value: shown.get(id) ?? rawLabel(run, id) }];
  });
}

function stateOf(run: StageRun, booking: BookingSoFar, visible: readonly Choice[]): SpecState {
  const before: Partial<SpecState> = {};
  if (run.stage === 'seat') before.selectedList = run.chosen.flatMap((id) => choiceOf(run, id));
  if (run.stage === 'ticket') {
    before.quantities = run.items.flatMap((item) =>
      choiceOf(run, item.id).map((choice) => ({ item: choice, count: run.counts.get(item.id) ?? 0 })),
    );
  }
  const state: SpecState = { ...before, booking: projectBooking(run.stage, booking) };
  const selected = run.stage === 'seat' ? undefined : run.chosen.flatMap((id) => choiceOf(run, id))[0];
  if (selected) state.selected = selected;
  const highlighted = highlightedOf(run, visible);
  if (highlighted.length > 0) state.highlighted = highlighted;
  return state;
}

export function specOf(run: StageRun, booking: BookingSoFar): UiSpec {
  const form = stageForms[run.stage];
  const visible = visibleItems(run.items, form.valueField, run.modification, run.disabled);
  const spec: UiSpec = {
    stage: run.stage,
    title: form.title,
    description: form.description,
    visibleItems: visible,
    state: stateOf(run, booking, visible),
    items: [...run.items],
    modification: run.modification,
    display: { valueField: form.valueField, component: form.component },
  };
  if (run.meta) spec.meta = run.meta;
  return spec;
}

// True if the choice of this stage is complete, so that `next` is allowed.
export function isComplete(run: StageRun): boolean {
  if (run.stage === 'confirm') return true;
  if (run.stage === 'ticket') return maxTickets(run) > 0 && ticketTotal(run) === maxTickets(run);
  return run.chosen.length > 0;
}
