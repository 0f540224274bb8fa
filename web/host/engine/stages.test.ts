// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Each stage's uiSpec, as clients of the protocol expect it.
import { describe, expect, it } from 'vitest';
import { kToday, startFixture } from './engine_fixture';
import { totalPrice } from './stage_loader';
import { stageForms } from './stages';
import { stages } from '@/stage/ui_spec';

describe('uiSpec', () => {
  it('has the fields of the protocol in their order', async () => {
    const { spec } = await startFixture();
    expect(JSON.stringify(spec())).toMatch(
      /^{"stage":"movie","title":"Select Movie","description":"Choose a movie you want to watch","visibleItems":\[{"id":"m1","value":"Northern Light"},.*"state":{"booking":{}},"items":\[{"id":"m1","title":"Northern Light","genre":\["Sci-Fi","Action"\],"rating":"PG-13","duration":166,"posterUrl":"[^"]*"},.*"modification":{},"display":{"valueField":"title","component":"buttonGroup"}}$/,
    );
  });

  it('shows each stage with title, component and fields of its form only', async () => {
    const { advanceTo } = await startFixture();
    const seen: [string, string, string][] = [];
    for (const stage of stages) {
      const spec = await advanceTo(stage);
      seen.push([spec.title, spec.display.valueField, spec.display.component]);
      for (const item of spec.items) expect(Object.keys(item)).toEqual(stageForms[stage].fields);
    }
    expect(seen).toEqual([
      ['Select Movie', 'title', 'buttonGroup'],
      ['Select Theater', 'name', 'buttonGroup'],
      ['Select Date', 'displayText', 'calendar'],
      ['Select Time', 'time', 'buttonGroup'],
      ['Select Seats', 'label', 'seatMap'],
      ['Select Tickets', 'name', 'counter'],
      ['Confirm Booking', 'id', 'summary'],
    ]);
  });

  it('lists in each stage only the choices before it', async () => {
    const { advanceTo } = await startFixture();
    const keys: string[][] = [];
    for (const stage of stages) keys.push(Object.keys((await advanceTo(stage)).state.booking));
    const early = ['movie', 'theater', 'date', 'showing'];
    expect(keys).toEqual([
      [],
      early.slice(0, 1),
      early.slice(0, 2),
      early.slice(0, 3),
      early,
      [...early, 'selectedSeats', 'tickets'],
      [...early, 'selectedSeats', 'tickets'],
    ]);
  });

  it('names its position in meta', async () => {
    const { advanceTo, spec } = await startFixture();
    expect('meta' in spec()).toBe(false);
    const place = { movieId: 'm1', theaterId: 't1' };
    expect((await advanceTo('theater')).meta).toEqual({ movieId: 'm1' });
    expect((await advanceTo('date')).meta).toEqual(place);
    expect((await advanceTo('time')).meta).toEqual({ ...place, date: kToday });
    expect((await advanceTo('seat')).meta).toEqual({
      ...place,
      date: kToday,
      showtimeId: 's-m1-t1-0-0',
      rows: ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J'],
      seatsPerRow: 10,
    });
    expect((await advanceTo('ticket')).meta).toEqual({
      maxTotal: 2,
      selectedSeats: ['s-m1-t1-0-0-A2', 's-m1-t1-0-0-A3'],
    });
    expect((await advanceTo('confirm')).meta).toEqual({
      movie: { id: 'm1', title: 'Northern Light' },
      theater: { id: 't1', name: 'Harbour Cinema' },
      date: kToday,
      time: '10:00',
      seats: ['A2', 'A3'],
      tickets: [{ type: 'Adult', quantity: 2, price: 14 }],
      totalPrice: 28,
    });
  });

  it('marks days without a showing and showings that are sold out', async () => {
    const { advanceTo, must, spec } = await startFixture();
    const dates = await advanceTo('date');
    expect(dates.items[0]).toEqual({
      id: '2026-11-22',
      date: '2026-11-22',
      dayOfWeek: 'Sun',
      displayText: 'Nov 22 (Sun)',
      available: true,
    });
    expect(dates.visibleItems).toHaveLength(14);
    expect(dates.visibleItems.filter((item) => item.isDisabled)).toEqual([
      { id: '2026-11-27', value: 'Nov 27 (Fri)', isDisabled: true },
    ]);
    expect(dates.items[5]).toMatchObject({ available: false });
    await must('select', { itemId: '2026-11-23' });
    await must('next');
    const soldOut = spec().visibleItems.filter((item) => item.isDisabled);
    expect(soldOut).toEqual([{ id: 's-m1-t1-1-1', value: '13:30', isDisabled: true }]);
  });

  it('shows every seat, premium ones included, and occupied ones', async () => {
    const { advanceTo } = await startFixture();
    const seats = await advanceTo('seat');
    expect(seats.items).toHaveLength(100);
    expect(seats.items.filter((seat) => seat['type'] === 'premium')).toHaveLength(20);
    const occupied = seats.items.filter((seat) => seat['status'] === 'occupied').map((seat) => seat.id);
    const disabled = seats.visibleItems.filter((seat) => seat.isDisabled).map((seat) => seat.id);
    expect(disabled).toEqual(occupied);
    expect(disabled.length).toBeGreaterThan(0);
    expect(seats.state.selectedList).toEqual([]);
  });

  it('counts tickets from zero and prices them in dollars', async () => {
    const { advanceTo } = await startFixture();
    const tickets = await advanceTo('ticket');
    expect(tickets.items[1]).toEqual({
      id: 'tt2',
      name: 'Child',
      price: 9,
      priceDisplay: '$9.00',
      description: 'Ages 3 to 12',
    });
    expect(tickets.state.quantities).toEqual([
      { item: { id: 'tt1', value: 'Adult' }, count: 0 },
      { item: { id: 'tt2', value: 'Child' }, count: 0 },
      { item: { id: 'tt3', value: 'Senior' }, count: 0 },
    ]);
  });

  it('adds prices up in cents', () => {
    const each = { ticketTypeId: 't', name: 'x', price: 9.99, quantity: 3 };
    expect(totalPrice([each, { ...each, price: 0.1, quantity: 3 }])).toBe(30.27);
  });
});
