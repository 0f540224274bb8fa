// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import {
  agentNames,
  type AgentsView,
  envelopeOf,
  kEmptyView,
  kMaxActs,
  phaseOf,
  withEnvelope,
  withoutLine,
} from './host_traffic';

const presence = (...names: string[]) => ({
  type: 'relay.presence',
  payload: {
    sessionId: 'default',
    hostActive: true,
    agentCount: names.length,
    agents: names.map((name, index) => ({ id: `a${index}`, name })),
  },
});
const call = (id: unknown, toolName = 'filter', reason = 'You asked for drama') => ({
  type: 'tool.call',
  id,
  payload: { toolName, params: { field: 'genre' }, reason },
});
const result = (replyTo: unknown) => ({ type: 'tool.result', replyTo, payload: { ok: true, toolName: 'filter' } });

function after(...steps: ['in' | 'out', unknown, number?][]): AgentsView {
  return steps.reduce(
    (view, [direction, envelope, at]) => withEnvelope(view, direction, envelope, at ?? 1000),
    kEmptyView,
  );
}

describe('the agent indicator', () => {
  const status = (phase: string) => ({ type: 'agent.status', payload: { agentName: 'A', phase } });

  it('reports no agent before one has joined', () => {
    expect(phaseOf(kEmptyView, 'absent')).toBe('absent');
    expect(phaseOf(kEmptyView, 'acting')).toBe('absent');
  });

  it('shows an announced agent with its name', () => {
    const view = after(['in', presence('Movie helper')]);
    expect(agentNames(view)).toEqual(['Movie helper']);
    for (const seen of ['connected', 'thinking', 'acting'] as const) expect(phaseOf(view, seen)).toBe(seen);
  });

  it('counts agents unnamed by the relay', () => {
    const view = after(['in', { type: 'relay.presence', payload: { agentCount: 2 } }]);
    expect(view.agents).toHaveLength(2);
  });

  it('shows an act of the agent until the agent is idle', () => {
    const planning = after(['in', presence('A')], ['in', status('planning')]);
    expect(phaseOf(planning, 'connected')).toBe('thinking');
    expect(phaseOf(withEnvelope(planning, 'in', status('executing'), 1), 'connected')).toBe('acting');
    expect(phaseOf(withEnvelope(planning, 'in', status('idle'), 1), 'connected')).toBe('connected');
  });

  it('forgets its agents on a lost line', () => {
    const view = withoutLine(after(['in', presence('A')], ['in', call('r1')]));
    expect(phaseOf(view, 'acting')).toBe('absent');
    expect(view.acts[0]?.state).toBe('refused');
  });
});

describe('the acts of the agent', () => {
  it('keeps reason, name and outcome of each', () => {
    const view = after(['in', presence('A')], ['in', call('r1')], ['out', result('r1')]);
    expect(view.acts).toMatchObject([{ tool: 'filter', reason: 'You asked for drama', agent: 'A', state: 'done' }]);
  });

  it('have the reason of a refusal', () => {
    const error = { type: 'error', replyTo: 'r1', payload: { code: 'UNKNOWN_TOOL', message: 'No such tool.' } };
    const view = after(['in', call('r1', 'fly')], ['out', error]);
    expect(view.acts).toMatchObject([{ state: 'refused', message: 'No such tool.' }]);
  });

  it('match results with numeric ids', () => {
    expect(after(['in', call(7)], ['out', result(7)]).acts[0]?.state).toBe('done');
  });

  it('are not attributed among several agents', () => {
    expect(after(['in', presence('A', 'B')], ['in', call('r1')]).acts[0]?.agent).toBe('');
  });

  it('may lack a reason', () => {
    const bare = { type: 'tool.call', id: 'x', payload: { toolName: 'next' } };
    expect(after(['in', bare]).acts[0]?.reason).toBe('');
  });

  it.each(['r1', 'a"b', 7])('end with a truncated result for id %j', (id) => {
    const text = JSON.stringify({
      v: 'mvp-0.2',
      type: 'tool.result',
      replyTo: id,
      payload: { ok: true, uiSpec: 'x'.repeat(500) },
    });
    const cut = envelopeOf({ type: 'tool.result', text: text.slice(0, 100), size: text.length });
    expect(after(['in', call(id)], ['out', cut]).acts[0]?.state).toBe('done');
    expect(envelopeOf({ type: 'state.updated', text: '{"v":', size: 90_000 })).toBeNull();
    expect(envelopeOf({ type: 'tool.call', text: '{"v":', size: 5 })).toBeNull();
  });

  it('are kept in a bounded number', () => {
    let view = kEmptyView;
    for (let i = 0; i < kMaxActs + 20; i += 1) view = withEnvelope(view, 'in', call(`r${i}`), i);
    expect(view.acts).toHaveLength(kMaxActs);
    expect(view.acts.at(-1)?.id).toBe(`r${kMaxActs + 19}`);
  });

  it.each([null, 7, [], 'x', { type: 'tool.call' }, { type: 'relay.presence', payload: null }])('survive %j', (odd) => {
    expect(() => withEnvelope(kEmptyView, 'in', odd, 0)).not.toThrow();
  });
});
