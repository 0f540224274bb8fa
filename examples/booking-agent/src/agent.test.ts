// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The agent against the host's engine and bridge, with a relay in this process.
import { afterEach, describe, expect, it } from 'vitest';
import { type AgentOptions, BookingAgent, type Outcome } from './agent.js';
import { buildWorld, startWorld, type World } from './relay_fixture.js';
import { newWishes, type Wishes } from './wishes.js';

let world: World;

afterEach(() => {
  world.bridge.stop();
});

function agentWith(wishes: Partial<Wishes> = {}, options: Partial<AgentOptions> = {}): Promise<Outcome> {
  const agent = new BookingAgent({
    openSocket: world.relay.openSocket,
    sessionId: 'default',
    name: 'test agent',
    studyId: 'pilot-01',
    participantId: 'P07',
    wishes: { ...newWishes(2), ...wishes },
    end: true,
    paceMs: 0,
    log: () => undefined,
    patienceMs: 2_000,
    firstRetryMs: 1,
    ...options,
  });
  return agent.run();
}

// Sends a message of the participant when the page shows a stage for the first time.
function sayAt(stage: string, text: string): void {
  let said = false;
  world.engine.onChange((state) => {
    if (said || state.uiSpec?.stage !== stage) return;
    said = true;
    setImmediate(() => {
      world.engine.say(text);
    });
  });
}

const booked = () => world.backend.bookings.at(-1);
const texts = () =>
  world.relay.seen.flatMap((frame) => (frame.type === 'agent.message' ? [String(frame.payload['text'])] : []));

describe('a booking by tools alone', () => {
  it('is made with a reason for each call, then the session ends', async () => {
    world = await startWorld();
    expect(await agentWith()).toMatchObject({ booked: true });
    expect(booked()?.seats).toHaveLength(2);
    const calls = world.relay.seen.filter((frame) => frame.type === 'tool.call');
    expect(calls.length).toBeGreaterThan(12);
    for (const call of calls) expect(String(call.payload['reason']).length).toBeGreaterThan(10);
    expect(world.relay.seen[0]).toMatchObject({ type: 'relay.join', payload: { role: 'agent' } });
    expect(world.relay.seen[1]?.type).toBe('session.start');
    expect(world.relay.seen.find((frame) => frame.type === 'session.start')?.payload).toEqual({
      studyId: 'pilot-01',
      participantId: 'P07',
    });
    expect(world.relay.seen.at(-1)).toMatchObject({ type: 'session.end' });
    expect(texts().at(-1)).toMatch(/^Booked: Northern Light/);
    expect(world.engine.state.uiSpec?.stage).toBe('movie');
  });

  it('follows the wishes given before the start', async () => {
    world = await startWorld();
    const wishes: Partial<Wishes> = { seats: 3, genre: 'comedy', daytime: 'evening', rows: 'back' };
    expect(await agentWith(wishes, { end: false })).toMatchObject({ booked: true });
    const { booking } = world.engine.state.uiSpec?.state ?? {};
    expect(booking?.movie?.title).toBe('Three Winters');
    expect(booking?.showing?.time).toBe('17:00');
    expect(booking?.selectedSeats?.map((seat) => seat.value)).toEqual(['H4', 'H5', 'H6']);
    expect(world.relay.seen.at(-1)?.type).toBe('agent.message');
  });

  it('starts a new session when the page still shows an old booking', async () => {
    world = await startWorld();
    await agentWith({}, { end: false });
    expect(await agentWith()).toMatchObject({ booked: true });
    expect(world.backend.bookings).toHaveLength(2);
  });

  it('can choose at random among fitting items', async () => {
    world = await startWorld();
    let value = 0.1;
    const random = (): number => (value = (value * 7.3) % 1);
    expect(await agentWith({}, { random })).toMatchObject({ booked: true });
  });
});

describe('a participant with changing wishes', () => {
  it.each([
    ['confirm', 'I would rather see The Quiet Engine', () => booked()?.showingId.startsWith('s-m2')],
    ['ticket', 'three tickets please', () => booked()?.seats.length === 3],
    ['seat', 'in the evening', () => booked()?.showingId.endsWith('-2')],
    ['confirm', 'row C', () => booked()?.seats.every((seat) => /-C\d+$/.test(seat))],
    ['confirm', 'cheaper', () => booked()?.totalPrice === 18],
    ['ticket', 'one adult and two kids', () => booked()?.totalPrice === 32],
    ['confirm', 'tomorrow', () => booked()?.showingId.includes('-1-')],
  ])('in the stage %s: "%s"', async (stage, text, asWished) => {
    world = await startWorld();
    sayAt(stage, text);
    // The pace leaves time for the message before the next step.
    expect(await agentWith({}, { paceMs: 20, end: false })).toMatchObject({ booked: true });
    expect(asWished()).toBe(true);
    expect(texts().some((each) => each.startsWith('Understood:'))).toBe(true);
  });

  it('stops the agent until the participant says go on', async () => {
    world = await startWorld();
    sayAt('date', 'please stop');
    const outcome = agentWith({}, { paceMs: 5 });
    await expect.poll(() => texts().some((text) => text.startsWith('I stop here'))).toBe(true);
    await new Promise((resolve) => setImmediate(resolve));
    const calls = world.relay.seen.length;
    for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(world.relay.seen.length - calls).toBeLessThanOrEqual(1);
    expect(world.backend.bookings).toHaveLength(0);
    world.engine.say('go on');
    expect(await outcome).toMatchObject({ booked: true });
  });

  it('is asked again when no rule fits', async () => {
    world = await startWorld();
    sayAt('theater', 'hm');
    await agentWith({}, { paceMs: 5 });
    expect(texts().some((text) => text.startsWith('I did not understand'))).toBe(true);
  });

  it('is told which wish cannot be met', async () => {
    world = await startWorld();
    expect(await agentWith({ movie: 'A film that is not shown' })).toMatchObject({ booked: true });
    expect(texts()).toContain('Nothing here fits “A film that is not shown”, so I take what there is.');
  });
});

describe('faults', () => {
  it('seats taken by another person are replaced by others', async () => {
    world = await startWorld();
    const taken: string[] = [];
    world.engine.onChange((state) => {
      const { showing, selectedSeats } = state.uiSpec?.state.booking ?? {};
      if (state.uiSpec?.stage !== 'confirm' || taken.length > 0) return;
      taken.push(selectedSeats?.[0]?.id ?? '');
      world.backend.occupy(showing?.id ?? '', taken[0] ?? '');
    });
    expect(await agentWith()).toMatchObject({ booked: true });
    expect(world.backend.bookings).toHaveLength(1);
    expect(booked()?.seats).not.toContain(taken[0]);
    expect(texts()).toContain('Somebody was faster and took a seat; I choose others.');
  });

  it('a lost connection is reopened, and the agent reads the page anew', async () => {
    world = await startWorld();
    let dropped = 0;
    world.engine.onChange((state) => {
      const stage = state.uiSpec?.stage;
      if ((stage === 'date' && dropped === 0) || (stage === 'seat' && dropped === 1)) {
        dropped += 1;
        setImmediate(() => {
          world.relay.dropAgents();
        });
      }
    });
    expect(await agentWith()).toMatchObject({ booked: true });
    expect(dropped).toBe(2);
    expect(world.relay.seen.filter((frame) => frame.type === 'session.start')).toHaveLength(1);
    expect(world.relay.seen.filter((frame) => frame.type === 'snapshot.get').length).toBeGreaterThan(2);
  });

  it.each([true, false])('the agent waits for a missing host (presence told: %s)', async (presence) => {
    world = buildWorld();
    world.relay.presence = presence;
    const outcome = agentWith();
    await expect.poll(() => world.relay.agentCount).toBe(1);
    await world.engine.start();
    world.bridge.start();
    expect(await outcome).toMatchObject({ booked: true });
  }, 10_000);
});

describe('hosts of both revisions', () => {
  it('results without uiSpec and history are completed by the pushes', async () => {
    world = await startWorld();
    world.relay.filter = (frame) => {
      if (frame.type === 'tool.result') {
        delete frame.payload['uiSpec'];
        delete frame.payload['messageHistory'];
      }
      return frame;
    };
    expect(await agentWith()).toMatchObject({ booked: true });
  });

  it('pushes without toolSchema are accepted', async () => {
    world = await startWorld();
    world.relay.filter = (frame) => {
      if (frame.type === 'state.updated') delete frame.payload['toolSchema'];
      return frame;
    };
    expect(await agentWith()).toMatchObject({ booked: true });
  });

  it('a host that says ok and does nothing is given up', async () => {
    world = await startWorld();
    world.relay.filter = (frame) => {
      if (frame.type === 'state.updated') return null;
      if (frame.type === 'error') return { ...frame, type: 'tool.result', payload: { ok: true } };
      return frame;
    };
    world.engine.runTool = (toolName) =>
      Promise.resolve({ ok: true, toolName: String(toolName), messageHistory: [] });
    expect(await agentWith({}, { patienceMs: 50 })).toMatchObject({
      booked: false,
      why: 'Too many steps were refused.',
    });
  });
});
