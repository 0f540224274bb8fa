// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { seeded } from './fixtures/fixture';
import { parseLine } from './parse';
import { kEventTypes, type RunEvent } from './run_event';

const one = (value: unknown): RunEvent | undefined => parseLine(JSON.stringify(value)).frames[0]?.event;
const call = { call_id: 'c1', name: 'read' };
const callRead = { callId: 'c1', name: 'read' };

// [payload of the frame, the same in the single-key form, the event read]
const kCases: [Record<string, unknown>, Record<string, unknown>, RunEvent][] = [
  [
    { type: 'run_start', run_id: 'r', message: 'hi', agent: 'tot' },
    { RunStart: { run_id: 'r', message: 'hi', agent: 'tot' } },
    { type: 'run_start', runId: 'r', message: 'hi', agent: 'tot' },
  ],
  [
    { type: 'node_enter', id: 'think' },
    { TaskStart: { node_id: 'think', namespace: null } },
    { type: 'node_enter', id: 'think' },
  ],
  [
    { type: 'node_exit', id: 'act', result: { Err: 'no' } },
    { TaskEnd: { node_id: 'act', result: { Err: 'no' }, namespace: null } },
    { type: 'node_exit', id: 'act', error: 'no' },
  ],
  [
    { type: 'message_chunk', content: 'a', id: 'think' },
    { Messages: { chunk: { content: 'a', kind: 'Message' }, metadata: { loom_node: 'think', namespace: null } } },
    { type: 'message_chunk', content: 'a', id: 'think' },
  ],
  [
    { type: 'thought_chunk', content: 'a', id: 'think' },
    { Messages: { chunk: { content: 'a', kind: 'Thinking' }, metadata: { loom_node: 'think' } } },
    { type: 'thought_chunk', content: 'a', id: 'think' },
  ],
  [
    { type: 'usage', prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    { Usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } },
    { type: 'usage', prompt: 3, completion: 2, total: 5 },
  ],
  [{ type: 'values', state: { a: 1 } }, { Values: { a: 1 } }, { type: 'values', state: { a: 1 } }],
  [
    { type: 'updates', id: 'act', state: [1] },
    { Updates: { node_id: 'act', state: [1], namespace: 'x' } },
    { type: 'updates', id: 'act', state: [1] },
  ],
  [{ type: 'custom', value: { a: 1 } }, { Custom: { a: 1 } }, { type: 'custom', value: { a: 1 } }],
  [
    {
      type: 'checkpoint',
      checkpoint_id: 'k',
      timestamp: '1700000000000',
      step: 4,
      state: {},
      thread_id: 't',
      checkpoint_ns: null,
      next: 'act',
    },
    { Checkpoint: { checkpoint_id: 'k', timestamp: '1700000000000', step: 4, state: {}, next: 'act' } },
    { type: 'checkpoint', checkpointId: 'k', timestamp: 1700000000000, step: 4, state: {}, next: 'act' },
  ],
  [
    { type: 'tot_expand', candidates: ['a', 'b'] },
    { TotExpand: { candidates: ['a', 'b'] } },
    { type: 'tot_expand', candidates: ['a', 'b'] },
  ],
  [
    { type: 'tot_evaluate', chosen: 1, scores: [0.5, 0.9] },
    { TotEvaluate: { chosen: 1, scores: [0.5, 0.9] } },
    { type: 'tot_evaluate', chosen: 1, scores: [0.5, 0.9] },
  ],
  [
    { type: 'tot_backtrack', reason: 'r', to_depth: 2 },
    { TotBacktrack: { reason: 'r', to_depth: 2 } },
    { type: 'tot_backtrack', reason: 'r', toDepth: 2 },
  ],
  [
    { type: 'got_plan', node_count: 2, edge_count: 1, node_ids: ['a', 'b'] },
    { GotPlan: { node_count: 2, edge_count: 1, node_ids: ['a', 'b'] } },
    { type: 'got_plan', nodeCount: 2, edgeCount: 1, nodeIds: ['a', 'b'] },
  ],
  [{ type: 'got_node_start', id: 'a' }, { GotNodeStart: { node_id: 'a' } }, { type: 'got_node_start', id: 'a' }],
  [
    { type: 'got_node_complete', id: 'a', result_summary: 's' },
    { GotNodeComplete: { node_id: 'a', result_summary: 's' } },
    { type: 'got_node_complete', id: 'a', summary: 's' },
  ],
  [
    { type: 'got_node_failed', id: 'a', error: 'e' },
    { GotNodeFailed: { node_id: 'a', error: 'e' } },
    { type: 'got_node_failed', id: 'a', error: 'e' },
  ],
  [
    { type: 'got_expand', node_id: 'a', nodes_added: 2, edges_added: 3 },
    { GotExpand: { node_id: 'a', nodes_added: 2, edges_added: 3 } },
    { type: 'got_expand', id: 'a', nodesAdded: 2, edgesAdded: 3 },
  ],
  [
    { type: 'tool_call_chunk', ...call, arguments_delta: '{"' },
    { ToolCallChunk: { ...call, arguments_delta: '{"' } },
    { type: 'tool_call_chunk', ...callRead, delta: '{"' },
  ],
  [
    { type: 'tool_call', ...call, arguments: { path: 'a' } },
    { ToolCall: { ...call, arguments: { path: 'a' } } },
    { type: 'tool_call', ...callRead, arguments: { path: 'a' } },
  ],
  [{ type: 'tool_start', ...call }, { ToolStart: call }, { type: 'tool_start', ...callRead }],
  [
    { type: 'tool_output', ...call, content: 'x' },
    { ToolOutput: { ...call, content: 'x' } },
    { type: 'tool_output', ...callRead, content: 'x' },
  ],
  [
    { type: 'tool_end', ...call, result: 'ok', is_error: false, raw_result: 'okay' },
    { ToolEnd: { ...call, result: 'ok', is_error: false, raw_result: 'okay' } },
    { type: 'tool_end', ...callRead, result: 'ok', isError: false, raw: 'okay' },
  ],
  [
    { type: 'tool_approval', ...call, arguments: {} },
    { ToolApproval: { ...call, arguments: {} } },
    { type: 'tool_approval', ...callRead, arguments: {}, explanation: null },
  ],
];

describe('frames', () => {
  it('have a case for each of the 24 events', () => {
    expect(kCases.map(([frame]) => frame['type'])).toEqual(kEventTypes);
  });

  it.each(kCases)('reads %j', (frame, exported, event) => {
    expect(one(frame)).toEqual(event);
    expect(one(exported)).toEqual(event);
  });

  it('are read with and without the envelope', () => {
    const [full] = parseLine(
      '{"session_id":"s","node_id":"run-think-0","event_id":0,"type":"node_enter","id":"think","at":1700000000000}',
    ).frames;
    expect(full).toMatchObject({ session: 's', nodeId: 'run-think-0', eventId: 0, at: 1700000000000 });
    const [bare] = parseLine('{"type":"node_enter","id":"think"}').frames;
    expect(bare).toMatchObject({ session: '', nodeId: '', eventId: null, at: null });
  });

  it('with the task of got_expand are no node run', () => {
    const [frame] = parseLine(
      '{"type":"got_expand","node_id":"analyse","nodes_added":1,"edges_added":2,"event_id":9}',
    ).frames;
    expect(frame).toMatchObject({ nodeId: '', eventId: 9, event: { id: 'analyse' } });
  });

  it('are read as reply, also with the reason of a failure', () => {
    expect(one({ reply: 'done', event_id: 8 })).toEqual({
      type: 'reply',
      reply: 'done',
      reasoning: '',
      error: '',
      stopReason: '',
    });
    expect(one({ reply: '', error: 'no model', stop_reason: 'error' })).toMatchObject({
      error: 'no model',
      stopReason: 'error',
    });
  });

  it('are read in older forms: chunk without kind, null, pair', () => {
    expect(one({ Messages: { chunk: { content: 'a' }, metadata: { loom_node: 'think' } } })).toMatchObject({
      type: 'message_chunk',
      content: 'a',
      id: 'think',
    });
    expect(one({ Messages: [{ content: 'b' }, { loom_node: 'act' }] })).toMatchObject({ content: 'b', id: 'act' });
    expect(one({ type: 'tool_call_chunk', call_id: null, name: null, arguments_delta: 'x' })).toEqual({
      type: 'tool_call_chunk',
      callId: '',
      name: '',
      delta: 'x',
    });
    expect(one({ ThoughtChunk: { node_id: 'think', content: 'h' } })).toEqual({
      type: 'thought_chunk',
      content: 'h',
      id: 'think',
    });
  });

  it('are unwrapped from forms of other tools', () => {
    expect(one({ type: 'run_stream_event', id: 'r', event: { type: 'node_enter', id: 'think' } })).toEqual({
      type: 'node_enter',
      id: 'think',
    });
    expect(one({ type: 'run_end', id: 'r', reply: 'ok' })).toMatchObject({ type: 'reply', reply: 'ok' });
    const collected = parseLine(
      JSON.stringify({
        events: [{ type: 'node_enter', id: 'a' }, { TaskEnd: { node_id: 'a', result: 'Ok' } }],
        reply: 'ok',
        session_id: 's',
      }),
    );
    expect(collected.frames.map(({ event }) => event.type)).toEqual(['node_enter', 'node_exit', 'reply']);
  });

  it('of unknown types are kept, and other data is refused', () => {
    expect(one({ type: 'future', x: 1 })).toEqual({ type: 'unknown', name: 'future' });
    expect(one({ FutureEvent: { x: 1 } })).toEqual({ type: 'unknown', name: 'FutureEvent' });
    expect(one({ type: 'constructor' })).toEqual({ type: 'unknown', name: 'constructor' });
    expect(parseLine('{"a":1,"b":2}').fault).toBe('form');
    expect(parseLine('{"type":"node_en').fault).toBe('json');
    expect(parseLine('[1]').fault).toBe('json');
  });

  it('never throw, whatever the members', () => {
    const random = seeded(4);
    const odd: unknown[] = [null, 0, -1, 1e99, '', 'x', true, [], [null], {}, { a: [] }, [[['x']]], '__proto__'];
    const pick = () => odd[Math.floor(random() * odd.length)];
    const keys = [
      'type',
      'id',
      'node_id',
      'event_id',
      'session_id',
      'state',
      'result',
      'candidates',
      'scores',
      'node_ids',
      'events',
      'event',
      'reply',
      'arguments',
      'Messages',
      'Checkpoint',
    ];
    for (let round = 0; round < 4000; round += 1) {
      const value: Record<string, unknown> = {};
      for (let at = 0; at < 5; at += 1) value[keys[Math.floor(random() * keys.length)] ?? ''] = pick();
      if (random() < 0.7) value['type'] = kEventTypes[Math.floor(random() * kEventTypes.length)];
      expect(() => parseLine(JSON.stringify(value))).not.toThrow();
    }
  });
});
