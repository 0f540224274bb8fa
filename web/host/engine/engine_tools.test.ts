// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// A result is ok only if the tool had its effect (contract decision 3).
import { describe, expect, it } from 'vitest';
import { createHostEngine } from './engine';
import { kToday, startFixture } from './engine_fixture';
import { createMemoryBackend } from './memory_backend';
import { toolNames } from './tool_schema';

function refused(code: string, message?: string) {
  return message === undefined ? { ok: false, code } : { ok: false, code, message };
}

describe('a refused tool', () => {
  it.each([undefined, null, 7, '', {}, []])('without a name (%j): INVALID_PARAMS', async (name) => {
    const { call } = await startFixture();
    expect(await call(name)).toMatchObject(refused('INVALID_PARAMS', 'tool.call requires payload.toolName'));
  });

  it.each(['bogusTool', 'constructor', 'Select', 'select '])('%s: UNKNOWN_TOOL', async (name) => {
    const { call } = await startFixture();
    expect(await call(name)).toMatchObject(refused('UNKNOWN_TOOL', `There is no tool "${name}".`));
  });

  it('of another stage is an UNKNOWN_TOOL', async () => {
    const { call, advanceTo } = await startFixture();
    expect(await call('setQuantity', { typeId: 'tt1', quantity: 1 })).toMatchObject(
      refused('UNKNOWN_TOOL', 'The tool "setQuantity" is not offered in the stage movie.'),
    );
    await advanceTo('ticket');
    expect(await call('select', { itemId: 'tt1' })).toMatchObject(refused('UNKNOWN_TOOL'));
    await advanceTo('confirm');
    expect(await call('select', { itemId: 'm1' })).toMatchObject(refused('UNKNOWN_TOOL'));
  });

  it.each(toolNames.filter((name) => name !== 'postMessage'))('%s without a stage: NO_ACTIVE_SPEC', async (name) => {
    const engine = createHostEngine(createMemoryBackend(kToday));
    expect(await engine.runTool(name, {})).toMatchObject(refused('NO_ACTIVE_SPEC'));
  });

  it('is never postMessage, which needs no stage and has no uiSpec', async () => {
    const engine = createHostEngine(createMemoryBackend(kToday));
    const outcome = await engine.runTool('postMessage', { text: 'waiting' });
    expect(outcome).toMatchObject({ ok: true, messageHistory: [{ type: 'agent', text: 'waiting' }] });
    expect('uiSpec' in outcome).toBe(false);
  });
});

describe('filter and sort', () => {
  it('replace the previous one and may empty the list', async () => {
    const { must } = await startFixture();
    await must('filter', { field: 'genre', operator: 'contains', value: 'Drama' });
    const empty = await must('filter', { field: 'duration', operator: 'gt', value: 999 });
    expect(empty.visibleItems).toEqual([]);
    expect(empty.modification.filter).toEqual({ field: 'duration', operator: 'gt', value: 999 });
    await must('clearModification', { type: 'filter' });
    await must('sort', { field: 'duration', order: 'asc' });
    const sorted = await must('sort', { field: 'duration', order: 'desc' });
    expect(sorted.visibleItems.map((item) => item.id)).toEqual(['m2', 'm1', 'm3']);
  });

  it('know only the shown fields', async () => {
    const { call, spec } = await startFixture();
    const message = 'filter requires "field" to be one of id, title, genre, rating, duration, posterUrl';
    expect(await call('filter', { field: 'releaseDate', operator: 'gt', value: '2026' })).toMatchObject(
      refused('INVALID_PARAMS', message),
    );
    expect(await call('sort', { field: 'screenCount', order: 'asc' })).toMatchObject(refused('INVALID_PARAMS'));
    expect(spec().modification).toEqual({});
  });

  it('keep a hidden selection', async () => {
    const { must } = await startFixture();
    await must('select', { itemId: 'm1' });
    const hidden = await must('filter', { field: 'id', operator: 'eq', value: 'm2' });
    expect(hidden.state.selected).toEqual({ id: 'm1', value: 'Northern Light' });
  });
});

describe('highlight', () => {
  it('names hidden items by their own label and drops unknown ids', async () => {
    const { must } = await startFixture();
    await must('filter', { field: 'genre', operator: 'contains', value: 'Drama' });
    await must('augment', { items: [{ itemId: 'm3', value: 'Three (134m)' }] });
    const spec = await must('highlight', { itemIds: ['m1', 'm3', 'nobody'], style: 'glow' });
    expect(spec.state.highlighted).toEqual([
      { id: 'm1', value: 'Northern Light' },
      { id: 'm3', value: 'Three (134m)' },
    ]);
    expect(spec.modification.highlight).toEqual({ itemIds: ['m1', 'm3', 'nobody'], style: 'glow' });
  });

  it('of nothing removes the highlight; of unknown ids alone is refused', async () => {
    const { must, call } = await startFixture();
    await must('highlight', { itemIds: ['m1'] });
    expect(await call('highlight', { itemIds: ['x', 'y'] })).toMatchObject(
      refused('TOOL_EXECUTION_FAILED', 'There is no item "x", "y" in the stage movie.'),
    );
    const spec = await must('highlight', { itemIds: [] });
    expect('highlighted' in spec.state).toBe(false);
  });
});

describe('augment', () => {
  it('relabels list, selection and highlight, and the last entry wins', async () => {
    const { must } = await startFixture();
    await must('select', { itemId: 'm1' });
    await must('highlight', { itemIds: ['m1'] });
    await must('augment', {
      items: [
        { itemId: 'm1', value: 'first' },
        { itemId: 'm2', value: 'other' },
      ],
    });
    const spec = await must('augment', { items: [{ itemId: 'm1', value: 'Northern Light (166m)' }] });
    const label = { id: 'm1', value: 'Northern Light (166m)' };
    expect(spec.visibleItems[0]).toEqual(label);
    expect(spec.state.selected).toEqual(label);
    expect(spec.state.highlighted).toEqual([label]);
    expect(spec.items[0]).toMatchObject({ title: 'Northern Light' });
    expect(spec.modification.augment).toEqual([
      { itemId: 'm2', value: 'other' },
      { itemId: 'm1', value: 'Northern Light (166m)' },
    ]);
  });

  it('keeps the booked data unchanged', async () => {
    const { must } = await startFixture();
    await must('augment', { items: [{ itemId: 'm1', value: 'Another film' }] });
    await must('select', { itemId: 'm1' });
    expect((await must('next')).state.booking.movie).toEqual({ id: 'm1', title: 'Northern Light' });
  });

  it('of unknown items alone is refused', async () => {
    const { call } = await startFixture();
    expect(await call('augment', { items: [{ itemId: 'x', value: 'y' }] })).toMatchObject(
      refused('TOOL_EXECUTION_FAILED'),
    );
  });
});

describe('clearModification', () => {
  it('clears one kind, or all of them, and keeps the selection', async () => {
    const { must } = await startFixture();
    await must('select', { itemId: 'm2' });
    await must('filter', { field: 'id', operator: 'neq', value: 'm1' });
    await must('sort', { field: 'title', order: 'desc' });
    await must('highlight', { itemIds: ['m2'] });
    await must('augment', { items: [{ itemId: 'm2', value: 'X' }] });
    const kinds = ['filter', 'sort', 'highlight', 'augment'];
    for (const type of kinds) {
      const spec = await must('clearModification', { type });
      expect(Object.keys(spec.modification)).not.toContain(type);
      expect(spec.state.selected?.id).toBe('m2');
    }
    await must('sort', { field: 'title', order: 'desc' });
    expect((await must('clearModification')).modification).toEqual({});
  });
});

describe('select', () => {
  it('is refused for unknown and hidden items without changes', async () => {
    const { must, call, spec } = await startFixture();
    await must('select', { itemId: 'm2' });
    await must('filter', { field: 'genre', operator: 'contains', value: 'Drama' });
    expect(await call('select', { itemId: 'm9' })).toMatchObject(
      refused('TOOL_EXECUTION_FAILED', 'There is no item "m9" in the stage movie.'),
    );
    expect(await call('select', { itemId: 'm1' })).toMatchObject(
      refused('TOOL_EXECUTION_FAILED', '"Northern Light" is hidden by the filter on genre.'),
    );
    expect(spec().state.selected?.id).toBe('m2');
  });

  it('is refused for days without showings, sold-out showings and occupied seats', async () => {
    const { must, call, advanceTo, spec } = await startFixture();
    await advanceTo('date');
    expect(await call('select', { itemId: '2026-11-27' })).toMatchObject(
      refused('TOOL_EXECUTION_FAILED', 'There is no showing on Nov 27 (Fri).'),
    );
    await must('select', { itemId: '2026-11-23' });
    await must('next');
    expect(await call('select', { itemId: 's-m1-t1-1-1' })).toMatchObject(
      refused('TOOL_EXECUTION_FAILED', 'The showing at 13:30 is sold out.'),
    );
    await advanceTo('seat');
    expect(await call('select', { itemId: 's-m1-t1-1-0-A1' })).toMatchObject(
      refused('TOOL_EXECUTION_FAILED', 'Seat A1 is occupied.'),
    );
    expect(spec().state.selectedList).toEqual([]);
  });

  it('toggles seats and keeps the order of choosing', async () => {
    const { must, advanceTo } = await startFixture();
    await advanceTo('seat');
    const id = (seat: string) => ({ itemId: `s-m1-t1-0-0-${seat}` });
    await must('select', id('B3'));
    await must('select', id('A2'));
    const two = await must('select', id('I1'));
    expect(two.state.selectedList?.map((seat) => seat.value)).toEqual(['B3', 'A2', 'I1']);
    const one = await must('select', id('A2'));
    expect(one.state.selectedList?.map((seat) => seat.value)).toEqual(['B3', 'I1']);
  });
});

describe('setQuantity', () => {
  it('sets the count and the tickets of the booking', async () => {
    const { must, advanceTo } = await startFixture();
    await advanceTo('ticket');
    await must('setQuantity', { typeId: 'tt2', quantity: 1 });
    const spec = await must('setQuantity', { typeId: 'tt1', quantity: 1 });
    expect(spec.state.booking.tickets).toEqual([
      { ticketTypeId: 'tt1', name: 'Adult', price: 14, quantity: 1 },
      { ticketTypeId: 'tt2', name: 'Child', price: 9, quantity: 1 },
    ]);
    const none = await must('setQuantity', { typeId: 'tt1', quantity: 0 });
    expect(none.state.booking.tickets).toHaveLength(1);
  });

  it('is bounded by the chosen seats', async () => {
    const { must, call, advanceTo, spec } = await startFixture();
    await advanceTo('ticket');
    await must('setQuantity', { typeId: 'tt1', quantity: 1 });
    expect(await call('setQuantity', { typeId: 'tt2', quantity: 99 })).toMatchObject(
      refused('TOOL_EXECUTION_FAILED', '100 tickets would be more than the 2 seats chosen: at most 1 of "Child" fit.'),
    );
    expect(await call('setQuantity', { typeId: 'tt9', quantity: 1 })).toMatchObject(refused('TOOL_EXECUTION_FAILED'));
    expect(spec().state.quantities?.map((each) => each.count)).toEqual([1, 0, 0]);
  });
});

describe('next and prev', () => {
  it('are refused without a choice, and at the first stage', async () => {
    const { call, must, advanceTo } = await startFixture();
    expect(await call('next')).toMatchObject(refused('TOOL_EXECUTION_FAILED', 'Choose a movie first.'));
    expect(await call('prev')).toMatchObject(refused('TOOL_EXECUTION_FAILED', 'This is the first stage.'));
    await advanceTo('seat');
    expect(await call('next')).toMatchObject(refused('TOOL_EXECUTION_FAILED', 'Choose at least one seat first.'));
    await advanceTo('ticket');
    await must('setQuantity', { typeId: 'tt1', quantity: 1 });
    expect(await call('next')).toMatchObject(
      refused('TOOL_EXECUTION_FAILED', 'Tickets for all 2 seats are needed, 1 chosen so far.'),
    );
  });

  it('answer with the new stage, ready', async () => {
    const { must, call } = await startFixture();
    await must('select', { itemId: 'm1' });
    expect(await call('next')).toMatchObject({ ok: true, uiSpec: { stage: 'theater' } });
    expect(await call('prev')).toMatchObject({ ok: true, uiSpec: { stage: 'movie' } });
  });

  it('report a refused booking with the taken seats', async () => {
    const { advanceTo, call, backend, engine } = await startFixture();
    await advanceTo('confirm');
    backend.occupy('s-m1-t1-0-0', 's-m1-t1-0-0-A3');
    expect(await call('next')).toMatchObject(refused('TOOL_EXECUTION_FAILED', 'Some seats are already occupied (A3)'));
    expect(engine.state.booking).toBeNull();
    expect(backend.bookings).toHaveLength(0);
    await engine.next();
    expect(engine.state.failure).toBe('Some seats are already occupied (A3)');
  });
});

describe('postMessage', () => {
  it('adds the agent’s trimmed text', async () => {
    const { call, engine } = await startFixture();
    expect(await call('postMessage', { text: ' Hello. ' })).toMatchObject({ ok: true, toolName: 'postMessage' });
    expect(engine.state.messageHistory.at(-1)).toMatchObject({ type: 'agent', text: 'Hello.', stage: 'movie' });
  });
});
