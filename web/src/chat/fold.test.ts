// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { ChatFold } from './fold';
import { type ChatFrame, readFrame } from './frames';
import type { CallItem, UserItem } from './items';

let seq = 0;
const frame = (type: string, requestId: string, parts: Partial<ChatFrame> = {}): ChatFrame => {
  seq += 1;
  return { type, requestId, content: '', data: {}, seq, at: 1_000, ...parts };
};
const prompt = (
  requestId: string,
  promptType: string,
  data: Record<string, unknown> = {},
  parts: Partial<ChatFrame> = {},
) => frame('AGENT_PROMPT', requestId, { data: { promptType, ...data }, ...parts });
const user = (requestId: string, content = 'hello') => frame('USER_MESSAGE', requestId, { content });
const stream = (requestId: string, content: string) => frame('AGENT_STREAM', requestId, { content });
const calling = (requestId: string, toolCallId: string, toolName = 'read') =>
  prompt(requestId, 'TOOL_CALLING', { toolCallId, toolName, toolArgs: '{"path":"a"}', isClientTool: false });
const request = (requestId: string, toolCallId: string, isClientTool = false) =>
  frame('AGENT_TOOL_CALL_REQUEST', requestId, {
    content: 'read',
    data: { toolCallId, toolName: 'read', toolArgs: '{"path":"a"}', isClientTool },
    seq: 0,
  });
const result = (requestId: string, toolCallId: string, success = true) =>
  prompt(requestId, 'TOOL_RESULT', { toolCallId, success, result: 'text', durationMs: 5 });

function folded(...frames: ChatFrame[]): ChatFold {
  const fold = new ChatFold();
  for (const one of frames) fold.take(one);
  return fold;
}

const kinds = (fold: ChatFold) => fold.items.map(({ is }) => is);
const call = (fold: ChatFold) => fold.items.find((it): it is CallItem => it.is === 'call');

describe('reading frames', () => {
  it('accepts numbers as text and missing parts, and refuses other data', () => {
    expect(readFrame('{"type":"AGENT_STREAM","timestamp":"17","seq":3}')).toEqual({
      type: 'AGENT_STREAM',
      requestId: '',
      content: '',
      data: {},
      seq: 3,
      at: 17,
    });
    for (const odd of ['', 'null', '[]', '{"type":7}', 'x', new ArrayBuffer(1)]) expect(readFrame(odd)).toBeNull();
  });
});

describe('the fold of a chat', () => {
  it('joins message, text, call with result, and text of a run', () => {
    const fold = folded(
      user('r'),
      prompt('r', 'STARTED'),
      prompt('r', 'THINKING'),
      stream('r', 'I '),
      stream('r', 'look.'),
      calling('r', 'c'),
      result('r', 'c'),
      prompt('r', 'TOOL_COMPLETE'),
      stream('r', 'Done.'),
      frame('AGENT_COMPLETE', 'r', { data: { totalTokens: 40, maxTokens: 100 } }),
      prompt('r', 'COMPLETE'),
    );
    expect(kinds(fold)).toEqual(['user', 'text', 'call', 'text']);
    expect(fold.items[1]).toMatchObject({ text: 'I look.', streaming: false });
    expect(call(fold)).toMatchObject({ phase: 'done', result: 'text', durationMs: 5 });
    expect(fold.running).toBe('');
    expect(fold.usage).toMatchObject({ used: 40, limit: 100 });
    expect(fold.lastSeq).toBe(seq);
  });

  it('replaces only changed items by new objects', () => {
    const fold = folded(user('r'), stream('r', 'a'));
    const [first, text] = fold.items;
    fold.take(stream('r', 'b'));
    expect(fold.items[0]).toBe(first);
    expect(fold.items[1]).not.toBe(text);
    expect(fold.items[1]?.key).toBe(text?.key);
  });

  it.each([
    ['before', true],
    ['after', false],
  ])('shows a call denied %s its result as denied, not failed', (_, first) => {
    const answered = prompt('r', 'TOOL_ANSWERED', { toolCallId: 'c', isAllow: false, by: 'Bo', state: 'answered' });
    const failed = result('r', 'c', false);
    const fold = folded(
      user('r'),
      calling('r', 'c'),
      ...(first ? [answered, failed] : [failed, answered]),
      prompt('r', 'COMPLETE'),
    );
    expect(call(fold)).toMatchObject({ phase: 'denied', answer: { allow: false, by: 'Bo' } });
  });

  it.each(['cancelled', 'expired'])('does not take a request that was %s for denied', (state) => {
    const fold = folded(
      user('r'),
      calling('r', 'c'),
      request('r', 'c'),
      prompt('r', 'TOOL_ANSWERED', { toolCallId: 'c', isAllow: false, by: '', state }),
    );
    expect(fold.asking).toEqual([]);
    fold.take(result('r', 'c', false));
    expect(call(fold)).toMatchObject({ phase: 'failed', answer: null });
  });

  it('marks left-out older messages', () => {
    expect(kinds(folded(prompt('', 'REPLAY_CUT', { after: 7 }, { seq: 0 }), user('r'), stream('r', 'a')))).toEqual([
      'gap',
      'user',
      'text',
    ]);
  });

  it('keeps a finished call unchanged by later answers', () => {
    const fold = folded(
      user('r'),
      calling('r', 'c'),
      result('r', 'c'),
      prompt('r', 'TOOL_ANSWERED', { toolCallId: 'c', isAllow: false, by: 'Bo' }),
    );
    expect(call(fold)?.phase).toBe('done');
  });

  it('shows an open request until it is answered anywhere', () => {
    const fold = folded(user('r'), calling('r', 'c'), request('r', 'c'));
    expect(fold.asking.map(({ callId }) => callId)).toEqual(['c']);
    fold.take(prompt('r', 'TOOL_ANSWERED', { toolCallId: 'c', isAllow: false, by: 'Bo' }));
    expect(fold.asking).toEqual([]);
    fold.take(result('r', 'c', false));
    expect(call(fold)).toMatchObject({ phase: 'denied', answer: { allow: false, by: 'Bo' } });
  });

  it('shows a repeated request once, and no finished one', () => {
    const fold = folded(user('r'), calling('r', 'c'), request('r', 'c'), request('r', 'c'));
    expect(kinds(fold)).toEqual(['user', 'call']);
    fold.take(result('r', 'c'));
    fold.take(request('r', 'c'));
    expect(fold.asking).toEqual([]);
  });

  it('separates calls of two runs with the same id', () => {
    const fold = folded(
      user('r'),
      calling('r', 'c'),
      result('r', 'c'),
      prompt('r', 'COMPLETE'),
      user('s'),
      calling('s', 'c'),
      request('s', 'c'),
    );
    expect(fold.call('r', 'c')?.phase).toBe('done');
    expect(fold.asking.map(({ requestId }) => requestId)).toEqual(['s']);
  });

  it('makes no card for a call that only shows the change of another', () => {
    const fold = folded(user('r'), calling('r', 'c'), request('r', 'c.show', true));
    expect(kinds(fold)).toEqual(['user', 'call']);
  });

  it('keeps the output of each call with it', () => {
    const fold = folded(
      user('r'),
      calling('r', 'a'),
      calling('r', 'b'),
      prompt('r', 'TERMINAL_OUTPUT_START', { toolCallId: 'a' }),
      stream('r', 'one\n'),
      prompt('r', 'TERMINAL_OUTPUT_END'),
      stream('r', 'said'),
    );
    expect(fold.call('r', 'a')?.output.text).toBe('one\n');
    expect(fold.call('r', 'b')?.output.text).toBe('');
    expect(fold.items.at(-1)).toMatchObject({ is: 'text', text: 'said' });
  });

  it('stops open items when the run is stopped', () => {
    const fold = folded(user('r'), calling('r', 'c'), request('r', 'c'), prompt('r', 'INTERRUPTED'));
    expect(call(fold)?.phase).toBe('stopped');
    expect(kinds(fold)).toEqual(['user', 'call', 'interrupted']);
    expect(fold.running).toBe('');
  });

  it('shows a message at once, then the version of the server', () => {
    const fold = new ChatFold();
    fold.sent('r', 'hello', [], false, 5);
    expect(fold.items[0]).toMatchObject({ state: 'sending' });
    fold.take(user('r'));
    expect(fold.items).toHaveLength(1);
    expect(fold.items[0]).toMatchObject({ state: 'sent' });
  });

  it('shows the reason of a refused message', () => {
    const fold = new ChatFold();
    fold.sent('r2', 'hello', [], false, 5);
    fold.take(prompt('r2', 'ERROR', { message: 'A run goes on.' }, { seq: 0 }));
    expect(fold.items[0]).toMatchObject({ state: 'failed', problem: 'A run goes on.' });
    fold.unsent('r2', '');
    expect((fold.items[0] as UserItem).problem).toBe('A run goes on.');
  });

  it('separates an error about an answer from a lost run’s end', () => {
    const late = folded(user('r'), prompt('r', 'ERROR', { message: 'answered already' }, { seq: 0 }));
    expect(late.hasNotice).toBe(true);
    expect(late.takeNotice()).toBe('answered already');
    expect(kinds(late)).toEqual(['user']);
    const lost = folded(
      user('r'),
      prompt('r', 'ERROR', { message: 'the server ended' }, { seq: 0 }),
      frame('AGENT_COMPLETE', 'r', { seq: 0 }),
      prompt('r', 'COMPLETE', {}, { seq: 0 }),
    );
    expect(kinds(lost)).toEqual(['user', 'error']);
    expect(lost.hasNotice).toBe(false);
    expect(lost.running).toBe('');
  });

  it('removes a replaced message and all later ones in any frame order', () => {
    const before = [
      user('a'),
      stream('a', 'x'),
      prompt('a', 'COMPLETE'),
      user('b'),
      stream('b', 'y'),
      prompt('b', 'COMPLETE'),
    ];
    const first = folded(...before, user('c'), prompt('c', 'REPLACED', { replaces: 'b' }));
    expect(first.items.map(({ requestId }) => requestId)).toEqual(['a', 'a', 'c']);
    const second = folded(...before, prompt('c', 'REPLACED', { replaces: 'a' }), user('c'));
    expect(second.items.map(({ requestId }) => requestId)).toEqual(['c']);
    expect(folded(...before, prompt('c', 'REPLACED', { replaces: 'nothing' })).items).toHaveLength(4);
  });

  it('ends a turn with a question, and puts the result of its call to the call', () => {
    const asked = [
      user('a'),
      prompt('a', 'STARTED'),
      calling('a', 'c', 'ask_question'),
      prompt('a', 'AGENT_MESSAGE_BLOCK', { message: 'Which colour?' }),
      prompt('a', 'COMPLETE', { waits: true }),
    ];
    expect(folded(...asked).running).toBe('');
    expect(call(folded(...asked))?.phase).toBe('running');
    const answered = folded(
      ...asked,
      user('b', 'Blue'),
      prompt('b', 'STARTED'),
      result('b', 'c'),
      prompt('b', 'COMPLETE'),
    );
    expect(kinds(answered)).toEqual(['user', 'call', 'block', 'user']);
    expect(call(answered)?.phase).toBe('done');
  });

  it('is empty after a clear', () => {
    expect(
      kinds(folded(user('a'), stream('a', 'x'), user('b', '/clear'), prompt('b', 'CLEAR'), prompt('b', 'COMPLETE'))),
    ).toEqual([]);
  });

  it('keeps one to-do list per run, and recognizes a summary', () => {
    const todo = (status: string) =>
      prompt('r', 'TODO_WRITE', { message: JSON.stringify([{ content: 'one', status }, 'odd']) });
    const fold = folded(
      user('r'),
      todo('pending'),
      todo('completed'),
      prompt('r', 'SUMMARY'),
      prompt('r', 'AGENT_MESSAGE_BLOCK', { message: 'short' }),
      prompt('r', 'AGENT_MESSAGE_BLOCK', { message: 'help' }),
    );
    expect(kinds(fold)).toEqual(['user', 'todo', 'block', 'block']);
    expect(fold.items[1]).toMatchObject({
      todos: [
        { content: 'one', status: 'completed' },
        { content: '', status: 'pending' },
      ],
    });
    expect(fold.items.slice(2)).toMatchObject([{ summary: true }, { summary: false }]);
  });

  it('survives any frame content', () => {
    const fold = new ChatFold();
    const odd = [
      {},
      { promptType: 7 },
      { promptType: 'TOOL_RESULT' },
      { promptType: 'TODO_WRITE', message: '{' },
      { promptType: 'STATUS_UPDATE', message: '[]' },
      { promptType: 'REPLACED' },
    ];
    for (const data of odd) fold.take(frame('AGENT_PROMPT', '', { data }));
    for (const type of ['AGENT_TOOL_CALL_REQUEST', 'AGENT_COMPLETE', 'AGENT_STREAM', 'FUTURE'])
      fold.take(frame(type, ''));
    expect(fold.running).toBe('');
  });

  it('folds 60,000 frames within a second', () => {
    const fold = new ChatFold();
    const began = performance.now();
    for (let run = 0; run < 3_000; run += 1) {
      fold.take(user(`r${run}`));
      for (let part = 0; part < 17; part += 1) fold.take(stream(`r${run}`, 'some words '));
      fold.take(calling(`r${run}`, `c${run}`));
      fold.take(prompt(`r${run}`, 'COMPLETE'));
    }
    expect(fold.items).toHaveLength(9_000);
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});
