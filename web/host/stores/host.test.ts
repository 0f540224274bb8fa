// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// @vitest-environment jsdom
import { createPinia, setActivePinia } from 'pinia';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { BackendError, type BookingBackend } from '../engine/host_engine';
import { createMemoryBackend } from '../engine/memory_backend';
import type { OpenTransport, TransportEvents } from '../engine/relay_transport';
import { useAccount } from '@/stores/account';
import { type HostOutside, useHost } from './host';
import { type Access, checkAccess } from './access';

interface Frame {
  type: string;
  replyTo?: unknown;
  payload: Record<string, unknown>;
}

// A relay with one connection, and a server that answers access checks with `access`.
class FakeRelay {
  sent: Frame[] = [];
  opened = 0;
  tokens: (string | null)[] = [];
  asked: (string | null)[] = [];
  access: (token: string | null) => Access = () => ({ kind: 'welcome' });
  backend: BookingBackend = createMemoryBackend('2026-11-23', 14);
  private events: TransportEvents | null = null;

  readonly outside: HostOutside = {
    access: (token) => {
      this.asked.push(token);
      return Promise.resolve(this.access(token));
    },
    backend: () => this.backend,
    transport: (token): OpenTransport => {
      this.tokens.push(token);
      return (events) => {
        this.events = events;
        this.opened += 1;
        return {
          bufferedAmount: 0,
          send: (text) => this.sent.push(JSON.parse(text) as Frame),
          close: () => undefined,
        };
      };
    },
  };

  hear(type: string, payload: unknown, id?: unknown): void {
    this.events?.onText(JSON.stringify({ v: 'mvp-0.2', type, id, payload }));
  }

  join(...names: string[]): void {
    this.events?.onOpen();
    this.hear('relay.joined', { role: 'host', sessionId: 'default' });
    const agents = names.map((name, index) => ({ id: `a${index}`, name }));
    this.hear('relay.presence', { sessionId: 'default', hostActive: true, agentCount: names.length, agents });
  }

  drop(code = 1006): void {
    this.events?.onClose(code, '');
  }

  types(): string[] {
    return this.sent.map((frame) => frame.type);
  }
}

let relay: FakeRelay;
const stage = () => useHost().state?.uiSpec?.stage;

async function opened(): Promise<ReturnType<typeof useHost>> {
  const host = useHost();
  await host.open({ session: 'default' }, relay.outside);
  relay.join('Movie helper');
  await vi.waitFor(() => {
    expect(stage()).toBe('movie');
  });
  return host;
}

beforeEach(() => {
  window.sessionStorage.clear();
  setActivePinia(createPinia());
  relay = new FakeRelay();
});

describe('opening the booking page', () => {
  it('comes in as a guest when nobody is signed in', async () => {
    const host = await opened();
    expect(host.phase).toBe('open');
    expect(relay.asked).toEqual([null]);
    expect(relay.tokens).toEqual([null]);
  });

  it('works in the own workspace of a signed-in person', async () => {
    useAccount().use('secret');
    await opened();
    expect(relay.asked).toEqual(['secret']);
    expect(relay.tokens).toEqual(['secret']);
  });

  it('comes in as a guest with a rejected token', async () => {
    useAccount().use('old');
    relay.access = (token) => ({ kind: token === null ? 'welcome' : 'denied' });
    await opened();
    expect(relay.tokens).toEqual([null]);
  });

  it('asks for a missing token and continues with it', async () => {
    relay.access = (token) => ({ kind: token === 'secret' ? 'welcome' : 'denied' });
    const host = useHost();
    await host.open({ session: 'default' }, relay.outside);
    expect(host.phase).toBe('signIn');
    expect(relay.opened).toBe(0);
  });

  it.each(['absent', 'unreachable'] as const)('reports that the booking service is %s', async (kind) => {
    relay.access = () => ({ kind });
    const host = useHost();
    await host.open({ session: 'default' }, relay.outside);
    expect(host).toMatchObject({ phase: 'failed', problem: kind });
  });
});

// Books as the participant, from the first stage to the confirmed booking.
async function bookAll(host: ReturnType<typeof useHost>): Promise<void> {
  for (const next of ['theater', 'date', 'time', 'seat'] as const) {
    const first = host.state?.uiSpec?.visibleItems.find((item) => !item.isDisabled);
    await host.select(first?.id ?? '');
    await host.next();
    expect(stage()).toBe(next);
  }
  const seat = host.state?.uiSpec?.visibleItems.find((item) => !item.isDisabled);
  await host.select(seat?.id ?? '');
  await host.next();
  await host.setQuantity(host.state?.uiSpec?.visibleItems[0]?.id ?? '', 1);
  await host.next();
  expect(stage()).toBe('confirm');
  await host.next();
}

describe('booking', () => {
  it('goes from movie to a confirmed booking by hand', async () => {
    const host = await opened();
    await bookAll(host);
    expect(host.state?.booking?.status).toBe('confirmed');
    expect(host.busy).toBe(0);
    expect(host.lines.map((line) => line.kind)).toContain('booked');
  });

  it('keeps showing the booking after the session ends, until another is wanted', async () => {
    const host = await opened();
    await bookAll(host);
    const id = host.state?.booking?.id;
    relay.hear('session.end', { reason: 'study-complete' }, 'e1');
    await vi.waitFor(() => {
      expect(host.state?.booking).toBeNull();
      expect(stage()).toBe('movie');
    });
    expect(host.confirmed?.booking.id).toBe(id);
    expect(host.confirmed?.spec.stage).toBe('confirm');
    expect(host.lines.map((line) => line.kind)).toContain('booked');
    await host.startOver();
    expect(host.confirmed).toBeNull();
  });

  it('shows the page again when the agent starts another booking', async () => {
    const host = await opened();
    await bookAll(host);
    relay.hear('session.end', {}, 'e1');
    await vi.waitFor(() => {
      expect(stage()).toBe('movie');
    });
    relay.hear('tool.call', { toolName: 'select', params: { itemId: 'm1' } }, 'r9');
    await vi.waitFor(() => {
      expect(host.confirmed).toBeNull();
    });
  });

  it('undoes changes of the agent to the list', async () => {
    const host = await opened();
    relay.hear('tool.call', { toolName: 'sort', params: { field: 'title', order: 'desc' }, reason: 'By name' }, 'r1');
    await vi.waitFor(() => {
      expect(host.state?.uiSpec?.modification.sort).toBeDefined();
    });
    await host.undo('sort');
    expect(host.state?.uiSpec?.modification.sort).toBeUndefined();
  });

  it('reports an unavailable service and retries', async () => {
    const whole = relay.backend;
    relay.backend = Object.assign(Object.create(whole) as BookingBackend, {
      movies: vi
        .fn()
        .mockRejectedValueOnce(new BackendError('The booking service is not reachable.', 0))
        .mockImplementation(() => whole.movies()),
    });
    const host = useHost();
    await host.open({ session: 'default' }, relay.outside);
    await vi.waitFor(() => {
      expect(host.state?.failure).toMatch(/not reachable/);
    });
    await host.reload();
    expect(stage()).toBe('movie');
  });
});

describe('the agent', () => {
  it('is shown with its name, acts and reasons', async () => {
    const host = await opened();
    expect(host).toMatchObject({ agentPhase: 'connected', agentName: 'Movie helper' });
    relay.hear('tool.call', { toolName: 'sort', params: { field: 'title', order: 'asc' }, reason: 'By name' }, 'r1');
    await vi.waitFor(() => {
      expect(host.view.acts).toMatchObject([{ tool: 'sort', reason: 'By name', agent: 'Movie helper', state: 'done' }]);
    });
  });

  it('gets the participant’s messages, and its words are shown', async () => {
    const host = await opened();
    host.draft = '  Something short  ';
    expect(host.say()).toBe(true);
    expect(host.draft).toBe('');
    await vi.waitFor(() => {
      expect(relay.sent.find((frame) => frame.type === 'user.message')?.payload).toMatchObject({
        text: 'Something short',
      });
    });
    expect(host.agentPhase).toBe('thinking');
    relay.hear('agent.message', { text: 'With pleasure.' });
    await vi.waitFor(() => {
      expect(host.lines.map((line) => line.kind)).toEqual(['said', 'agent']);
    });
  });

  it('gets no blank message, and the draft stays', async () => {
    const host = await opened();
    host.draft = '   ';
    expect(host.say()).toBe(false);
    expect(relay.types()).not.toContain('user.message');
  });

  it('gets only the tools of the condition', async () => {
    const host = useHost();
    await host.open({ session: 'P07', tools: ['select', 'next'] }, relay.outside);
    relay.join('A');
    await vi.waitFor(() => {
      expect(host.state?.toolSchema.map((tool) => tool.name)).toEqual(['select']);
    });
  });
});

describe('the line', () => {
  it('counts down to the next attempt and reconnects', async () => {
    const host = await opened();
    relay.drop();
    expect(host.line.phase).toBe('waiting');
    expect(host.line.retryAt).toBeGreaterThan(Date.now());
    expect(host.agentPhase).toBe('absent');
    host.retryNow();
    expect(relay.opened).toBe(2);
    relay.join('A');
    expect(host.line.phase).toBe('joined');
    host.leave();
  });

  it('keeps the booking during an outage', async () => {
    const host = await opened();
    relay.drop();
    await host.select('m1');
    await host.next();
    expect(stage()).toBe('theater');
    host.leave();
  });

  it('asks for a new token on a rejected one', async () => {
    useAccount().use('secret');
    let accepted = true;
    relay.access = (token) => ({ kind: token === 'secret' && accepted ? 'welcome' : 'denied' });
    const host = await opened();
    accepted = false;
    relay.drop();
    await vi.waitFor(() => {
      expect(host.phase).toBe('signIn');
    });
  });

  it('stays away after a takeover until wanted back', async () => {
    const host = await opened();
    relay.hear('error', { code: 'SESSION_NOT_ACTIVE', message: 'Host connection replaced by a newer host.' });
    relay.drop(4409);
    expect(host.line).toEqual({ phase: 'replaced', retryAt: null });
    host.retryNow();
    expect(relay.opened).toBe(1);
    host.takeOver();
    relay.join('A');
    expect(relay.sent.filter((frame) => frame.type === 'relay.join').at(-1)?.payload).toMatchObject({ takeover: true });
    host.leave();
  });

  it('forgets everything when the page is left', async () => {
    const host = await opened();
    host.leave();
    expect(host).toMatchObject({ phase: 'closed', state: null, log: [], agentPhase: 'absent' });
  });
});

describe('access', () => {
  const answer = (status: number) => () => Promise.resolve(new Response('{}', { status }));

  it.each([
    [200, 'welcome'],
    [401, 'denied'],
    [403, 'denied'],
    [404, 'absent'],
    [503, 'unreachable'],
  ])('%i means %s', async (status, kind) => {
    expect(await checkAccess(null, answer(status))).toEqual({ kind });
  });

  it('to a silent server is reported as unreachable', async () => {
    expect(await checkAccess(null, () => Promise.reject(new TypeError('down')))).toEqual({ kind: 'unreachable' });
  });
});
