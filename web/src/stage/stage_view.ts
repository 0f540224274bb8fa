// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import {
  type Choice,
  type Component,
  type HighlightStyle,
  type Item,
  type Modification,
  type SpecState,
  type Stage,
  stages,
  type UiSpec,
  type VisibleItem,
} from '@/stage/ui_spec';

// View models of the renderers, derived from a uiSpec alone, so that replays and live pages share the
// code.
export interface ShownItem {
  id: string;
  value: string; // shown label; may be the agent's text
  original: string; // label of the page
  augmented: boolean;
  disabled: boolean;
  chosen: boolean;
  mark: HighlightStyle | null; // highlight by the agent
  row: Item;
}

type Json = Record<string, unknown>;

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

function choicesOf(value: unknown): Choice[] {
  return listOf(value)
    .filter(isObject)
    .filter((it) => typeof it['id'] === 'string')
    .map((it) => ({ id: String(it['id']), value: textOf(it['value']) }));
}

export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  return '';
}

export function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

const kComponents: Record<Stage, Component> = {
  movie: 'buttonGroup',
  theater: 'buttonGroup',
  date: 'calendar',
  time: 'buttonGroup',
  seat: 'seatMap',
  ticket: 'counter',
  confirm: 'summary',
};

function readState(value: unknown): SpecState {
  const state = isObject(value) ? value : {};
  const read: SpecState = { booking: isObject(state['booking']) ? state['booking'] : {} };
  const [selected] = choicesOf([state['selected']]);
  if (selected) read.selected = selected;
  if (Array.isArray(state['selectedList'])) read.selectedList = choicesOf(state['selectedList']);
  if (Array.isArray(state['highlighted'])) read.highlighted = choicesOf(state['highlighted']);
  if (Array.isArray(state['quantities'])) {
    read.quantities = listOf(state['quantities'])
      .filter(isObject)
      .flatMap((it) => {
        const [item] = choicesOf([it['item']]);
        return item ? [{ item, count: numberOf(it['count']) ?? 0 }] : [];
      });
  }
  return read;
}

const kOperators = ['eq', 'neq', 'contains', 'gt', 'lt', 'gte', 'lte', 'in'] as const;

function readModification(value: unknown): Modification {
  const from = isObject(value) ? value : {};
  const read: Modification = {};
  const { filter, sort, highlight } = from;
  if (isObject(filter)) {
    const operator = kOperators.find((it) => it === filter['operator']) ?? 'eq';
    read.filter = { field: textOf(filter['field']), operator, value: filter['value'] };
  }
  if (isObject(sort)) {
    read.sort = { field: textOf(sort['field']), order: sort['order'] === 'desc' ? 'desc' : 'asc' };
  }
  if (isObject(highlight)) {
    const itemIds = listOf(highlight['itemIds']).filter((it) => typeof it === 'string');
    const style = (['border', 'glow', 'badge'] as const).find((it) => it === highlight['style']);
    read.highlight = style ? { itemIds, style } : { itemIds };
  }
  const augment = listOf(from['augment']).filter(isObject);
  if (augment.length > 0) {
    read.augment = augment.map((it) => ({ itemId: textOf(it['itemId']), value: textOf(it['value']) }));
  }
  return read;
}

// A uiSpec from a log or another host, with defaults for members that the renderers need; null if the
// value is not a uiSpec or only a summary.
export function readSpec(value: unknown): UiSpec | null {
  if (!isObject(value) || value['summary'] === true) return null;
  const stage = stages.find((it) => it === value['stage']);
  if (!stage) return null;
  const display = isObject(value['display']) ? value['display'] : {};
  const spec: UiSpec = {
    stage,
    title: textOf(value['title']),
    description: textOf(value['description']),
    visibleItems: listOf(value['visibleItems']).filter(isObject).map(readVisible),
    state: readState(value['state']),
    items: listOf(value['items'])
      .filter(isObject)
      .map((it) => ({ ...it, id: textOf(it['id']) })),
    modification: readModification(value['modification']),
    display: {
      valueField: textOf(display['valueField']) || 'id',
      component: Object.values(kComponents).find((it) => it === display['component']) ?? kComponents[stage],
    },
  };
  if (isObject(value['meta'])) spec.meta = value['meta'];
  return spec;
}

function readVisible(it: Json): VisibleItem {
  const item = { id: textOf(it['id']), value: textOf(it['value']) };
  return it['isDisabled'] === true ? { ...item, isDisabled: true } : item;
}

// The visible items, in their order.
export function shownItems(spec: UiSpec): ShownItem[] {
  const rows = new Map(spec.items.map((row) => [row.id, row]));
  const pointed = new Set([
    ...(spec.modification.highlight?.itemIds ?? []),
    ...(spec.state.highlighted ?? []).map((it) => it.id),
  ]);
  const style = spec.modification.highlight?.style ?? 'border';
  const chosen = new Set((spec.state.selectedList ?? []).map((it) => it.id));
  if (spec.state.selected) chosen.add(spec.state.selected.id);
  const augmented = new Set((spec.modification.augment ?? []).map((it) => it.itemId));
  return spec.visibleItems.map((item) => {
    const row = rows.get(item.id) ?? { id: item.id };
    const original = textOf(row[spec.display.valueField]) || item.value;
    return {
      id: item.id,
      value: item.value,
      original,
      augmented: augmented.has(item.id) && item.value !== original,
      disabled: item.isDisabled === true,
      chosen: chosen.has(item.id),
      mark: pointed.has(item.id) ? style : null,
      row,
    };
  });
}

// One change that the agent made to the list.
export type Change =
  | { kind: 'filter'; field: string; operator: string; value: string; shown: number; total: number }
  | { kind: 'sort'; field: string; order: 'asc' | 'desc' }
  | { kind: 'highlight'; items: Choice[] }
  | { kind: 'augment'; count: number };

export function changesOf(spec: UiSpec): Change[] {
  const { filter, sort, highlight, augment } = spec.modification;
  const changes: Change[] = [];
  if (filter) {
    changes.push({
      kind: 'filter',
      field: filter.field,
      operator: filter.operator,
      value: textOf(filter.value),
      shown: spec.visibleItems.length,
      total: spec.items.length,
    });
  }
  if (sort) changes.push({ kind: 'sort', ...sort });
  if (highlight && highlight.itemIds.length > 0) {
    changes.push({ kind: 'highlight', items: spec.state.highlighted ?? [] });
  }
  if (augment && augment.length > 0) {
    changes.push({ kind: 'augment', count: new Set(augment.map((it) => it.itemId)).size });
  }
  return changes;
}

export function ticketTotal(spec: UiSpec): number {
  return (spec.state.quantities ?? []).reduce((sum, it) => sum + it.count, 0);
}

export function ticketLimit(spec: UiSpec): number {
  return numberOf(spec.meta?.['maxTotal']) ?? 0;
}

// True if the choice of the stage is complete.
export function canGoNext(spec: UiSpec): boolean {
  switch (spec.stage) {
    case 'confirm':
      return true;
    case 'seat':
      return (spec.state.selectedList ?? []).length > 0;
    case 'ticket':
      return ticketLimit(spec) > 0 && ticketTotal(spec) === ticketLimit(spec);
    default:
      return spec.state.selected !== undefined;
  }
}

export interface CalendarDay {
  date: string; // YYYY-MM-DD
  item: ShownItem | null; // null: not offered, or hidden by the agent
}

const kDayMs = 86_400_000;
const atMidnight = (date: string) => Date.parse(`${date}T00:00:00Z`);
const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

// Complete weeks, from that of the first row's date to that of the last. `weekStart`: 0 is Sunday.
export function calendarWeeks(spec: UiSpec, weekStart: 0 | 1): CalendarDay[][] {
  const shown = new Map(shownItems(spec).map((item) => [item.id, item]));
  const times = spec.items.map((row) => atMidnight(row.id)).filter(Number.isFinite);
  if (times.length === 0) return [];
  const first = Math.min(...times);
  const last = Math.max(...times);
  const begin = first - ((new Date(first).getUTCDay() - weekStart + 7) % 7) * kDayMs;
  const weeks: CalendarDay[][] = [];
  for (let at = begin; at <= last && weeks.length < 60; at += 7 * kDayMs) {
    weeks.push(
      [0, 1, 2, 3, 4, 5, 6].map((day) => {
        const date = dateOf(at + day * kDayMs);
        return { date, item: shown.get(date) ?? null };
      }),
    );
  }
  return weeks;
}

export interface SeatRow {
  name: string;
  seats: (ShownItem | null)[]; // by seat number from 1; null: no seat, or hidden by the agent
}

const kMaxSeatsPerRow = 60;

// The rows of the map, from the screen to the back.
export function seatRows(spec: UiSpec): SeatRow[] {
  const shown = new Map(shownItems(spec).map((item) => [item.id, item]));
  const named = listOf(spec.meta?.['rows']).filter((it) => typeof it === 'string');
  const rows = new Map<string, SeatRow>(named.map((name) => [name, { name, seats: [] }]));
  let widest = numberOf(spec.meta?.['seatsPerRow']) ?? 0;
  for (const row of spec.items) widest = Math.max(widest, numberOf(row['number']) ?? 0);
  widest = Math.min(widest, kMaxSeatsPerRow);
  for (const row of rows.values()) row.seats = Array<ShownItem | null>(widest).fill(null);
  for (const item of spec.items) {
    const name = textOf(item['row']);
    const number = numberOf(item['number']) ?? 0;
    const row = rows.get(name) ?? { name, seats: Array<ShownItem | null>(widest).fill(null) };
    rows.set(name, row);
    if (number >= 1 && number <= widest) row.seats[number - 1] = shown.get(item.id) ?? null;
  }
  return [...rows.values()].filter((row) => row.seats.some((seat) => seat !== null) || named.includes(row.name));
}

export interface TicketLine {
  name: string;
  quantity: number;
  price: number;
}

export interface Summary {
  movie: string;
  theater: string;
  date: string;
  time: string;
  seats: string[];
  tickets: TicketLine[];
  total: number;
}

const nameIn = (value: unknown, field: string) => (isObject(value) ? textOf(value[field]) : textOf(value));

// The summary of the last stage, from its meta or from the choices so far.
export function summaryOf(spec: UiSpec): Summary {
  const meta = spec.meta ?? {};
  const booking = spec.state.booking;
  const tickets = listOf(meta['tickets'] ?? booking.tickets)
    .filter(isObject)
    .map((it) => ({
      name: textOf(it['type'] ?? it['name']),
      quantity: numberOf(it['quantity']) ?? 0,
      price: numberOf(it['price']) ?? 0,
    }));
  const sum = tickets.reduce((total, it) => total + it.price * it.quantity, 0);
  const seats = listOf(meta['seats'] ?? booking.selectedSeats);
  return {
    movie: nameIn(meta['movie'] ?? booking.movie, 'title'),
    theater: nameIn(meta['theater'] ?? booking.theater, 'name'),
    date: textOf(meta['date'] ?? booking.date),
    time: nameIn(meta['time'] ?? booking.showing, 'time'),
    seats: seats.map((it) => nameIn(it, 'value')),
    tickets,
    total: numberOf(meta['totalPrice']) ?? sum,
  };
}

// The values chosen in the previous stages, for the list of steps.
export function chosenSoFar(spec: UiSpec): Partial<Record<Stage, string>> {
  const { movie, theater, date, showing, selectedSeats, tickets } = spec.state.booking;
  const chosen: Partial<Record<Stage, string>> = {};
  if (movie) chosen.movie = movie.title;
  if (theater) chosen.theater = theater.name;
  if (date) chosen.date = date;
  if (showing) chosen.time = showing.time;
  if (selectedSeats && selectedSeats.length > 0) chosen.seat = selectedSeats.map((it) => it.value).join(', ');
  const count = (tickets ?? []).reduce((sum, it) => sum + it.quantity, 0);
  if (count > 0) chosen.ticket = String(count);
  return chosen;
}
