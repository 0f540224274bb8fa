// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { BackendError } from './host_engine';
import { createRestBackend } from './rest_backend';

interface Asked {
  url: string;
  init: RequestInit;
}

function backendThat(status: number, body: string, options: { token?: string; dataset?: string } = {}) {
  const asked: Asked[] = [];
  const backend = createRestBackend({
    base: 'http://host/v1/booking',
    ...options,
    fetch: (url, init = {}) => {
      asked.push({ url: String(url as string), init });
      return Promise.resolve(new Response(body, { status }));
    },
  });
  return { backend, asked };
}

describe('the booking backend over REST', () => {
  it('uses the server’s routes with escaped ids', async () => {
    const body = '{"movies":[],"theaters":[],"dates":[],"showings":[],"seats":[],"ticketTypes":[]}';
    const { backend, asked } = backendThat(200, body);
    await backend.movies();
    await backend.theatersOf('m/1');
    await backend.dates('m1', 't 1');
    await backend.times('m1', 't1', '2026-11-22');
    await backend.seats('s1');
    await backend.ticketTypes();
    expect(asked.map((each) => each.url.replace('http://host/v1/booking', ''))).toEqual([
      '/movies',
      '/theaters/movie/m%2F1',
      '/showings/dates?movieId=m1&theaterId=t+1',
      '/showings/times?movieId=m1&theaterId=t1&date=2026-11-22',
      '/seats/s1',
      '/ticket-types',
    ]);
  });

  it('names token and data set', async () => {
    const { backend, asked } = backendThat(200, '{"movies":[]}', { token: 'secret', dataset: 'lab' });
    await backend.movies();
    expect(asked[0]?.url).toBe('http://host/v1/booking/movies?dataset=lab');
    expect(asked[0]?.init.headers).toMatchObject({ authorization: 'Bearer secret' });
  });

  it('makes a booking', async () => {
    const { backend, asked } = backendThat(201, '{"booking":{"id":"b1","totalPrice":28}}');
    const request = {
      showingId: 's1',
      seats: ['a'],
      tickets: [{ ticketTypeId: 't', quantity: 1 }],
      customerName: 'Guest',
      customerEmail: 'guest@example.com',
    };
    expect(await backend.book(request)).toMatchObject({ id: 'b1' });
    expect(asked[0]?.init).toMatchObject({ method: 'POST', body: JSON.stringify(request) });
  });

  it.each([
    ['{"error":"Some seats are already occupied","occupiedSeats":["s1-A1"]}', 'Some seats are already occupied'],
    ['{"error":{"code":"conflict","message":"Taken"}}', 'Taken'],
    ['{"message":"Route GET:/x not found","error":"Not Found"}', 'Route GET:/x not found'],
    ['<html>', 'The booking service answered with status 409.'],
  ])('reports the reason of a refusal: %s', async (body, message) => {
    const { backend } = backendThat(409, body);
    const error = await backend.seats('s1').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(BackendError);
    expect(error).toMatchObject({ message, status: 409 });
    if (body.includes('occupiedSeats')) expect(error).toMatchObject({ occupiedSeats: ['s1-A1'] });
  });

  it.each(['[]', '{}', 'null', 'no json'])('refuses an invalid answer: %s', async (body) => {
    const { backend } = backendThat(200, body);
    await expect(backend.movies()).rejects.toBeInstanceOf(BackendError);
  });

  it('reports an unavailable and a silent service', async () => {
    const failing = (error: unknown) =>
      createRestBackend({ base: '', fetch: () => Promise.reject(error as Error) }).movies();
    await expect(failing(new TypeError('fetch failed'))).rejects.toThrow('The booking service is not reachable.');
    await expect(failing(new DOMException('late', 'TimeoutError'))).rejects.toThrow(
      'The booking service did not answer in time.',
    );
  });
});
