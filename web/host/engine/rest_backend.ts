// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The booking backend of the server, over REST.
import {
  BackendError,
  type Booking,
  type BookingBackend,
  type Movie,
  type Seat,
  type Showing,
  type Theater,
  type TicketType,
} from './host_engine';

export interface RestOptions {
  base: string; // prefix of the routes, without a trailing slash: "/v1/booking"
  token?: string;
  dataset?: string; // absent: the server's first
  timeoutMs?: number; // of one request; default 10 s
  fetch?: typeof fetch;
}

const kTimeoutMs = 10_000;

type Query = Record<string, string>;
type Body = Record<string, unknown>;

function isBody(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// Both forms of an error: {error: "text"} and {error: {message}} or {message}.
function errorText(body: Body, status: number): string {
  const { error, message } = body;
  if (typeof error === 'string' && typeof message !== 'string') return error;
  if (isBody(error) && typeof error['message'] === 'string') return error['message'];
  if (typeof message === 'string') return message;
  return `The booking service answered with status ${String(status)}.`;
}

function occupiedOf(body: Body): string[] {
  const seats = body['occupiedSeats'];
  return Array.isArray(seats) ? seats.filter((seat): seat is string => typeof seat === 'string') : [];
}

// The text for a request without an answer; does not claim that the booking failed, because it may exist.
function silenceText(error: unknown): string {
  return error instanceof DOMException && error.name === 'TimeoutError'
    ? 'The booking service did not answer in time.'
    : 'The booking service is not reachable.';
}

class Rest implements BookingBackend {
  constructor(private readonly options: RestOptions) {}

  movies(): Promise<Movie[]> {
    return this.list<Movie>('/movies', 'movies');
  }

  theatersOf(movieId: string): Promise<Theater[]> {
    return this.list<Theater>(`/theaters/movie/${encodeURIComponent(movieId)}`, 'theaters');
  }

  dates(movieId: string, theaterId: string): Promise<string[]> {
    return this.list<string>('/showings/dates', 'dates', { movieId, theaterId });
  }

  times(movieId: string, theaterId: string, date: string): Promise<Showing[]> {
    return this.list<Showing>('/showings/times', 'showings', { movieId, theaterId, date });
  }

  seats(showingId: string): Promise<Seat[]> {
    return this.list<Seat>(`/seats/${encodeURIComponent(showingId)}`, 'seats');
  }

  ticketTypes(): Promise<TicketType[]> {
    return this.list<TicketType>('/ticket-types', 'ticketTypes');
  }

  async book(request: object): Promise<Booking> {
    const body = await this.ask('/bookings', {}, { method: 'POST', body: JSON.stringify(request) });
    if (!isBody(body['booking'])) throw new BackendError('The answer holds no booking.', 502);
    return body['booking'] as unknown as Booking;
  }

  private async list<T>(path: string, key: string, query: Query = {}): Promise<T[]> {
    const body = await this.ask(path, query, {});
    if (!Array.isArray(body[key])) throw new BackendError(`The answer holds no ${key}.`, 502);
    return body[key] as T[];
  }

  private address(path: string, query: Query): string {
    const { base, dataset } = this.options;
    const given = new URLSearchParams(dataset ? { ...query, dataset } : query).toString();
    return given === '' ? `${base}${path}` : `${base}${path}?${given}`;
  }

  private async ask(path: string, query: Query, init: RequestInit): Promise<Body> {
    const { token, timeoutMs = kTimeoutMs } = this.options;
    const send = this.options.fetch ?? globalThis.fetch;
    const headers: Record<string, string> = { accept: 'application/json' };
    if (init.body !== undefined) headers['content-type'] = 'application/json';
    if (token) headers['authorization'] = `Bearer ${token}`;
    let response: Response;
    try {
      response = await send(this.address(path, query), {
        ...init,
        headers,
        signal: AbortSignal.timeout(timeoutMs),
      });
    } catch (error) {
      throw new BackendError(silenceText(error), 0);
    }
    const body: unknown = await response.json().catch(() => null);
    if (!response.ok) {
      const refusal = isBody(body) ? body : {};
      const text = errorText(refusal, response.status);
      throw new BackendError(text, response.status, occupiedOf(refusal));
    }
    if (!isBody(body)) throw new BackendError('The answer is not JSON.', 502);
    return body;
  }
}

export function createRestBackend(options: RestOptions): BookingBackend {
  return new Rest(options);
}
