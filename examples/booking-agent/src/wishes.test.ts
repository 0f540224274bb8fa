// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { type Catalogue, fitsDay, fitsDaytime, fitsRow, hear, newWishes, type Wishes } from './wishes.js';

const catalogue: Catalogue = {
  movies: [
    { id: 'm1', title: 'Northern Light', genre: ['Sci-Fi', 'Action'] },
    { id: 'm2', title: 'The Quiet Engine', genre: ['Drama'] },
  ],
  theaters: [{ id: 't1', name: 'Old Mill' }],
};

describe('a sentence of the participant', () => {
  it.each<[string, Partial<Wishes>]>([
    ['Two tickets please', { seats: 2 }],
    ['we need 4 seats', { seats: 4 }],
    ['a table for five', { seats: 5 }],
    ['just me', { seats: 1 }],
    ['99 tickets', { seats: 10 }],
    ['two adults and a child', { seats: 3, party: { adult: 2, child: 1 } }],
    ['I prefer evening showtimes.', { daytime: 'evening' }],
    ['something in the morning', { daytime: 'morning' }],
    ['tonight', { daytime: 'evening', day: 'today' }],
    ['saturday afternoon', { day: 'sat', daytime: 'afternoon' }],
    ['maybe northern light', { movie: 'Northern Light' }],
    ['the quiet engine', { movie: 'The Quiet Engine' }],
    ['a drama', { genre: 'drama' }],
    ['something funny', { genre: 'comedy' }],
    ['at the Old Mill', { theater: 'Old Mill' }],
    ['the back row', { rows: 'back' }],
    ['seats in the middle', { rows: 'middle' }],
    ['row c', { row: 'C' }],
    ['is there anything cheaper?', { cheaper: true }],
    ['STOP', { stopped: true }],
  ])('"%s"', (sentence, expected) => {
    expect(hear(sentence, newWishes(2), catalogue).wishes).toMatchObject(expected);
  });

  it('without a matching rule changes nothing', () => {
    const before = newWishes(3);
    expect(hear('hm, nice weather', before, catalogue)).toEqual({ wishes: before, understood: [] });
  });

  it('replaces an earlier wish of its kind and keeps the others', () => {
    const first = hear('northern light in the evening, row b', newWishes(2), catalogue).wishes;
    const then = hear('no, a drama, in the front', first, catalogue).wishes;
    expect(then).toMatchObject({ genre: 'drama', daytime: 'evening', rows: 'front' });
    expect(then).not.toHaveProperty('movie');
    expect(then).not.toHaveProperty('row');
  });

  it('goes on with any wish after a stop', () => {
    const stopped = hear('stop', newWishes(2), catalogue).wishes;
    expect(hear('go on', stopped, catalogue).wishes.stopped).toBe(false);
    expect(hear('three seats', stopped, catalogue).wishes).toMatchObject({ stopped: false, seats: 3 });
  });
});

describe('the fit of an item', () => {
  it('is decided by times and days', () => {
    const fits = ['11:30', '12:00', '17:00'].map((time) => fitsDaytime(time, 'afternoon'));
    expect(fits).toEqual([false, true, false]);
    expect(fitsDay('2026-11-23', '2026-11-22', 'tomorrow')).toBe(true);
    expect(fitsDay('2026-11-23', '2026-11-22', 'mon')).toBe(true);
    expect(fitsDay('2026-11-23', '2026-11-22', 'today')).toBe(false);
  });

  it('is decided by rows', () => {
    const rows = ['A', 'B', 'C', 'D', 'E', 'F'];
    const fitting = (wish: Partial<Wishes>) =>
      rows.filter((row) => fitsRow(row, rows, { ...newWishes(), ...wish }));
    expect(fitting({ rows: 'front' })).toEqual(['A', 'B']);
    expect(fitting({ rows: 'middle' })).toEqual(['C', 'D']);
    expect(fitting({ rows: 'back' })).toEqual(['E', 'F']);
    expect(fitting({ row: 'D' })).toEqual(['D']);
    expect(fitting({})).toEqual(rows);
  });
});
