// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it, vi } from 'vitest';
import { createHostEngine } from './engine';
import { freeIds, kNow, kToday, seeded, shownSpec, startFixture } from './engine_fixture';
import { BackendError, type ChangeSource, type HostState } from './host_engine';
import { createMemoryBackend } from './memory_backend';

function labels(state: HostState): string[] {
  return state.messageHistory.map((entry) => {
    if (entry.type === 'user') return `${entry.action}:${entry.label}`;
    return entry.type === 'agent' ? `agent:${entry.text}` : `system:${entry.stage}`;
  });
}

describe('a booking by tools alone', () => {
  it('is made and stored in the backend', async () => {
    const { advanceTo, must, engine, backend } = await startFixture();
    await advanceTo('confirm');
    await must('next');
    expect(backend.bookings).toMatchObject([
      {
        showingId: 's-m1-t1-0-0',
        seats: ['s-m1-t1-0-0-A2', 's-m1-t1-0-0-A3'],
        tickets: [{ ticketTypeId: 'tt1', quantity: 2 }],
        customerName: 'Guest',
        customerEmail: 'guest@example.com',
        totalPrice: 28,
      },
    ]);
    expect(engine.state.booking?.id).toBe('b1');
    expect(shownSpec(engine).meta).toMatchObject({ bookingId: 'b1', status: 'confirmed' });
  });

  it('records choices under their own labels', async () => {
    const { advanceTo, must, engine } = await startFixture();
    await must('augment', { items: [{ itemId: 'm1', value: 'Best film' }] });
    await advanceTo('confirm');
    await must('next');
    expect(labels(engine.state)).toEqual([
      'system:movie',
      'select:Northern Light',
      'system:theater',
      'select:Harbour Cinema',
      'system:date',
      'select:2026-11-22',
      'system:time',
      'select:10:00',
      'system:seat',
      'select:2 seat(s) selected',
      'system:ticket',
      'select:2 ticket(s)',
      'system:confirm',
      'select:Booking Confirmed!',
    ]);
  });

  it('offers no next afterwards, and a second one changes nothing', async () => {
    const { advanceTo, must, call, offered, backend } = await startFixture();
    await advanceTo('confirm');
    await must('next');
    expect(offered()).not.toContain('next');
    expect(await call('next')).toMatchObject({ ok: false, message: 'The booking is already confirmed.' });
    expect(backend.bookings).toHaveLength(1);
  });

  it('uses the given customer', async () => {
    const { advanceTo, must, backend } = await startFixture({
      customer: { name: 'P07', email: 'p07@example.com' },
    });
    await advanceTo('confirm');
    await must('next');
    expect(backend.bookings[0]).toMatchObject({ customerName: 'P07', customerEmail: 'p07@example.com' });
  });
});

describe('the participant', () => {
  it('books by hand, and owns every change', async () => {
    const { engine, backend } = await startFixture();
    const sources = new Set<ChangeSource>();
    engine.onChange((_, source) => sources.add(source));
    for (let step = 0; step < 5; step += 1) {
      await engine.select(freeIds(shownSpec(engine))[0] ?? '');
      await engine.next();
    }
    await engine.setQuantity('tt2', 1);
    await engine.next();
    await engine.next();
    expect(backend.bookings).toHaveLength(1);
    expect([...sources]).toEqual(['user']);
  });

  it('sees the reason of an ineffective act until the next effective one', async () => {
    const { engine } = await startFixture();
    await engine.next();
    expect(engine.state.failure).toBe('Choose a movie first.');
    await engine.select('m1');
    expect(engine.state.failure).toBeNull();
  });

  it('undoes changes of the agent to the list, one kind or all', async () => {
    const { engine, must, spec } = await startFixture();
    await must('filter', { field: 'id', operator: 'eq', value: 'm2' });
    await must('highlight', { itemIds: ['m2'] });
    await engine.undo('filter');
    expect(spec().modification).toEqual({ highlight: { itemIds: ['m2'] } });
    await engine.undo('all');
    expect(spec().modification).toEqual({});
  });

  it('is not bound by the tools of a condition', async () => {
    const { engine, spec } = await startFixture({ tools: ['postMessage'] });
    await engine.select('m2');
    expect(spec().state.selected).toEqual({ id: 'm2', value: 'The Quiet Engine' });
  });

  it('sends trimmed messages at the shown stage, and no blank ones', async () => {
    const { engine } = await startFixture();
    engine.say('  something funny ');
    engine.say('   ');
    expect(engine.state.messageHistory.at(-1)).toMatchObject({
      type: 'user',
      action: 'input',
      label: 'something funny',
      stage: 'movie',
    });
    expect(engine.state.messageHistory).toHaveLength(2);
  });
});

describe('going back', () => {
  it('reloads the previous stage and drops its choice', async () => {
    const { advanceTo, must, engine } = await startFixture();
    await advanceTo('date');
    const theater = await must('prev');
    expect(theater.stage).toBe('theater');
    expect(theater.state).toEqual({ booking: { movie: { id: 'm1', title: 'Northern Light' } } });
    expect(labels(engine.state).slice(-2)).toEqual(['back:Back', 'system:theater']);
  });

  it('keeps the tickets on the way back to them', async () => {
    const { advanceTo, must, offered } = await startFixture();
    await advanceTo('confirm');
    const tickets = await must('prev');
    expect(tickets.state.quantities?.[0]).toEqual({ item: { id: 'tt1', value: 'Adult' }, count: 2 });
    expect(tickets.state.booking.tickets).toHaveLength(1);
    expect(offered()).toContain('next');
  });

  it('drops seats and tickets together with their stage', async () => {
    const { advanceTo, must } = await startFixture();
    await advanceTo('confirm');
    await must('prev');
    const seats = await must('prev');
    expect(seats.stage).toBe('seat');
    expect(seats.state.selectedList).toEqual([]);
    expect(seats.state.booking).not.toHaveProperty('tickets');
  });

  it('starts another booking, in which those seats are occupied', async () => {
    const { advanceTo, must, engine } = await startFixture();
    await advanceTo('confirm');
    await must('next');
    await must('prev');
    expect(engine.state.booking).toBeNull();
    const seats = await must('prev');
    expect(seats.visibleItems.find((seat) => seat.id === 's-m1-t1-0-0-A2')?.isDisabled).toBe(true);
  });
});

describe('the history', () => {
  it('has ids by kind, and a last system entry following the spec', async () => {
    const { must, engine } = await startFixture();
    await must('select', { itemId: 'm1' });
    await must('next');
    await must('postMessage', { text: 'hello' });
    await must('highlight', { itemIds: ['t1'] });
    const [first, choice, second, message] = engine.state.messageHistory;
    expect(first).toMatchObject({ type: 'system', spec: { state: { selected: { id: 'm1' } } } });
    expect(second).toMatchObject({ type: 'system', spec: shownSpec(engine) });
    expect(first?.id).toMatch(new RegExp(`^sys-${String(kNow)}-[0-9a-z]{7}$`));
    expect(choice?.id).toMatch(/^usr-/);
    expect(message?.id).toMatch(/^agt-/);
    expect(Object.keys(first ?? {})).toEqual(['id', 'type', 'timestamp', 'stage', 'spec']);
  });

  it('accepts explanations of an agent, but no blank ones', async () => {
    const { engine } = await startFixture();
    expect(engine.postAgentMessage(' I look for a comedy. ')).toBe(true);
    for (const bad of ['', '  ', null, 7, undefined]) expect(engine.postAgentMessage(bad)).toBe(false);
    expect(labels(engine.state)).toEqual(['system:movie', 'agent:I look for a comedy.']);
  });
});

describe('loading', () => {
  it('shows no stage before the first, and the reason of a failure', async () => {
    const backend = createMemoryBackend(kToday);
    const working = backend.movies.bind(backend);
    backend.movies = () => Promise.reject(new BackendError('The booking service is not reachable.', 0));
    const engine = createHostEngine(backend, { now: () => kNow });
    expect(engine.state).toMatchObject({ uiSpec: null, loading: false, messageHistory: [] });
    await engine.start();
    expect(engine.state).toMatchObject({
      uiSpec: null,
      loading: false,
      failure: 'The booking service is not reachable.',
    });
    backend.movies = working;
    await engine.start();
    expect(engine.state.uiSpec?.stage).toBe('movie');
    expect(engine.state.failure).toBeNull();
  });

  it('of the next stage fails visibly and keeps the current stage', async () => {
    const { backend, must, call, spec, engine } = await startFixture();
    backend.theatersOf = () => Promise.reject(new BackendError('Out of order', 500));
    await must('select', { itemId: 'm2' });
    const before = spec();
    const history = engine.state.messageHistory.length;
    expect(await call('next')).toEqual({
      ok: false,
      toolName: 'next',
      code: 'TOOL_EXECUTION_FAILED',
      message: 'Out of order',
    });
    expect(spec()).toEqual(before);
    expect(engine.state.messageHistory).toHaveLength(history);
  });

  it('keeps messages sent during it', async () => {
    const { backend, must, engine } = await startFixture();
    await must('select', { itemId: 'm1' });
    const load = backend.theatersOf.bind(backend);
    backend.theatersOf = (id) => {
      engine.say('not too far away');
      expect(engine.state).toMatchObject({ loading: true, uiSpec: null });
      return load(id);
    };
    await must('next');
    expect(labels(engine.state)).toEqual([
      'system:movie',
      'input:not too far away',
      'select:Northern Light',
      'system:theater',
    ]);
  });
});

describe('a reset', () => {
  it('shows nothing, then the first stage once', async () => {
    const { advanceTo, must, engine } = await startFixture();
    await advanceTo('confirm');
    await must('next');
    const seen: HostState[] = [];
    engine.onChange((state) => seen.push(state));
    await engine.reset();
    expect(seen.map((state) => state.uiSpec?.stage ?? null)).toEqual([null, 'movie']);
    expect(seen[0]).toMatchObject({ messageHistory: [], booking: null });
    expect(seen[0]?.toolSchema.map((tool) => tool.name)).toEqual(['postMessage']);
    expect(labels(engine.state)).toEqual(['system:movie']);
    expect(shownSpec(engine).state).toEqual({ booking: {} });
  });
});

describe('simultaneous acts', () => {
  it('are all done, in the order of the calls', async () => {
    const { engine, call, spec } = await startFixture();
    const outcomes = await Promise.all([
      call('highlight', { itemIds: ['m3'] }),
      call('augment', { items: [{ itemId: 'm1', value: 'One' }] }),
      call('select', { itemId: 'm1' }),
      call('next'),
      call('select', { itemId: 't2' }),
      engine.next(),
      call('select', { itemId: 't1' }),
    ]);
    expect(outcomes.map((each) => (each ? each.ok : 'user'))).toEqual([true, true, true, true, true, 'user', false]);
    expect(spec().state.booking).toEqual({
      movie: { id: 'm1', title: 'Northern Light' },
      theater: { id: 't2', name: 'Old Mill' },
    });
  });

  it('give each caller the state right after its act', async () => {
    const { call } = await startFixture();
    const [first, second] = await Promise.all([call('select', { itemId: 'm1' }), call('select', { itemId: 'm2' })]);
    expect(first).toMatchObject({ uiSpec: { state: { selected: { id: 'm1' } } } });
    expect(second).toMatchObject({ uiSpec: { state: { selected: { id: 'm2' } } } });
  });

  it('survive a throwing listener, which is reported to the page', async () => {
    const { engine, must, spec } = await startFixture();
    const notify: (() => void)[] = [];
    vi.stubGlobal('queueMicrotask', (act: () => void) => notify.push(act));
    engine.onChange(() => {
      throw new Error('of the page');
    });
    await must('select', { itemId: 'm1' });
    vi.unstubAllGlobals();
    expect(spec().state.selected?.id).toBe('m1');
    expect(notify).toHaveLength(1);
    expect(notify[0]).toThrow('of the page');
  });
});

describe('a state', () => {
  it('keeps unchanged objects, for watchers', async () => {
    const { engine } = await startFixture();
    const before = engine.state;
    await engine.next();
    expect(engine.state.failure).not.toBeNull();
    expect(engine.state.uiSpec).toBe(before.uiSpec);
    expect(engine.state.messageHistory).toBe(before.messageHistory);
    expect(engine.state.toolSchema).toBe(before.toolSchema);
    await engine.select('m1');
    expect(engine.state.uiSpec).not.toBe(before.uiSpec);
  });
});

describe('ids', () => {
  it('are unique with real randomness', async () => {
    const { engine } = await startFixture({ random: seeded(7) });
    for (let index = 0; index < 300; index += 1) engine.postAgentMessage(`note ${String(index)}`);
    const ids = engine.state.messageHistory.map((entry) => entry.id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
