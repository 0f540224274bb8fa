// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { kLongestRetryMs, kMaxUnsent, kRepeatMs, kReplacedCode, retryDelay } from './bridge';
import { type BridgeFixture, startBridge } from './bridge_fixture';
import { type Fixture, startFixture } from './engine_fixture';
import { BackendError } from './host_engine';

let host: Fixture;
let relay: BridgeFixture;

beforeEach(async () => {
  vi.useFakeTimers();
  host = await startFixture();
  relay = startBridge(host.engine);
});

afterEach(() => {
  relay.bridge.stop();
  vi.useRealTimers();
});

async function joined(): Promise<void> {
  relay.last.join();
  await relay.settle();
}

// Sends a request; returns the frames that the bridge sends.
async function ask(type: string, payload: unknown, id: unknown = 'r1') {
  const before = relay.last.sent.length;
  relay.last.frame(type, payload, id);
  await relay.settle();
  return relay.last.sent.slice(before);
}

const view = () => relay.bridge.view;

describe('joining', () => {
  it('is the first frame, followed by the state after relay.joined', async () => {
    relay.last.open();
    expect(JSON.parse(relay.last.texts[0] ?? '')).toStrictEqual({
      v: 'mvp-0.2',
      type: 'relay.join',
      payload: { role: 'host', sessionId: 'default' },
    });
    await joined();
    expect(view()).toMatchObject({ phase: 'joined', agents: [{ id: 'agent-1', name: 'name of agent-1' }] });
    const update = relay.last.sent.find((frame) => frame.type === 'state.updated');
    expect(Object.keys(update?.payload ?? {})).toEqual(['source', 'uiSpec', 'messageHistory', 'toolSchema']);
    expect(update?.payload).toMatchObject({ source: 'host', uiSpec: { stage: 'movie' } });
  });

  it('names the session, the study and the requested takeover', () => {
    const study = { studyId: 'pilot-01', participantId: 'P07' };
    const other = startBridge(host.engine, { sessionId: 'lab-1', takeover: true, study });
    other.last.open();
    expect(other.last.sent[0]?.payload).toEqual({ role: 'host', sessionId: 'lab-1', takeover: true, study });
    other.bridge.stop();
  });

  it('is retried without an answer of the relay', () => {
    relay.last.open();
    vi.advanceTimersByTime(10_000);
    expect(relay.last.closedWith).toBe(4000);
    expect(view().phase).toBe('waiting');
  });

  it('shows the reason of a refusal until success', async () => {
    relay.last.open();
    relay.last.frame('error', { code: 'INVALID_MESSAGE', message: 'relay.join payload.sessionId is not well.' });
    expect(view().problem).toBe('relay.join payload.sessionId is not well.');
    await joined();
    expect(view().problem).toBeNull();
  });
});

describe('coming back', () => {
  it('starts after 1.2 s and never waits longer than 15 s', () => {
    expect(retryDelay(1, 0)).toBe(1_200);
    expect(retryDelay(1, 1)).toBe(1_200);
    expect(retryDelay(3, 1)).toBe(4_800);
    expect(retryDelay(50, 1)).toBe(kLongestRetryMs);
    expect(retryDelay(50, 0)).toBeGreaterThan(10_000);
  });

  it('follows a lost connection, with the newest state and no old answers', async () => {
    await joined();
    relay.last.frame('tool.call', { toolName: 'select', params: { itemId: 'm1' } }, 'old');
    relay.last.drop(1006);
    expect(view()).toMatchObject({ phase: 'waiting', retryAt: 1_200, agents: [] });
    vi.advanceTimersByTime(1_200);
    await joined();
    expect(relay.connections).toHaveLength(2);
    expect(relay.last.sent.some((frame) => frame.replyTo === 'old')).toBe(false);
    expect(relay.last.types()).toEqual(['relay.join', 'state.updated']);
  });

  it('retries while another host is active, without taking over', async () => {
    for (let round = 0; round < 3; round += 1) {
      relay.last.open();
      relay.last.frame('error', {
        code: 'SESSION_NOT_ACTIVE',
        message: 'Another host is active in this session.',
      });
      relay.last.drop(kReplacedCode);
      expect(view().phase).toBe('occupied');
      vi.advanceTimersByTime(view().retryAt ?? 0);
    }
    expect(relay.connections).toHaveLength(4);
    await joined();
    expect(view().phase).toBe('joined');
    expect(relay.last.sent[0]?.payload).not.toHaveProperty('takeover');
  });

  it.each([kReplacedCode, 1000])('does not happen by itself after being replaced (close %i)', async (code) => {
    await joined();
    relay.last.frame('error', {
      code: 'SESSION_NOT_ACTIVE',
      message: 'Host connection replaced by a newer host.',
    });
    relay.last.drop(code);
    vi.advanceTimersByTime(600_000);
    expect(view().phase).toBe('replaced');
    expect(relay.connections).toHaveLength(1);
    relay.bridge.takeOver();
    relay.last.join();
    expect(relay.last.sent[0]?.payload).toMatchObject({ takeover: true });
    relay.last.drop(1006);
    vi.advanceTimersByTime(1_200);
    relay.last.open();
    expect(relay.last.sent[0]?.payload).not.toHaveProperty('takeover');
  });

  it('ends with stop', async () => {
    await joined();
    relay.bridge.stop();
    expect(relay.last.closedWith).toBe(1000);
    vi.advanceTimersByTime(60_000);
    expect(relay.connections).toHaveLength(1);
    expect(view().phase).toBe('stopped');
  });
});

describe('answers', () => {
  beforeEach(joined);

  it('session.start', async () => {
    expect(await ask('session.start', { studyId: 's', participantId: 'p' })).toStrictEqual([
      { v: 'mvp-0.2', type: 'session.started', replyTo: 'r1', payload: { sessionId: 'default' } },
    ]);
    expect(view().sessionActive).toBe(true);
  });

  it('snapshot.get', async () => {
    const [snapshot] = await ask('snapshot.get', {}, 7);
    expect(snapshot).toMatchObject({ type: 'snapshot.state', replyTo: 7 });
    expect(Object.keys(snapshot?.payload ?? {})).toEqual(['sessionId', 'uiSpec', 'messageHistory', 'toolSchema']);
  });

  describe('snapshot.get after a new stage', () => {
    const asked = async (): Promise<string[]> => {
      await ask('snapshot.get', {});
      const before = relay.last.sent.length;
      vi.advanceTimersByTime(kRepeatMs);
      await relay.settle();
      return relay.last.types().slice(before);
    };

    it('is followed by the state again for agents that dropped the first', async () => {
      await host.advanceTo('theater');
      await relay.settle();
      expect(await asked()).toEqual(['state.updated']);
      expect(relay.last.sent.at(-1)?.payload).toMatchObject({ uiSpec: { stage: 'theater' } });
    });

    it('is followed by the state only once', async () => {
      await host.advanceTo('theater');
      await relay.settle();
      await asked();
      expect(await asked()).toEqual([]);
      await host.must('select', { itemId: host.spec().visibleItems[0]?.id });
      await relay.settle();
      expect(await asked()).toEqual([]);
    });

    it('is followed by the state again after the confirmation, which keeps its stage', async () => {
      await host.advanceTo('confirm');
      await relay.settle();
      expect(await asked()).toEqual(['state.updated']);
      await ask('tool.call', { toolName: 'next', params: {} });
      expect(await asked()).toEqual(['state.updated']);
      expect(relay.last.sent.at(-1)?.payload).toMatchObject({
        uiSpec: { stage: 'confirm', meta: { status: 'confirmed' } },
      });
      expect(await asked()).toEqual([]);
    });

    it('is followed by the state once for each agent', async () => {
      relay.last.presence(['agent-1', 'agent-2']);
      await host.advanceTo('theater');
      await relay.settle();
      expect(await asked()).toEqual(['state.updated']);
      expect(await asked()).toEqual(['state.updated']);
      expect(await asked()).toEqual([]);
    });

    it('is not followed by a state on a later connection', async () => {
      await host.advanceTo('theater');
      await relay.settle();
      await ask('snapshot.get', {});
      relay.last.drop(1006);
      const before = relay.last.sent.length;
      vi.advanceTimersByTime(kRepeatMs);
      expect(relay.last.sent).toHaveLength(before);
    });
  });

  it('tool.call gets the result first, then the state', async () => {
    const [result, update] = await ask('tool.call', {
      toolName: 'select',
      params: { itemId: 'm1' },
      reason: 'It is long.',
    });
    expect(result).toMatchObject({ type: 'tool.result', replyTo: 'r1' });
    expect(Object.keys(result?.payload ?? {})).toEqual(['ok', 'toolName', 'uiSpec', 'messageHistory']);
    expect(result?.payload).toMatchObject({ ok: true, uiSpec: { state: { selected: { id: 'm1' } } } });
    expect(update).toMatchObject({ type: 'state.updated', payload: { source: 'host' } });
    expect(update?.payload['uiSpec']).toEqual(result?.payload['uiSpec']);
  });

  it('frames leave one per turn: the state never joins the result', async () => {
    await relay.settle();
    relay.last.frame('tool.call', { toolName: 'select', params: { itemId: 'm1' } });
    for (let index = 0; index < 60; index += 1) await Promise.resolve();
    expect(relay.last.types().at(-1)).toBe('tool.result');
    expect(relay.turns).toHaveLength(1);
    relay.turns.shift()?.();
    expect(relay.last.types().at(-1)).toBe('state.updated');
  });

  it('next gets the new stage and one state with it', async () => {
    await ask('tool.call', { toolName: 'select', params: { itemId: 'm1' } });
    const frames = await ask('tool.call', { toolName: 'next', params: {} });
    expect(frames.map((frame) => frame.type)).toEqual(['tool.result', 'state.updated']);
    for (const frame of frames) expect(frame.payload).toMatchObject({ uiSpec: { stage: 'theater' } });
  });

  it.each([undefined, null, 7, {}, ''])('a toolName %j gets INVALID_PARAMS', async (toolName) => {
    expect(await ask('tool.call', { toolName })).toMatchObject([
      {
        type: 'error',
        replyTo: 'r1',
        payload: { code: 'INVALID_PARAMS', message: 'tool.call requires payload.toolName' },
      },
    ]);
  });

  it.each([null, [], 'text', 3])('a payload %j counts as empty', async (payload) => {
    expect(await ask('tool.call', payload)).toMatchObject([{ type: 'error', payload: { code: 'INVALID_PARAMS' } }]);
    expect(await ask('session.start', payload)).toMatchObject([{ type: 'session.started' }]);
  });

  it('a refused tool gets its code and reason, and no state', async () => {
    expect(await ask('tool.call', { toolName: 'bogus' })).toMatchObject([
      { type: 'error', payload: { code: 'UNKNOWN_TOOL', message: 'There is no tool "bogus".' } },
    ]);
    expect(await ask('tool.call', { toolName: 'next' })).toMatchObject([
      { type: 'error', payload: { code: 'TOOL_EXECUTION_FAILED', message: 'Choose a movie first.' } },
    ]);
  });

  it('a failed stage gets its reason, and no state', async () => {
    await ask('tool.call', { toolName: 'select', params: { itemId: 'm1' } });
    host.backend.theatersOf = () => Promise.reject(new BackendError('Out of order', 500));
    expect(await ask('tool.call', { toolName: 'next' })).toMatchObject([
      { type: 'error', payload: { code: 'TOOL_EXECUTION_FAILED', message: 'Out of order' } },
    ]);
  });

  it('a request without an id gets an answer without replyTo', async () => {
    relay.last.frame('session.start', {});
    await relay.settle();
    expect(relay.last.sent.at(-1)).toStrictEqual({
      v: 'mvp-0.2',
      type: 'session.started',
      payload: { sessionId: 'default' },
    });
  });

  it('agent.message gets only the new state', async () => {
    const frames = await ask('agent.message', { text: 'I look for seats.' });
    expect(frames.map((frame) => frame.type)).toEqual(['state.updated']);
    expect(frames[0]?.payload['messageHistory']).toMatchObject([{}, { text: 'I look for seats.' }]);
  });

  it('a blank agent.message gets INVALID_PARAMS', async () => {
    expect(await ask('agent.message', { text: ' ' })).toMatchObject([
      {
        type: 'error',
        replyTo: 'r1',
        payload: {
          code: 'INVALID_PARAMS',
          message: 'agent.message requires a non-empty payload.text',
        },
      },
    ]);
  });

  it('two simultaneous calls are answered in order, each before its state', async () => {
    relay.last.frame('tool.call', { toolName: 'select', params: { itemId: 'm1' } }, 'a');
    const frames = await ask('tool.call', { toolName: 'select', params: { itemId: 'm2' } }, 'b');
    const results = frames.filter((frame) => frame.type === 'tool.result');
    expect(results.map((frame) => frame.replyTo)).toEqual(['a', 'b']);
    expect(frames.at(-1)).toMatchObject({
      type: 'state.updated',
      payload: { uiSpec: { state: { selected: { id: 'm2' } } } },
    });
  });

  it('unknown frames get no answer', async () => {
    relay.last.text('not json');
    relay.last.text('[1]');
    relay.last.text('{"type":7}');
    expect(await ask('agent.status', { phase: 'planning' })).toEqual([]);
    expect(await ask('toString', {})).toEqual([]);
    expect(view().phase).toBe('joined');
  });
});

describe('session.end', () => {
  beforeEach(joined);

  it('answers first, then shows nothing, then the first stage once', async () => {
    await ask('tool.call', { toolName: 'select', params: { itemId: 'm1' } });
    await ask('tool.call', { toolName: 'next' });
    const frames = await ask('session.end', { reason: 'study-complete' });
    expect(frames[0]).toStrictEqual({
      v: 'mvp-0.2',
      type: 'session.ended',
      replyTo: 'r1',
      payload: { sessionId: 'default', logFile: '', stateReset: true },
    });
    expect(frames[1]?.payload).toMatchObject({
      source: 'host',
      uiSpec: null,
      messageHistory: [],
      toolSchema: [{ name: 'postMessage' }],
    });
    expect(frames[2]?.payload).toMatchObject({
      uiSpec: { stage: 'movie' },
      messageHistory: [{ type: 'system', stage: 'movie' }],
    });
    expect(frames).toHaveLength(3);
    expect(view()).toMatchObject({ sessionActive: false, lastCall: null });
  });

  it('is answered even if the first stage fails to load', async () => {
    host.backend.movies = () => Promise.reject(new BackendError('Out of order', 500));
    const frames = await ask('session.end', {});
    expect(frames.map((frame) => frame.type)).toEqual(['session.ended', 'state.updated']);
    expect(await ask('tool.call', { toolName: 'select', params: { itemId: 'm1' } })).toMatchObject([
      { type: 'error', payload: { code: 'NO_ACTIVE_SPEC' } },
    ]);
  });

  it('can be followed by another session', async () => {
    await ask('session.end', {});
    expect(await ask('session.start', {})).toMatchObject([{ type: 'session.started' }]);
  });
});

describe('the participant', () => {
  it('sends user.message, then a state with the message', async () => {
    await joined();
    const before = relay.last.sent.length;
    host.engine.say(' something funny ');
    await relay.settle();
    const frames = relay.last.sent.slice(before);
    expect(frames).toMatchObject([
      { type: 'user.message', payload: { text: 'something funny', stage: 'movie' } },
      { type: 'state.updated', payload: { source: 'user' } },
    ]);
    expect(frames[1]?.payload['messageHistory']).toMatchObject([{}, { label: 'something funny' }]);
  });

  it('sends only state.updated by clicks', async () => {
    await joined();
    const before = relay.last.sent.length;
    await host.engine.select('m1');
    await host.engine.next();
    await relay.settle();
    const frames = relay.last.sent.slice(before);
    expect(new Set(frames.map((frame) => frame.type))).toEqual(new Set(['state.updated']));
    expect(frames.every((frame) => frame.payload['source'] === 'user')).toBe(true);
    expect(frames.at(-1)?.payload).toMatchObject({ uiSpec: { stage: 'theater' } });
  });

  it('sends nothing by clicks without effect', async () => {
    await joined();
    const before = relay.last.sent.length;
    await host.engine.next();
    await relay.settle();
    expect(host.engine.state.failure).toBe('Choose a movie first.');
    expect(relay.last.sent).toHaveLength(before);
  });

  it('sends bounded messages after an outage of the relay', async () => {
    await joined();
    relay.last.drop(1006);
    for (let index = 0; index < kMaxUnsent + 10; index += 1) host.engine.say(`wish ${String(index)}`);
    vi.advanceTimersByTime(1_200);
    await joined();
    const received = relay.last.sent.filter((frame) => frame.type === 'user.message');
    expect(received).toHaveLength(kMaxUnsent);
    expect(received.at(-1)?.payload['text']).toBe(`wish ${String(kMaxUnsent + 9)}`);
    expect(relay.last.types().at(-1)).toBe('state.updated');
  });
});

describe('the view of the page', () => {
  it('shows the agent as present, thinking, acting, refused or gone', async () => {
    await joined();
    expect(view().activity).toBe('connected');
    host.engine.say('a comedy');
    expect(view().activity).toBe('thinking');
    const seen: string[] = [];
    relay.bridge.onView((next) => seen.push(next.activity));
    await ask('tool.call', { toolName: 'select', params: { itemId: 'm3' }, reason: ' A comedy. ' });
    expect(seen).toContain('acting');
    expect(view()).toMatchObject({
      activity: 'thinking',
      lastCall: { toolName: 'select', reason: 'A comedy.', outcome: 'ok' },
    });
    await ask('tool.call', { toolName: 'select', params: { itemId: 'm9' } });
    expect(view().lastCall).toMatchObject({
      reason: '',
      outcome: 'refused',
      message: 'There is no item "m9" in the stage movie.',
    });
    vi.advanceTimersByTime(5_000);
    expect(view().activity).toBe('connected');
    relay.last.presence([]);
    expect(view()).toMatchObject({ activity: 'absent', agents: [] });
  });

  it('holds the last 200 frames of both directions', async () => {
    await joined();
    for (let index = 0; index < 300; index += 1) relay.last.frame('relay.hello', {});
    const { log } = view();
    expect(log).toHaveLength(200);
    expect((log.at(-1)?.number ?? 0) - (log[0]?.number ?? 0)).toBe(199);
    await ask('snapshot.get', {});
    expect(view().log.slice(-2)).toMatchObject([
      { direction: 'in', type: 'snapshot.get' },
      { direction: 'out', type: 'snapshot.state' },
    ]);
  });
});

describe('an agent that wants the full history', () => {
  it('gets whole past specs; others get summaries', async () => {
    await joined();
    await host.advanceTo('ticket');
    for (let round = 0; round < 6; round += 1) {
      await host.must('prev');
      await host.advanceTo('ticket');
    }
    await relay.settle();
    const specOf = async () => {
      const [snapshot] = await ask('snapshot.get', {});
      return (snapshot?.payload['messageHistory'] as { spec?: object }[])[0]?.spec;
    };
    expect(await specOf()).toHaveProperty('summary', true);
    relay.last.presence(['agent-1', 'agent-2'], true);
    expect(await specOf()).toHaveProperty('visibleItems');
  });
});
