// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// A deterministic booking backend in memory, for tests and for trying the page without a server. Refuses the
// same requests as the server, with the same texts.
import { addDays } from './calendar';
import {
  BackendError,
  type Booking,
  type BookingBackend,
  type BookingRequest,
  type Movie,
  type Seat,
  type Showing,
  type Theater,
  type TicketType,
} from './host_engine';

export interface MemoryBackend extends BookingBackend {
  readonly bookings: readonly (Booking & { seats: string[]; tickets: BookingRequest['tickets'] })[];
  // Marks a seat as booked by another customer.
  occupy(showingId: string, seatId: string): void;
}

const movies: Movie[] = [
  {
    id: 'm1',
    title: 'Northern Light',
    posterUrl: '/posters/m1.svg',
    genre: ['Sci-Fi', 'Action'],
    duration: 166,
    rating: 'PG-13',
    releaseDate: '2026-03-01',
  },
  {
    id: 'm2',
    title: 'The Quiet Engine',
    posterUrl: '/posters/m2.svg',
    genre: ['Drama', 'History'],
    duration: 180,
    rating: 'R',
    releaseDate: '2026-04-17',
  },
  {
    id: 'm3',
    title: 'Three Winters',
    posterUrl: '/posters/m3.svg',
    genre: ['Comedy', 'Drama'],
    duration: 134,
    rating: 'R',
    releaseDate: '2026-05-29',
  },
];

// Each screenCount is a unique number, so that a test can find it in frames.
const theaters: Theater[] = [
  { id: 't1', name: 'Harbour Cinema', location: 'Quay Street 4', screenCount: 7301 },
  { id: 't2', name: 'Old Mill', location: 'Mill Lane 12', screenCount: 7302 },
  { id: 't3', name: 'Riverside', location: 'Bridge Road 1', screenCount: 7303 },
];

const ticketTypes: TicketType[] = [
  { id: 'tt1', name: 'Adult', price: 14, description: 'Ages 18 and up' },
  { id: 'tt2', name: 'Child', price: 9, description: 'Ages 3 to 12' },
  { id: 'tt3', name: 'Senior', price: 10, description: 'Ages 65 and up' },
];

const showsOf: Record<string, string[]> = { m1: ['t1', 't2'], m2: ['t2', 't3'], m3: ['t1', 't3'] };
const times = ['10:00', '13:30', '17:00', '20:30'] as const;
const rows = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J'] as const;
const kSeatsPerRow = 10;
// The sixth day has no showing; on the second day the showing at 13:30 is sold out.
const kClosedDay = 5;
const kSoldOutDay = 1;

function showingsOn(movieId: string, theaterId: string, first: string, days: number): Showing[] {
  if (!showsOf[movieId]?.includes(theaterId)) return [];
  return Array.from({ length: days }, (_, day) => day)
    .filter((day) => day !== kClosedDay)
    .flatMap((day) =>
      times.map((time, index) => ({
        id: `s-${movieId}-${theaterId}-${String(day)}-${String(index)}`,
        movieId,
        theaterId,
        screenNumber: 4400 + index,
        date: addDays(first, day),
        time,
        totalSeats: rows.length * kSeatsPerRow,
        availableSeats: 0,
      })),
    );
}

function freshSeats(showing: Showing, first: string): Seat[] {
  const soldOut = showing.date === addDays(first, kSoldOutDay) && showing.time === '13:30';
  return rows.flatMap((row, rowIndex) =>
    Array.from({ length: kSeatsPerRow }, (_, index): Seat => {
      const taken = soldOut || (rowIndex * 7 + index * 3) % 11 === 0;
      return {
        id: `${showing.id}-${row}${String(index + 1)}`,
        showingId: showing.id,
        row,
        number: index + 1,
        type: rowIndex >= 8 ? 'premium' : 'standard',
        status: taken ? 'occupied' : 'available',
      };
    }),
  );
}

class Memory implements MemoryBackend {
  readonly bookings: (Booking & { seats: string[]; tickets: BookingRequest['tickets'] })[] = [];
  private readonly showings: Showing[];
  private readonly seatsBy = new Map<string, Seat[]>();

  constructor(
    private readonly firstDay: string,
    days: number,
  ) {
    this.showings = movies.flatMap((movie) =>
      theaters.flatMap((theater) => showingsOn(movie.id, theater.id, firstDay, days)),
    );
  }

  movies(): Promise<Movie[]> {
    return Promise.resolve(structuredClone(movies));
  }

  theatersOf(movieId: string): Promise<Theater[]> {
    const shown = showsOf[movieId] ?? [];
    return Promise.resolve(structuredClone(theaters.filter((theater) => shown.includes(theater.id))));
  }

  async dates(movieId: string, theaterId: string): Promise<string[]> {
    const found = await Promise.resolve(this.of(movieId, theaterId));
    return [...new Set(found.map((showing) => showing.date))].sort();
  }

  times(movieId: string, theaterId: string, date: string): Promise<Showing[]> {
    const found = this.of(movieId, theaterId).filter((showing) => showing.date === date);
    return Promise.resolve(
      found.map((showing) => ({
        ...showing,
        availableSeats: this.seatRows(showing).filter((seat) => seat.status === 'available').length,
      })),
    );
  }

  seats(showingId: string): Promise<Seat[]> {
    const showing = this.showings.find((each) => each.id === showingId);
    if (!showing) {
      return Promise.reject(new BackendError('Showing not found or no seats available', 404));
    }
    return Promise.resolve(structuredClone(this.seatRows(showing)));
  }

  ticketTypes(): Promise<TicketType[]> {
    return Promise.resolve(structuredClone(ticketTypes));
  }

  book(request: BookingRequest): Promise<Booking> {
    const refusal = this.refusalOf(request);
    if (refusal) return Promise.reject(refusal);
    for (const id of request.seats) this.occupy(request.showingId, id);
    const cents = request.tickets.reduce((sum, ticket) => {
      const price = ticketTypes.find((type) => type.id === ticket.ticketTypeId)?.price ?? 0;
      return sum + Math.round(price * 100) * ticket.quantity;
    }, 0);
    const booking: Booking = {
      id: `b${String(this.bookings.length + 1)}`,
      showingId: request.showingId,
      customerName: request.customerName,
      customerEmail: request.customerEmail,
      totalPrice: cents / 100,
      status: 'confirmed',
      createdAt: `${this.firstDay}T12:00:00.000Z`,
    };
    this.bookings.push({ ...booking, seats: request.seats, tickets: request.tickets });
    return Promise.resolve(booking);
  }

  occupy(showingId: string, seatId: string): void {
    const showing = this.showings.find((each) => each.id === showingId);
    const seat = showing && this.seatRows(showing).find((each) => each.id === seatId);
    if (seat) seat.status = 'occupied';
  }

  private of(movieId: string, theaterId: string): Showing[] {
    return this.showings.filter((each) => each.movieId === movieId && each.theaterId === theaterId);
  }

  private seatRows(showing: Showing): Seat[] {
    const seats = this.seatsBy.get(showing.id) ?? freshSeats(showing, this.firstDay);
    this.seatsBy.set(showing.id, seats);
    return seats;
  }

  private refusalOf(request: BookingRequest): BackendError | undefined {
    const { seats, tickets } = request;
    if (request.showingId === '') return new BackendError('Invalid showingId', 400);
    if (seats.length === 0) return new BackendError('At least one seat is required', 400);
    if (tickets.length === 0) return new BackendError('At least one ticket is required', 400);
    if (request.customerName === '' || request.customerEmail === '') {
      return new BackendError('Customer name and email are required', 400);
    }
    if (new Set(seats).size !== seats.length) {
      return new BackendError('Duplicate seats are not allowed', 400);
    }
    if (tickets.some((ticket) => !Number.isInteger(ticket.quantity) || ticket.quantity < 1)) {
      return new BackendError('Ticket quantity must be a positive integer', 400);
    }
    const showing = this.showings.find((each) => each.id === request.showingId);
    if (!showing) return new BackendError('Showing not found', 404);
    const rowsOfShowing = this.seatRows(showing);
    const wanted = rowsOfShowing.filter((seat) => seats.includes(seat.id));
    if (wanted.length !== seats.length) {
      return new BackendError('Some seats are invalid for this showing', 400);
    }
    const taken = wanted.filter((seat) => seat.status !== 'available').map((seat) => seat.id);
    if (taken.length > 0) return new BackendError('Some seats are already occupied', 409, taken);
    if (tickets.some((ticket) => !ticketTypes.some((type) => type.id === ticket.ticketTypeId))) {
      return new BackendError('Invalid ticket type included', 400);
    }
    const count = tickets.reduce((sum, ticket) => sum + ticket.quantity, 0);
    return count === seats.length ? undefined : new BackendError('Ticket count must match seat count', 400);
  }
}

// Showings from `firstDay` ("YYYY-MM-DD") on.
export function createMemoryBackend(firstDay: string, days = 14): MemoryBackend {
  return new Memory(firstDay, days);
}
