// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { type RawRecord, readLine, RecordList } from './record';
import { type Entry, kBeginning, type ReplayState, step, type What } from './replay';
import { ReplayLog } from './replay_log';
import { relayLog } from './relay_log';
import { kSmallLog } from './small_log';

function rawsOf(text: string): RawRecord[] {
  return text
    .split('\n')
    .map((line) => readLine(line).record)
    .filter((record) => record !== undefined);
}

function replayOf(lines: unknown[] | string): ReplayLog {
  const text = typeof lines === 'string' ? lines : lines.map((line) => JSON.stringify(line)).join('\n');
  const log = new ReplayLog();
  log.append(rawsOf(text));
  return log;
}

let counter = 0;
const line = (direction: string, type: string, payload: unknown, more = {}) => ({
  sessionId: 's',
  eventIndex: (counter += 1),
  timestamp: new Date(1_790_000_000_000 + counter * 100).toISOString(),
  direction,
  type,
  payload,
  ...more,
});

const whats = (log: ReplayLog, is: What['is']) => log.entries.filter((entry) => entry.what.is === is);
const callOf = (entry: Entry | undefined) => (entry?.what.is === 'call' ? entry.what.call : undefined);

describe('a log without ids', () => {
  const log = replayOf(kSmallLog);

  it('tells the study, its beginning and its end', () => {
    expect(log.stateAt(2).phase).toBe('before');
    expect(log.stateAt(5).facts).toMatchObject({ studyId: 'movie-night', participantId: 'P-01' });
    expect(log.stateAt(5).phase).toBe('open');
    expect(log.last).toMatchObject({ phase: 'ended', endReason: 'study-complete' });
  });

  it('shows the page as it was at each record', () => {
    expect(log.stateAt(0).uiSpec).toBeNull();
    expect(log.stateAt(1).uiSpec?.stage).toBe('movie');
    expect(log.stateAt(7).uiSpec?.state.selected).toBeUndefined();
    expect(log.stateAt(8).uiSpec?.state.selected?.id).toBe('m2');
    expect(log.stateAt(15).uiSpec?.stage).toBe('theater');
    expect(log.stateAt(15).history).toHaveLength(3);
    expect(log.stateAt(18).uiSpec).toBeNull();
  });

  it('joins a call with its outcome', () => {
    const [done, refused] = whats(log, 'call').map(callOf);
    expect(done).toMatchObject({ toolName: 'select', reason: 'A comedy.', outcome: 'done', tookMs: 100 });
    expect(refused).toMatchObject({ outcome: 'refused', code: 'TOOL_EXECUTION_FAILED', reason: '' });
    expect(whats(log, 'call').map((entry) => entry.kind)).toEqual(['agent', 'refused']);
    expect(log.stateAt(6).lastCall?.outcome).toBe('waiting');
    expect(log.stateAt(8).lastCall?.outcome).toBe('done');
  });

  it("finds the participant's acts under the host's name", () => {
    const participant = log.entries.filter((entry) => entry.kind === 'participant').map((entry) => entry.what);
    expect(participant).toEqual([
      { is: 'said', text: 'Yes, that one' },
      { is: 'acted', changes: [{ is: 'chose', label: 'Two Left Shoes' }] },
    ]);
  });

  it('marks each stage once, after the act that opened it', () => {
    expect(whats(log, 'stage').map((entry) => entry.index)).toEqual([1, 15]);
    expect(log.entries.filter((entry) => entry.index === 15).map((entry) => entry.kind)).toEqual([
      'participant',
      'stage',
    ]);
  });

  it('lists present agents', () => {
    expect(log.stateAt(0)).toMatchObject({ host: true, agents: [] });
    expect(log.stateAt(10).agents).toHaveLength(1);
    expect(log.last.agents).toHaveLength(0);
  });
});

describe('a log of this relay', () => {
  const log = replayOf(relayLog());

  it('finds the completed booking and its time', () => {
    expect(log.last.completed).toBe(true);
    expect(log.stateAt(log.last.index - 20).completed).toBe(false);
  });

  it('counts calls, refusals and acts', () => {
    const refused = log.entries.filter((entry) => entry.kind === 'refused');
    expect(refused.map((entry) => callOf(entry)?.code)).toEqual(['TOOL_EXECUTION_FAILED', 'INVALID_PARAMS']);
    expect(log.last.counts).toMatchObject({ calls: whats(log, 'call').length, refused: 2 });
    expect(log.last.waiting).toEqual([]);
  });

  it("counts only acts marked as the participant's", () => {
    const acts = log.entries.flatMap((entry) => (entry.what.is === 'acted' ? entry.what.changes : []));
    expect(acts.filter((change) => change.is === 'added')).toHaveLength(2);
    expect(acts).not.toContainEqual({ is: 'chose', label: 'Riverside 8' });
  });

  it('names the agent, also from a later call', () => {
    expect(callOf(whats(log, 'call')[0])?.agent.name).toBe('Cinema guide');
    const late = replayOf([line('in', 'tool.call', { toolName: 'next' }, { clientId: 'c9', id: 1 })]);
    expect(late.last.agents).toEqual([{ clientId: 'c9', name: '', phase: '' }]);
  });
});

describe('replies', () => {
  const call = (id: string, clientId: string, toolName = 'next') =>
    line('in', 'tool.call', { toolName }, { id, clientId });
  const outcomes = (log: ReplayLog) => whats(log, 'call').map((entry) => callOf(entry)?.outcome);

  it('go to the asking agent when two use the same id', () => {
    const log = replayOf([
      call('1', 'a'),
      line('out', 'tool.call', { toolName: 'next' }, { id: 'r1' }),
      call('1', 'b'),
      line('out', 'tool.call', { toolName: 'next' }, { id: 'r2' }),
      line('in', 'tool.result', { ok: true, toolName: 'next' }, { replyTo: 'r2' }),
    ]);
    expect(outcomes(log)).toEqual(['waiting', 'done']);
  });

  it('are known by their receiver in the style of the relay', () => {
    const refusal = { code: 'INVALID_PARAMS', message: 'no such item' };
    const log = replayOf([
      call('1', 'a', 'filter'),
      line('out', 'tool.call', { toolName: 'filter' }, { id: '1', clientId: 'a' }),
      call('2', 'b'),
      line('out', 'tool.call', { toolName: 'next' }, { id: '2', clientId: 'b' }),
      line('in', 'error', refusal, { replyTo: 'p-78', clientId: 'h' }),
      line('out', 'error', { delivered: 1, payload: refusal }, { replyTo: '2', clientId: 'h' }),
      line('in', 'tool.result', { ok: true, toolName: 'filter' }, { replyTo: 'p-77', clientId: 'h' }),
      line(
        'out',
        'tool.result',
        { delivered: 1, payload: { ok: true, toolName: 'filter' } },
        { replyTo: '1', clientId: 'h' },
      ),
    ]);
    expect(outcomes(log)).toEqual(['done', 'refused']);
    expect(whats(log, 'error')).toHaveLength(0);
  });

  it('of the relay settle the preceding or abandoned call', () => {
    const error = (code: string) =>
      line('internal', 'relay.error', { clientId: 'a', role: 'agent', code, message: 'x' }, { clientId: 'a' });
    expect(outcomes(replayOf([call('1', 'a'), error('INVALID_PARAMS')]))).toEqual(['refused']);
    const state = line('in', 'state.updated', { uiSpec: null }, { clientId: 'h' });
    const late = replayOf([call('1', 'a'), state, state, state, error('TOOL_EXECUTION_FAILED')]);
    expect(outcomes(late)).toEqual(['refused']);
    const other = replayOf([call('1', 'a'), state, state, state, error('INVALID_MESSAGE')]);
    expect(outcomes(other)).toEqual(['waiting']);
    expect(whats(other, 'error')).toHaveLength(1);
  });

  it('of the relay settle a call without an answer of the host', () => {
    const body = { code: 'TOOL_EXECUTION_FAILED', message: 'The host did not answer.' };
    const log = replayOf([
      call('1', 'a'),
      line('out', 'error', { delivered: 1, payload: body }, { replyTo: '1', clientId: 'a' }),
    ]);
    expect(callOf(whats(log, 'call')[0])).toMatchObject({ outcome: 'refused', message: 'The host did not answer.' });
    expect(whats(log, 'error')).toHaveLength(0);
  });

  it('with ok false are refusals', () => {
    const log = replayOf([
      call('1', 'a'),
      line('in', 'tool.result', { ok: false, toolName: 'next' }, { replyTo: '1' }),
    ]);
    expect(outcomes(log)).toEqual(['refused']);
  });

  it('without a call are shown as errors', () => {
    const log = replayOf([line('in', 'error', { code: 'INVALID_PARAMS', message: 'blank' }, { replyTo: 'x' })]);
    expect(whats(log, 'error')).toHaveLength(1);
  });
});

describe('odd records', () => {
  const kOdd = [
    null,
    7,
    'x',
    [],
    {},
    { uiSpec: 7, messageHistory: {} },
    { uiSpec: { stage: 'seat', state: 4, modification: null }, messageHistory: [null, 3] },
  ];
  const kTypes = [
    'tool.call',
    'tool.result',
    'state.updated',
    'snapshot.state',
    'error',
    'user.message',
    'agent.message',
    'agent.status',
    'relay.join',
    'relay.disconnect',
    'relay.presence',
    'relay.error',
    'study.opened',
    'study.closed',
    'session.start',
    'x',
  ];

  it.each(kTypes)('of type %s never break the replay', (type) => {
    const lines = ['in', 'out', 'internal'].flatMap((direction) =>
      kOdd.map((payload) => line(direction, type, payload, { id: payload, replyTo: payload })),
    );
    expect(() => replayOf([...lines, ...lines])).not.toThrow();
  });

  it('keep the earlier records unchanged', () => {
    const list = new RecordList();
    const states: ReplayState[] = [kBeginning];
    for (const raw of rawsOf(kSmallLog)) {
      const before = states.at(-1) ?? kBeginning;
      const copy = JSON.stringify(before);
      states.push(step(before, list.add(raw)).state);
      expect(JSON.stringify(before)).toBe(copy);
    }
  });
});
