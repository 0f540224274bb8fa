// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The next step from the state of the page and the wishes. Pure, except for the memory of dead ends. Every call
// has a reason, one sentence.
import { type Memory, placeOf, type Relaxable } from './memory.js';
import type { BookingSoFar, HostView, Item, Stage, UiSpec } from './protocol.js';
import { stages } from './protocol.js';
import { chooseSeats, rowsOf } from './seats.js';
import { ticketsWanted } from './tickets.js';
import { fitsDay, fitsDaytime, fitsMovie, fitsRow, type Wishes } from './wishes.js';

export type Step =
  | { kind: 'call'; toolName: string; params: Record<string, unknown>; reason: string }
  | { kind: 'say'; text: string } // then plan again
  | { kind: 'wait' }
  | { kind: 'booked' }
  | { kind: 'giveUp'; why: string };

function call(toolName: string, params: Record<string, unknown>, reason: string): Step {
  return { kind: 'call', toolName, params, reason };
}

function offers(view: HostView, tool: string): boolean {
  return view.tools?.has(tool) ?? true;
}

export function isConfirmed(view: HostView): boolean {
  if (view.uiSpec?.stage !== 'confirm') return false;
  if (view.uiSpec.meta?.['status'] === 'confirmed') return true;
  const last = view.messageHistory.findLast((entry) => entry.type === 'user' && entry.action === 'select');
  return last?.label === 'Booking Confirmed!';
}

function isSeatRowAsWished(booking: BookingSoFar, wishes: Wishes, memory: Memory): boolean {
  if (memory.relaxed.has('rows')) return true;
  return (booking.selectedSeats ?? []).every((seat) =>
    fitsRow(seat.value.replace(/\d+$/, ''), memory.rows, wishes),
  );
}

// The first stage whose choice does not fit the wishes; undefined: all choices fit.
function firstWrong(booking: BookingSoFar, wishes: Wishes, memory: Memory): [Stage, string] | undefined {
  const { movie, theater, date, showing, selectedSeats } = booking;
  const known = memory.catalogue.movies.find((each) => each.id === movie?.id);
  if (known && !memory.relaxed.has('movie') && !fitsMovie(known, wishes)) {
    return ['movie', `${known.title} is not the film that is wished.`];
  }
  if (theater && wishes.theater !== undefined && !memory.relaxed.has('theater')) {
    if (theater.name !== wishes.theater) return ['theater', `${wishes.theater} is wished.`];
  }
  if (date !== undefined && memory.firstDay !== '' && !memory.relaxed.has('day')) {
    if (!fitsDay(date, memory.firstDay, wishes.day)) {
      return ['date', `Another day is wished: ${wishes.day ?? ''}.`];
    }
  }
  if (showing && !memory.relaxed.has('daytime') && !fitsDaytime(showing.time, wishes.daytime)) {
    return ['time', `${showing.time} is not in the ${wishes.daytime ?? ''}.`];
  }
  if (selectedSeats && memory.reseat) return ['seat', 'The seats were taken by somebody else meanwhile.'];
  if (selectedSeats && selectedSeats.length !== wishes.seats) {
    return ['seat', `${String(wishes.seats)} seats are wished, not ${String(selectedSeats.length)}.`];
  }
  if (selectedSeats && !isSeatRowAsWished(booking, wishes, memory)) {
    return ['seat', 'Other rows are wished.'];
  }
  return undefined;
}

interface Candidates {
  open: Item[]; // items that can be chosen
  wished: Item[]; // those of `open` that fit the wishes
  relax: Relaxable | undefined; // the wish to relax if nothing fits
  wish: string | undefined; // in the participant's words; undefined: none about this stage
  why: string; // ends the sentence "I choose X, because ..."
}

function openItems(spec: UiSpec, memory: Memory): Item[] {
  const disabled = new Set(spec.visibleItems.filter((item) => item.isDisabled).map((item) => item.id));
  const { booking } = spec.state;
  return spec.items.filter((item) => {
    const closed = item['available'] === false || item['availableSeats'] === 0;
    return !disabled.has(item.id) && !closed && !memory.deadEnds.has(placeOf(booking, item.id));
  });
}

function candidatesOf(spec: UiSpec, wishes: Wishes, memory: Memory): Candidates {
  const open = openItems(spec, memory);
  const strict = (wish: Relaxable, fits: (item: Item) => boolean): Item[] =>
    memory.relaxed.has(wish) ? open : open.filter(fits);
  const candidates = (
    wish: string | undefined,
    relax: Relaxable,
    fits: (item: Item) => boolean,
    otherwise: string,
  ): Candidates => ({
    open,
    wished: strict(relax, fits),
    relax: wish === undefined ? undefined : relax,
    wish,
    why: wish === undefined || memory.relaxed.has(relax) ? otherwise : `“${wish}” is wished`,
  });
  switch (spec.stage) {
    case 'movie': {
      const fits = (item: Item): boolean =>
        fitsMovie({ title: String(item['title']), genre: (item['genre'] ?? []) as string[] }, wishes);
      return candidates(wishes.movie ?? wishes.genre, 'movie', fits, 'no film was named');
    }
    case 'theater': {
      const { theater } = wishes;
      const fits = (item: Item): boolean => theater === undefined || item['name'] === theater;
      return candidates(theater, 'theater', fits, 'it shows the film');
    }
    case 'date': {
      const fits = (item: Item): boolean => fitsDay(item.id, memory.firstDay, wishes.day);
      return candidates(wishes.day, 'day', fits, 'it is the soonest that may fit');
    }
    default: {
      const enough = open.filter((item) => Number(item['availableSeats'] ?? wishes.seats) >= wishes.seats);
      const fits = (item: Item): boolean => fitsDaytime(String(item['time']), wishes.daytime);
      const found = candidates(wishes.daytime, 'daytime', fits, `it has ${String(wishes.seats)} free seats`);
      const wished = found.wished.filter((item) => enough.includes(item));
      // Try other days before another time of day; deadEnd() relaxes that wish.
      return { ...found, open: enough, wished, relax: undefined };
    }
  }
}

function goBack(view: HostView, reason: string): Step {
  if (!offers(view, 'prev')) return { kind: 'giveUp', why: `${reason} There is no way back from here.` };
  return call('prev', {}, reason);
}

function deadEndReason(spec: UiSpec, wishes: Wishes): string {
  const { booking } = spec.state;
  const seats = `${String(wishes.seats)} free seats`;
  if (spec.stage === 'time') {
    const when = wishes.daytime === undefined ? '' : `in the ${wishes.daytime} `;
    return `On ${booking.date ?? 'this day'} there is no showing ${when}with ${seats}, so I look at other days.`;
  }
  if (spec.stage === 'seat') return `This showing has less than ${seats}, so I look at others.`;
  return `Nothing in the stage ${spec.stage} is left, so I look elsewhere.`;
}

// Nothing here can be chosen: goes back and remembers the dead end.
function deadEnd(spec: UiSpec, view: HostView, wishes: Wishes, memory: Memory): Step {
  const { booking } = spec.state;
  if (spec.stage === 'date' && wishes.daytime !== undefined && !memory.relaxed.has('daytime')) {
    memory.relaxed.add('daytime');
    memory.deadEnds.clear();
    return { kind: 'say', text: `There is nothing in the ${wishes.daytime}, so I take another time.` };
  }
  if (spec.stage === 'movie') return { kind: 'giveUp', why: 'No showing has enough free seats.' };
  const before: Partial<Record<Stage, string | undefined>> = {
    theater: booking.movie?.id,
    date: booking.theater?.id,
    time: booking.date,
    seat: booking.showing?.id,
  };
  const at: BookingSoFar = { ...booking };
  if (spec.stage === 'theater') delete at.movie;
  if (spec.stage === 'date') delete at.theater;
  if (spec.stage === 'time') delete at.date;
  memory.deadEnds.add(placeOf(at, before[spec.stage] ?? ''));
  return goBack(view, deadEndReason(spec, wishes));
}

// Highlights the items that fit a wish, once.
function highlightStep(
  spec: UiSpec,
  view: HostView,
  visible: readonly Item[],
  memory: Memory,
  wish: string,
): Step | undefined {
  const ids = visible.map((item) => item.id);
  const key = `${spec.stage}:${ids.join(',')}`;
  if (visible.length < 2 || visible.length === spec.items.length) return undefined;
  if (!offers(view, 'highlight') || memory.highlighted.has(key)) return undefined;
  memory.highlighted.add(key);
  return call('highlight', { itemIds: ids.slice(0, 20) }, `These fit the wish “${wish}”.`);
}

// Explains a choice to the participant, once, before the step.
function explained(memory: Memory, text: string, step: Step): Step {
  if (memory.explained.has(text)) return step;
  memory.explained.add(text);
  return { kind: 'say', text };
}

function chooseOne(spec: UiSpec, view: HostView, wishes: Wishes, memory: Memory): Step {
  const { open, wished, relax, wish, why } = candidatesOf(spec, wishes, memory);
  const chosen = spec.state.selected;
  if (wished.length === 0) {
    if (open.length > 0 && relax !== undefined) {
      memory.relaxed.add(relax);
      return { kind: 'say', text: `Nothing here fits “${wish ?? ''}”, so I take what there is.` };
    }
    return deadEnd(spec, view, wishes, memory);
  }
  if (chosen && wished.some((item) => item.id === chosen.id)) {
    return call('next', {}, `${chosen.value} is chosen; on to the next stage.`);
  }
  const shown = new Set(spec.visibleItems.map((item) => item.id));
  const visible = wished.filter((item) => shown.has(item.id));
  if (visible.length === 0) {
    return call('clearModification', { type: 'filter' }, 'A filter hides what is wished.');
  }
  if (wish !== undefined) {
    const highlight = highlightStep(spec, view, visible, memory, wish);
    if (highlight) return highlight;
  }
  const planned = memory.choices.get(spec.stage);
  const item = visible.find((each) => each.id === planned) ?? memory.pick(visible);
  if (item) memory.choices.set(spec.stage, item.id);
  const label = spec.visibleItems.find((each) => each.id === item?.id)?.value ?? '';
  const step = call('select', { itemId: item?.id }, `I choose ${label}, because ${why}.`);
  const isWorthSaying = spec.stage === 'movie' || spec.stage === 'time';
  return isWorthSaying ? explained(memory, `I take ${label}, because ${why}.`, step) : step;
}

function seatStep(spec: UiSpec, view: HostView, wishes: Wishes, memory: Memory): Step {
  memory.reseat = false;
  memory.rows = rowsOf(spec);
  const showing = spec.state.booking.showing?.id ?? '';
  const disabled = new Set(spec.visibleItems.filter((item) => item.isDisabled).map((item) => item.id));
  const planned = memory.seats;
  const isGood =
    planned?.showing === showing &&
    planned.ids.length === wishes.seats &&
    !planned.ids.some((id) => disabled.has(id));
  if (!isGood) {
    const choice = chooseSeats(spec, wishes, memory.pick);
    if (!choice) {
      if (spec.modification.filter !== undefined) {
        return call('clearModification', { type: 'filter' }, 'A filter hides free seats.');
      }
      return deadEnd(spec, view, wishes, memory);
    }
    if (!choice.asWished) memory.relaxed.add('rows');
    memory.seats = { showing, ids: choice.ids };
  }
  return takeSeats(spec, memory);
}

function takeSeats(spec: UiSpec, memory: Memory): Step {
  const wanted = memory.seats?.ids ?? [];
  const labels = new Map(spec.items.map((item) => [item.id, String(item['label'] ?? item.id)]));
  const chosen = (spec.state.selectedList ?? []).map((seat) => seat.id);
  const extra = chosen.find((id) => !wanted.includes(id));
  if (extra !== undefined) {
    return call('select', { itemId: extra }, `Seat ${labels.get(extra) ?? extra} is given back.`);
  }
  const missing = wanted.find((id) => !chosen.includes(id));
  if (missing === undefined) return call('next', {}, `${String(wanted.length)} seats are chosen.`);
  const label = labels.get(missing) ?? missing;
  const step = call('select', { itemId: missing }, `Seat ${label} is free and fits the others.`);
  const names = wanted.map((id) => labels.get(id) ?? id).join(', ');
  return explained(memory, `I take the seats ${names}.`, step);
}

function ticketStep(spec: UiSpec, wishes: Wishes): Step {
  const wanted = ticketsWanted(spec.items, wishes);
  const counts = new Map(spec.state.quantities?.map((each) => [each.item.id, each.count]));
  const wrong = spec.items
    .map((item) => ({ item, now: counts.get(item.id) ?? 0, then: wanted.get(item.id) ?? 0 }))
    .filter((row) => row.now !== row.then)
    // Reductions first, so that the total never exceeds the number of seats.
    .sort((a, b) => a.then - a.now - (b.then - b.now))[0];
  if (!wrong) return call('next', {}, 'There is a ticket for each seat.');
  const name = String(wrong.item['name']);
  const params = { typeId: wrong.item.id, quantity: wrong.then };
  return call('setQuantity', params, `${String(wrong.then)} of ${name} for ${String(wishes.seats)} seats.`);
}

function confirmStep(spec: UiSpec, view: HostView, wishes: Wishes, memory: Memory): Step {
  const tickets = spec.state.booking.tickets ?? [];
  const types = memory.ticketTypes;
  const wanted = ticketsWanted(types, wishes);
  const countOf = (id: string): number => tickets.find((each) => each.ticketTypeId === id)?.quantity ?? 0;
  const differs = types.some((type) => countOf(type.id) !== (wanted.get(type.id) ?? 0));
  if (differs) return goBack(view, 'Other tickets are wished.');
  return call('next', {}, 'All is as wished, so I confirm the booking.');
}

export function nextStep(view: HostView, wishes: Wishes, memory: Memory): Step {
  const spec = view.uiSpec;
  if (spec === null) return { kind: 'wait' };
  memory.learn(spec);
  if (isConfirmed(view)) return { kind: 'booked' };
  if (wishes.stopped) return { kind: 'wait' };
  const wrong = firstWrong(spec.state.booking, wishes, memory);
  if (wrong && stages.indexOf(wrong[0]) < stages.indexOf(spec.stage)) return goBack(view, wrong[1]);
  switch (spec.stage) {
    case 'seat':
      return seatStep(spec, view, wishes, memory);
    case 'ticket':
      return ticketStep(spec, wishes);
    case 'confirm':
      return confirmStep(spec, view, wishes, memory);
    default:
      return chooseOne(spec, view, wishes, memory);
  }
}
