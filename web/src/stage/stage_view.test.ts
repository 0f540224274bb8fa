// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import type { Item, UiSpec } from '@/stage/ui_spec';
import { calendarWeeks, canGoNext, changesOf, readSpec, seatRows, shownItems, summaryOf } from './stage_view';
import { nearest } from '../components/stage/use_roving_focus';

function movies(more: Partial<UiSpec> = {}): UiSpec {
  return {
    stage: 'movie',
    title: 'Select Movie',
    description: '',
    visibleItems: [
      { id: 'm2', value: 'The Quiet Engine (180m)' },
      { id: 'm1', value: 'Northern Light', isDisabled: true },
    ],
    state: { booking: {} },
    items: [
      { id: 'm1', title: 'Northern Light' },
      { id: 'm2', title: 'The Quiet Engine' },
      { id: 'm3', title: 'Three Winters' },
    ],
    modification: {},
    display: { valueField: 'title', component: 'buttonGroup' },
    ...more,
  };
}

describe('the drawing of a stage', () => {
  it('keeps the order of the visible items and hides the others', () => {
    expect(shownItems(movies()).map((it) => it.id)).toEqual(['m2', 'm1']);
  });

  it('marks items in the style chosen by the agent', () => {
    const items = shownItems(movies({ modification: { highlight: { itemIds: ['m2', 'm3'], style: 'glow' } } }));
    expect(items.map((it) => it.mark)).toEqual(['glow', null]);
  });

  it('knows the replaced words of the agent', () => {
    const items = shownItems(
      movies({ modification: { augment: [{ itemId: 'm2', value: 'The Quiet Engine (180m)' }] } }),
    );
    expect(items[0]).toMatchObject({ augmented: true, original: 'The Quiet Engine' });
    expect(items[1]).toMatchObject({ augmented: false, disabled: true });
  });

  it('lists each undoable change', () => {
    const spec = movies({
      modification: {
        filter: { field: 'genre', operator: 'in', value: ['Drama', 'Comedy'] },
        sort: { field: 'duration', order: 'desc' },
        highlight: { itemIds: [] },
        augment: [
          { itemId: 'm2', value: 'a' },
          { itemId: 'm2', value: 'b' },
        ],
      },
    });
    expect(changesOf(spec)).toEqual([
      { kind: 'filter', field: 'genre', operator: 'in', value: 'Drama, Comedy', shown: 2, total: 3 },
      { kind: 'sort', field: 'duration', order: 'desc' },
      { kind: 'augment', count: 1 },
    ]);
  });
});

describe('going on', () => {
  it('needs a choice', () => {
    expect(canGoNext(movies())).toBe(false);
    expect(canGoNext(movies({ state: { booking: {}, selected: { id: 'm2', value: '' } } }))).toBe(true);
  });

  it('needs as many tickets as seats', () => {
    const tickets = (count: number) =>
      movies({
        stage: 'ticket',
        meta: { maxTotal: 2 },
        state: { booking: {}, quantities: [{ item: { id: 'tt1', value: 'Adult' }, count }] },
      });
    expect([1, 2, 3].map((count) => canGoNext(tickets(count)))).toEqual([false, true, false]);
  });
});

describe('the calendar', () => {
  const days = ['2026-11-29', '2026-11-30', '2026-12-01'];
  const spec = movies({
    stage: 'date',
    items: days.map((id) => ({ id })),
    visibleItems: days.slice(1).map((id) => ({ id, value: id })),
    display: { valueField: 'id', component: 'calendar' },
  });

  it('fills whole weeks, from Sunday or from Monday', () => {
    expect(calendarWeeks(spec, 0).map((week) => week[0]?.date)).toEqual(['2026-11-29']);
    expect(calendarWeeks(spec, 1).map((week) => week[0]?.date)).toEqual(['2026-11-23', '2026-11-30']);
  });

  it('leaves hidden days empty', () => {
    expect(calendarWeeks(spec, 0)[0]?.map((day) => day.item?.id ?? null)).toEqual([
      null,
      '2026-11-30',
      '2026-12-01',
      null,
      null,
      null,
      null,
    ]);
  });
});

describe('the seat map', () => {
  it('puts each seat into its row at its number', () => {
    const items: Item[] = [
      { id: 's-A2', row: 'A', number: 2, label: 'A2' },
      { id: 's-B1', row: 'B', number: 1, label: 'B1' },
    ];
    const spec = movies({
      stage: 'seat',
      items,
      visibleItems: [{ id: 's-A2', value: 'A2' }],
      meta: { rows: ['A', 'B'], seatsPerRow: 3 },
    });
    expect(seatRows(spec).map((row) => [row.name, row.seats.map((seat) => seat?.id ?? null)])).toEqual([
      ['A', [null, 's-A2', null]],
      ['B', [null, null, null]],
    ]);
  });

  it('draws a bounded map for any numbers', () => {
    const spec = movies({ stage: 'seat', items: [{ id: 'x', row: 'A', number: 1e9 }], meta: { seatsPerRow: 1e9 } });
    expect(seatRows(spec).every((row) => row.seats.length <= 60)).toBe(true);
  });
});

describe('the summary', () => {
  it('adds up the tickets without a given total', () => {
    const spec = movies({
      stage: 'confirm',
      meta: { seats: ['A1', 'A2'], tickets: [{ type: 'Adult', quantity: 2, price: 14 }] },
    });
    expect(summaryOf(spec)).toMatchObject({ total: 28, seats: ['A1', 'A2'] });
  });
});

describe('a uiSpec from a log', () => {
  it.each([null, 7, [], {}, { stage: 'lunch' }, { stage: 'movie', summary: true }])('%j is refused', (value) => {
    expect(readSpec(value)).toBeNull();
  });

  it('is completed when parts are missing or odd', () => {
    const spec = readSpec({
      stage: 'seat',
      items: [{ id: 'x' }, 7],
      state: { selectedList: 'no' },
      modification: { filter: 'no' },
    });
    expect(spec).toMatchObject({
      stage: 'seat',
      items: [{ id: 'x' }],
      modification: {},
      display: { component: 'seatMap' },
    });
    expect(spec && seatRows(spec)).toEqual([]);
  });

  it('stays unchanged when complete', () => {
    const spec = movies({ modification: { sort: { field: 'title', order: 'asc' } }, meta: { a: 1 } });
    expect(readSpec(JSON.parse(JSON.stringify(spec)))).toEqual(spec);
  });
});

describe('arrow keys', () => {
  const grid = [0, 1, 2, 3].map((index) => ({ x: (index % 2) * 40, y: Math.floor(index / 2) * 40 }));

  it('go to the neighbour in their direction', () => {
    expect(['ArrowRight', 'ArrowDown'].map((key) => nearest(grid, 0, key))).toEqual([1, 2]);
    expect(['ArrowLeft', 'ArrowUp'].map((key) => nearest(grid, 3, key))).toEqual([2, 1]);
  });

  it('stop at the edge', () => {
    expect(nearest(grid, 1, 'ArrowRight')).toBeNull();
    expect(nearest(grid, 0, 'ArrowUp')).toBeNull();
  });
});
