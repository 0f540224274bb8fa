// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Loads a stage from the backend. Data of the backend that the stage does not show is dropped here.
import { calendarDays, displayDay, weekdayOf } from './calendar';
import type { BookingBackend, Seat } from './host_engine';
import type { StageRun } from './stage_run';
import { stageForms } from './stages';
import type { BookingSoFar, Item, Stage, TicketChoice } from '@/stage/ui_spec';

interface Rows {
  items: Item[];
  disabled?: Map<string, string>;
  meta?: Record<string, unknown>;
  counts?: Map<string, number>;
}

// Only the fields of the stage's form, in its order.
function shown(stage: Stage, row: Readonly<Record<string, unknown>>): Item {
  const item: Record<string, unknown> = {};
  for (const field of stageForms[stage].fields) {
    if (row[field] !== undefined) item[field] = row[field];
  }
  return item as Item;
}

export function dollars(amount: number): string {
  return `$${amount.toFixed(2)}`;
}

// In whole cents, so that 3 times 9.99 is 29.97.
export function totalPrice(tickets: readonly TicketChoice[]): number {
  return tickets.reduce((cents, each) => cents + Math.round(each.price * 100) * each.quantity, 0) / 100;
}

async function movieRows(backend: BookingBackend): Promise<Rows> {
  const movies = await backend.movies();
  return { items: movies.map((movie) => shown('movie', { ...movie })) };
}

async function theaterRows(backend: BookingBackend, movieId: string): Promise<Rows> {
  const theaters = await backend.theatersOf(movieId);
  return { items: theaters.map((theater) => shown('theater', { ...theater })), meta: { movieId } };
}

interface Place {
  movieId: string;
  theaterId: string;
}

async function dateRows(backend: BookingBackend, place: Place, today: string): Promise<Rows> {
  const offered = await backend.dates(place.movieId, place.theaterId);
  const days = calendarDays(today, offered);
  const closed = days.filter((day) => !offered.includes(day));
  return {
    items: days.map((day) =>
      shown('date', {
        id: day,
        date: day,
        dayOfWeek: weekdayOf(day),
        displayText: displayDay(day),
        available: offered.includes(day),
      }),
    ),
    disabled: new Map(closed.map((day) => [day, `There is no showing on ${displayDay(day)}.`])),
    meta: { ...place },
  };
}

async function timeRows(backend: BookingBackend, place: Place, date: string): Promise<Rows> {
  const showings = await backend.times(place.movieId, place.theaterId, date);
  const soldOut = showings.filter((showing) => showing.availableSeats <= 0);
  return {
    items: showings.map((showing) => shown('time', { ...showing })),
    disabled: new Map(soldOut.map((showing) => [showing.id, `The showing at ${showing.time} is sold out.`])),
    meta: { ...place, date },
  };
}

function seatLabel(seat: Seat): string {
  return `${seat.row}${String(seat.number)}`;
}

async function seatRows(backend: BookingBackend, place: Place, booking: BookingSoFar): Promise<Rows> {
  const showtimeId = booking.showing?.id ?? '';
  const seats = await backend.seats(showtimeId);
  const taken = seats.filter((seat) => seat.status !== 'available');
  return {
    items: seats.map((seat) => shown('seat', { ...seat, label: seatLabel(seat) })),
    disabled: new Map(taken.map((seat) => [seat.id, `Seat ${seatLabel(seat)} is occupied.`])),
    meta: {
      ...place,
      date: booking.date,
      showtimeId,
      rows: [...new Set(seats.map((seat) => seat.row))],
      seatsPerRow: seats.reduce((most, seat) => Math.max(most, seat.number), 0),
    },
  };
}

async function ticketRows(backend: BookingBackend, booking: BookingSoFar): Promise<Rows> {
  const types = await backend.ticketTypes();
  const seats = booking.selectedSeats ?? [];
  const chosenTickets = booking.tickets ?? [];
  return {
    items: types.map((type) => shown('ticket', { ...type, priceDisplay: dollars(type.price) })),
    meta: { maxTotal: seats.length, selectedSeats: seats.map((seat) => seat.id) },
    counts: new Map(
      types.map((type) => [type.id, chosenTickets.find((each) => each.ticketTypeId === type.id)?.quantity ?? 0]),
    ),
  };
}

function confirmRows(booking: BookingSoFar): Rows {
  const tickets = booking.tickets ?? [];
  return {
    items: [],
    meta: {
      movie: booking.movie,
      theater: booking.theater,
      date: booking.date,
      time: booking.showing?.time,
      seats: (booking.selectedSeats ?? []).map((seat) => seat.value),
      tickets: tickets.map((each) => ({ type: each.name, quantity: each.quantity, price: each.price })),
      totalPrice: totalPrice(tickets),
    },
  };
}

function rowsOf(stage: Stage, booking: BookingSoFar, backend: BookingBackend, today: string): Promise<Rows> | Rows {
  const place = { movieId: booking.movie?.id ?? '', theaterId: booking.theater?.id ?? '' };
  switch (stage) {
    case 'movie':
      return movieRows(backend);
    case 'theater':
      return theaterRows(backend, place.movieId);
    case 'date':
      return dateRows(backend, place, today);
    case 'time':
      return timeRows(backend, place, booking.date ?? '');
    case 'seat':
      return seatRows(backend, place, booking);
    case 'ticket':
      return ticketRows(backend, booking);
    case 'confirm':
      return confirmRows(booking);
  }
}

// Rejects with the backend's error. `today`: the first day of the calendar, "YYYY-MM-DD".
export async function loadStage(
  stage: Stage,
  booking: BookingSoFar,
  backend: BookingBackend,
  today: string,
): Promise<StageRun> {
  const rows = await rowsOf(stage, booking, backend, today);
  return {
    stage,
    items: rows.items,
    disabled: rows.disabled ?? new Map<string, string>(),
    meta: rows.meta,
    modification: {},
    chosen: [],
    counts: rows.counts ?? new Map<string, number>(),
  };
}
