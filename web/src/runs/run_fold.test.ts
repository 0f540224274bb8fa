// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { fixtureFrames, folded, foldedFixture, frameOf, kFixtures } from './fixtures/fixture';
import { RunFold } from './run_fold';
import type { NodeItem, RunItem, ToolItem } from './run_items';
import { atRest } from './scene';
import { flowScene } from './scenes';
import { leftOpen, toolMark } from './tool_calls';

const nodesOf = (fold: RunFold) => fold.items.filter((item): item is NodeItem => item.is === 'node');
const toolsOf = (fold: RunFold) => fold.items.filter((item): item is ToolItem => item.is === 'tool');
const kindsOf = (fold: RunFold) => fold.items.map(({ is }) => is);
const fromPayloads = (...payloads: Record<string, unknown>[]) => folded(payloads.map(frameOf));

describe('a react run', () => {
  const fold = foldedFixture('react');

  it('has its identity and its end', () => {
    expect(fold).toMatchObject({ runId: 'run-0001', agent: 'react', phase: 'finished', asking: false });
    expect(fold.message).toContain('sales total');
    expect(fold.items.at(-1)).toMatchObject({ is: 'reply', isStreamed: true });
  });

  it('joins the pieces of texts and thoughts', () => {
    expect(fold.items.find(({ is }) => is === 'thought')).toMatchObject({
      text: expect.stringContaining('The total is summed in the script.') as string,
      open: false,
    });
    const texts = fold.items.filter(({ is }) => is === 'text');
    expect(texts.map((item) => (item as { text: string }).text.slice(0, 12))).toEqual([
      'I will look ',
      'The script *',
      'The totals a',
    ]);
  });

  it('has one card for each tool call with all its events', () => {
    const tools = toolsOf(fold);
    expect(tools.map(({ name, phase }) => [name, phase])).toEqual([
      ['read', 'done'],
      ['read', 'done'],
      ['edit', 'done'],
      ['bash', 'done'],
    ]);
    expect(tools[3]).toMatchObject({ asked: true, output: expect.stringContaining('11 passed') as string });
    expect(JSON.parse(tools[2]?.written ?? '')).toEqual(tools[2]?.args);
  });

  it('counts node runs, tokens and states', () => {
    const nodes = nodesOf(fold);
    expect(nodes.map(({ node, number, state }) => `${number} ${node} ${state}`)).toEqual([
      '1 think done',
      '2 act done',
      '3 observe done',
      '4 think done',
      '5 act done',
      '6 observe done',
      '7 think done',
    ]);
    expect(nodes[0]?.usage?.prompt).toBe(640);
    expect(fold.usage).toHaveLength(3);
    expect(nodes.every(({ endAt, at }) => endAt !== null && at !== null && endAt >= at)).toBe(true);
  });
});

describe('the other agents', () => {
  it('dup understands, then plans', () => {
    expect(
      nodesOf(foldedFixture('dup'))
        .map(({ node }) => node)
        .slice(0, 4),
    ).toEqual(['understand', 'plan', 'act', 'observe']);
  });

  it('tot grows a tree, leaves a branch and follows another', () => {
    const { tot } = foldedFixture('tot');
    const path = tot.path.map((key) => tot.thoughts[key]?.text);
    expect(path).toEqual([
      'Sort by size and fill the largest box first',
      'First-fit decreasing, then swap pairs',
      'Prove a lower bound of 7 by volume',
    ]);
    expect(tot.thoughts.filter(({ state }) => state === 'abandoned').map(({ text }) => text)).toEqual([
      'Try every order and keep the best',
      'Cut the search to the 6 largest parcels',
    ]);
    expect(tot.backtracks).toMatchObject([{ toDepth: 0, to: null }]);
  });

  it('got runs its plan with dependencies', () => {
    const { got, items } = foldedFixture('got');
    expect([...got.tasks.values()].every(({ state }) => state === 'done')).toBe(true);
    expect(got.edges).toContainEqual(['gather', 'staff']);
    expect(items.filter(({ is }) => is === 'task')).toHaveLength(6);
  });

  it('agot marks the additions of an expansion', () => {
    const { got } = foldedFixture('agot');
    expect(got.tasks.get('staff_sub_1')).toMatchObject({ addedBy: 'staff', state: 'done' });
    expect(got.tasks.get('staff')?.expanded).toBe(2);
    expect(got.edges).not.toContainEqual(['staff', 'compare']);
    expect(got.edges).toContainEqual(['staff_sub_2', 'compare']);
  });
});

describe('folding', () => {
  it.each(kFixtures)('gives the same for %s in any pieces', (name) => {
    const frames = fixtureFrames(name);
    const whole = folded(frames);
    const pieces = new RunFold();
    for (const frame of frames) {
      pieces.push(frame);
      pieces.settle();
    }
    expect(pieces.items).toEqual(whole.items);
    expect(pieces.tot.thoughts).toEqual(whole.tot.thoughts);
    expect([...pieces.got.tasks]).toEqual([...whole.got.tasks]);
  });

  it('reads the single-key form to the same time line', () => {
    const bare = ({ is, node }: RunItem) => [is, node];
    expect(foldedFixture('react_export').items.map(bare)).toEqual(foldedFixture('react').items.map(bare));
  });

  it('gives a changed item a new identity and keeps the others', () => {
    const fold = fromPayloads(
      { type: 'node_enter', id: 'think' },
      { type: 'message_chunk', content: 'a', id: 'think' },
    );
    const [node, text] = fold.items;
    fold.push(frameOf({ type: 'message_chunk', content: 'b', id: 'think' }));
    fold.settle();
    expect(fold.items[0]).toBe(node);
    expect(fold.items[1]).not.toBe(text);
    expect(fold.items[1]).toMatchObject({ text: 'ab', open: true });
  });

  it('survives a stream that begins and ends anywhere', () => {
    const frames = fixtureFrames('agot');
    for (let from = 0; from < frames.length; from += 3) {
      expect(() => folded(frames.slice(from, from + 20))).not.toThrow();
    }
  });

  it('knows an open question and its answer', () => {
    const call = { call_id: 'c', name: 'bash' };
    const asked = fromPayloads(
      { type: 'node_enter', id: 'act' },
      { type: 'tool_call', ...call, arguments: {} },
      { type: 'tool_approval', ...call, arguments: {} },
    );
    expect(asked.asking).toBe(true);
    asked.push(frameOf({ type: 'tool_start', ...call }));
    expect(asked.asking).toBe(false);
  });

  it('takes a reused id after its end for another call', () => {
    const call = { call_id: 'call_1', name: 'read' };
    const fold = fromPayloads(
      { type: 'tool_call', ...call, arguments: { path: 'a' } },
      { type: 'tool_end', ...call, result: 'A', is_error: false },
      { type: 'tool_call', ...call, arguments: { path: 'b' } },
      { type: 'tool_end', ...call, result: 'B', is_error: true },
    );
    expect(toolsOf(fold).map(({ phase, result }) => [phase, result])).toEqual([
      ['done', 'A'],
      ['failed', 'B'],
    ]);
  });

  it('follows calls without ids by name', () => {
    const fold = fromPayloads(
      { type: 'tool_call_chunk', name: 'read', arguments_delta: '{"p' },
      { type: 'tool_call_chunk', arguments_delta: 'ath":1}' },
      { type: 'tool_call', name: 'read', arguments: { path: 1 } },
      { type: 'tool_start', name: 'read' },
      { type: 'tool_end', name: 'read', result: 'x', is_error: false },
    );
    expect(toolsOf(fold)).toMatchObject([{ written: '{"path":1}', phase: 'done', result: 'x' }]);
  });

  it('stops open items when the run ends or is resumed', () => {
    const fold = fromPayloads(
      { type: 'run_start', run_id: 'r' },
      { type: 'node_enter', id: 'act' },
      { type: 'tool_start', call_id: 'c', name: 'bash' },
      { type: 'run_start', run_id: 'r' },
      { type: 'node_enter', id: 'act' },
      { reply: 'x', error: 'The disk is full.' },
    );
    expect(nodesOf(fold).map(({ state }) => state)).toEqual(['stopped', 'stopped']);
    expect(toolsOf(fold)[0]?.phase).toBe('stopped');
    expect(fold.phase).toBe('failed');
  });

  it('gives parallel steps to their tasks of the plan', () => {
    const enter = (id: string, node: string) => ({ type: 'node_enter', id, node_id: node });
    const of = (task: string, node: string) => ({
      type: 'custom',
      node_id: node,
      value: { got_task: { task, id: 'think', node_id: node } },
    });
    const say = (content: string, node: string) => ({ type: 'message_chunk', content, id: 'think', node_id: node });
    const fold = fromPayloads(
      enter('execute_graph', 'run-execute_graph-1'),
      enter('think', 'run-think-2'),
      of('a', 'run-think-2'),
      enter('think', 'run-think-3'),
      of('b', 'run-think-3'),
      say('A', 'run-think-2'),
      say('B', 'run-think-3'),
      say('A', 'run-think-2'),
      say('B', 'run-think-3'),
      { type: 'node_exit', id: 'think', node_id: 'run-think-2', result: 'Ok' },
      { type: 'usage', prompt_tokens: 5, completion_tokens: 1, node_id: 'run-think-2' },
      {
        type: 'updates',
        id: 'execute_graph',
        node_id: 'run-execute_graph-1',
        state: { task_graph: { nodes: [], edges: [] } },
      },
    );
    expect(nodesOf(fold).map(({ node, state, task }) => [node, task, state])).toEqual([
      ['execute_graph', '', 'running'],
      ['think', 'a', 'done'],
      ['think', 'b', 'running'],
    ]);
    expect(fold.items.flatMap((item) => (item.is === 'text' ? [item.text] : []))).toEqual(['AA', 'BB']);
    expect(nodesOf(fold)[1]?.usage?.prompt).toBe(5);
    expect(nodesOf(fold)[0]?.step).toBe(0);
  });

  it('takes back streamed text when the model is asked again', () => {
    const fold = fromPayloads(
      { type: 'node_enter', id: 'think', node_id: 'run-think-0' },
      { type: 'message_chunk', content: 'Half a sen', id: 'think', node_id: 'run-think-0' },
      { type: 'tool_call_chunk', call_id: 'c', name: 'read', arguments_delta: '{"pa', node_id: 'run-think-0' },
      {
        type: 'custom',
        value: { model_retry: { id: 'think', error: 'The line was cut.', delay_ms: 500 } },
        node_id: 'run-think-0',
      },
      { type: 'message_chunk', content: 'Whole.', id: 'think', node_id: 'run-think-0' },
      { reply: 'Whole.' },
    );
    expect(fold.items.flatMap((item) => (item.is === 'text' ? [[item.text, item.takenBack]] : []))).toEqual([
      ['Half a sen', true],
      ['Whole.', false],
    ]);
    expect(toolsOf(fold)[0]?.phase).toBe('stopped');
    expect(fold.items.find(({ is }) => is === 'custom')).toMatchObject({ name: 'model_retry' });
    expect(fold.items.at(-1)).toMatchObject({ isStreamed: true });
  });

  it('marks a resumed run and its calls in progress', () => {
    const fold = fromPayloads(
      { type: 'run_start', run_id: 'r', agent: 'react' },
      { type: 'node_enter', id: 'act' },
      { type: 'tool_start', call_id: 'c', name: 'bash' },
      { type: 'custom', value: { resumed: { run_id: 'r', checkpoint_id: 'k', in_flight: ['c'] } } },
    );
    expect(fold.items.at(-1)).toMatchObject({ is: 'start', again: true, inFlight: 1 });
    expect(toolsOf(fold)[0]?.phase).toBe('stopped');
    expect(fold.phase).toBe('running');
  });

  it('counts a stopped step up to its stop, and folds its text', () => {
    const at = (seconds: number) => new Date(seconds * 1000).toISOString();
    const fold = fromPayloads(
      { type: 'run_start', run_id: 'r', at: at(1) },
      { type: 'node_enter', id: 'think', at: at(2) },
      { type: 'message_chunk', content: 'half', id: 'think', at: at(4) },
      { type: 'custom', value: { resumed: { run_id: 'r', checkpoint_id: 'k', in_flight: [] } }, at: at(900) },
      { type: 'node_enter', id: 'think', at: at(901) },
      { type: 'message_chunk', content: 'whole', id: 'think', at: at(902) },
    );
    expect(fold.items.find(({ is }) => is === 'node')).toMatchObject({ state: 'stopped', endAt: 4000 });
    expect(fold.items.flatMap((item) => (item.is === 'text' ? [[item.text, item.takenBack]] : []))).toEqual([
      ['half', true],
      ['whole', false],
    ]);
  });

  it('keeps the events of a sub-agent inside its call', () => {
    const inner = (event: Record<string, unknown>) => ({
      type: 'custom',
      value: { sub_agent: 'explore', call_id: 'c', depth: 1, event },
    });
    const fold = fromPayloads(
      { type: 'node_enter', id: 'act' },
      { type: 'tool_start', call_id: 'c', name: 'invoke_agent' },
      inner({ type: 'node_enter', id: 'think' }),
      inner({ type: 'message_chunk', content: 'hi', id: 'think' }),
      inner({ reply: 'hi' }),
    );
    const [tool] = toolsOf(fold);
    expect(kindsOf(fold)).toEqual(['node', 'tool']);
    expect(tool?.agents).toMatchObject([{ name: 'explore', running: false }]);
    expect(kindsOf(fold.agents.get(tool?.agents[0]?.key ?? '') ?? new RunFold())).toEqual(['node', 'text', 'reply']);
  });

  it('counts the usage of nested sub-agents at their call', () => {
    const within = (name: string, callId: string, event: Record<string, unknown>) => ({
      type: 'custom',
      value: { sub_agent: name, call_id: callId, depth: 1, event },
    });
    const usage = { type: 'usage', prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };
    const fold = fromPayloads(
      { type: 'node_enter', id: 'think' },
      usage,
      { type: 'node_enter', id: 'act' },
      { type: 'tool_start', call_id: 'c', name: 'invoke_agent' },
      within('boss', 'c', { type: 'node_enter', id: 'act' }),
      within('boss', 'c', { type: 'tool_start', call_id: 'd', name: 'invoke_agent' }),
      within('boss', 'c', usage),
      within('boss', 'c', within('worker', 'd', { type: 'node_enter', id: 'think' })),
      within('boss', 'c', within('worker', 'd', usage)),
    );
    expect(fold.usage.map(({ node, total }) => [node, total])).toEqual([
      ['think', 12],
      ['boss', 12],
      ['boss', 12],
    ]);
    expect(fold.usage[1]?.item).toBe(toolsOf(fold)[0]?.key);
  });

  it('keeps notices to the person as sentences', () => {
    const fold = fromPayloads({ type: 'custom', value: { notices: ['One.', 'Two.', 3] } });
    expect(fold.items[0]).toMatchObject({ is: 'custom', name: 'notices', value: ['One.', 'Two.'] });
  });

  it('separates equal sub-agents of one call, and ends them with it', () => {
    const inner = (index: number, event: Record<string, unknown>) => ({
      type: 'custom',
      value: { sub_agent: 'explore', call_id: 'c', depth: 1, index, event },
    });
    const call = { call_id: 'inner', name: 'bash' };
    const fold = fromPayloads(
      { type: 'node_enter', id: 'act' },
      { type: 'tool_start', call_id: 'c', name: 'invoke_agent' },
      inner(0, { type: 'node_enter', id: 'think' }),
      inner(1, { type: 'node_enter', id: 'think' }),
      inner(1, { type: 'tool_approval', ...call, arguments: {} }),
      { type: 'tool_approval', ...call, arguments: {} },
    );
    expect(fold.asking).toBe(true);
    expect(toolsOf(fold)[0]?.agents).toHaveLength(2);
    fold.push(frameOf(inner(1, { type: 'tool_start', ...call })));
    expect(fold.asking).toBe(false);
    fold.push(frameOf(inner(1, { type: 'tool_end', ...call, result: 'ok', is_error: false })));
    fold.push(frameOf({ type: 'tool_end', call_id: 'c', name: 'invoke_agent', result: 'done', is_error: false }));
    expect(toolsOf(fold).map(({ phase }) => phase)).toEqual(['done', 'done']);
    expect(toolsOf(fold)[0]?.agents.every(({ running }) => !running)).toBe(true);
    expect([...fold.agents.values()].map(({ phase }) => phase)).toEqual(['finished', 'finished']);
  });
});

describe('stopped items', () => {
  it('a cancelled node is stopped, not failed', () => {
    const fold = fromPayloads(
      { type: 'run_start', run_id: 'r', message: 'hi' },
      { type: 'node_enter', id: 'act' },
      { type: 'node_exit', id: 'act', result: { Err: 'cancelled: run cancelled' } },
      { reply: '', stop_reason: 'cancelled' },
    );
    expect(nodesOf(fold)).toMatchObject([{ state: 'stopped', error: '' }]);
    const failed = fromPayloads(
      { type: 'node_enter', id: 'act' },
      { type: 'node_exit', id: 'act', result: { Err: 'The disk is full.' } },
    );
    expect(nodesOf(failed)).toMatchObject([{ state: 'failed', error: 'The disk is full.' }]);
  });

  it('a question of the agent waits for a person until answered', () => {
    const asked = [
      { type: 'run_start', run_id: 'r', message: 'hi' },
      { type: 'node_enter', id: 'act' },
      { type: 'tool_call', call_id: 'c', name: 'ask_question', arguments: { question: 'Which?' } },
      { type: 'tool_start', call_id: 'c', name: 'ask_question' },
    ];
    const fold = fromPayloads(...asked);
    expect(fold.asking).toBe(true);
    expect(toolsOf(fold).map(toolMark)).toEqual(['asking']);
    expect(
      fromPayloads(...asked, {
        type: 'tool_end',
        call_id: 'c',
        name: 'ask_question',
        result: 'This one.',
        is_error: false,
      }).asking,
    ).toBe(false);
  });

  it('an open call is shown as stopped after its run', () => {
    const fold = fromPayloads(
      { type: 'node_enter', id: 'act' },
      { type: 'tool_approval', call_id: 'c', name: 'bash', arguments: {} },
    );
    const [tool] = toolsOf(fold);
    expect(tool && leftOpen(tool).phase).toBe('stopped');
    expect(tool?.phase).toBe('asking');
    const [done] = toolsOf(
      fromPayloads({ type: 'tool_end', call_id: 'c', name: 'bash', result: 'ok', is_error: false }),
    );
    expect(done && leftOpen(done)).toBe(done);
    const scene = flowScene(fold.items, () => '');
    expect(scene.nodes.map(({ mark }) => mark)).toEqual(['asking', 'asking']);
    expect(atRest(scene).nodes.map(({ mark }) => mark)).toEqual(['stopped', 'stopped']);
  });
});
