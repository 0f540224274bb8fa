// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { foldedFixture, seeded } from './fixtures/fixture';
import { diffJson, sameJson } from './json_diff';
import { foldState, StateHistory } from './state_history';

const tell = (history: StateHistory, state: unknown) => {
  history.close();
  history.tell(state, { frame: 0, node: '', nodeId: '', checkpointId: '', step: null, next: '', at: null });
};

describe('states', () => {
  it('takes members as they are, and extends the messages from log_from', () => {
    const first = foldState({ state: null, missing: 0 }, { messages: ['a', 'b'], turn: 1, gone: true });
    const second = foldState(first, { messages: ['c'], log_from: 2, turn: 2 });
    expect(second).toEqual({ state: { messages: ['a', 'b', 'c'], turn: 2 }, missing: 0 });
    expect(foldState(second, { messages: ['x'], log_from: 1, turn: 3 }).state).toEqual({
      messages: ['a', 'x'],
      turn: 3,
    });
    expect(foldState(second, { messages: ['whole'] }).state).toEqual({ messages: ['whole'] });
  });

  it('extends messages in the core, whatever the place of log_from', () => {
    const first = foldState({ state: null, missing: 0 }, { core: { messages: ['a'] }, tot: { depth: 0 } });
    const inner = foldState(first, { core: { messages: ['b'], log_from: 1 }, tot: { depth: 1 } });
    const outer = foldState(first, { core: { messages: ['b'] }, tot: { depth: 1 }, log_from: 1 });
    expect(inner.state).toEqual({ core: { messages: ['a', 'b'] }, tot: { depth: 1 } });
    expect(outer).toEqual(inner);
  });

  it('counts the messages before the read stream', () => {
    const first = foldState({ state: null, missing: 0 }, { messages: ['k'], log_from: 7 });
    expect(first).toEqual({ state: { messages: ['k'] }, missing: 7 });
    expect(foldState(first, { messages: ['l'], log_from: 8 })).toEqual({ state: { messages: ['k', 'l'] }, missing: 7 });
    expect(foldState(first, { messages: ['x'], log_from: 3 })).toEqual({ state: { messages: ['x'] }, missing: 3 });
  });

  it('keeps the long result of a task that was cut later', () => {
    const task = (result: string, cut: boolean) => ({
      node_states: { a: { status: 'Done', result, ...(cut ? { result_truncated: true } : {}) } },
    });
    const first = foldState({ state: null, missing: 0 }, task('a long result', false));
    expect(foldState(first, task('a lo...', true)).state).toEqual(task('a long result', false));
    expect(foldState({ state: null, missing: 0 }, task('a lo...', true)).state).toEqual(task('a lo...', true));
  });

  it('folds to the whole state at every step in any order', () => {
    const random = seeded(11);
    for (let round = 0; round < 30; round += 1) {
      const history = new StateHistory();
      const whole: unknown[] = [];
      let messages: number[] = [];
      for (let step = 0; step < 100; step += 1) {
        const cut = random() < 0.1 ? Math.floor(random() * (messages.length + 1)) : messages.length;
        const added = Array.from({ length: Math.floor(random() * 3) }, () => Math.floor(random() * 1000));
        messages = [...messages.slice(0, cut), ...added];
        tell(history, cut === 0 ? { messages, step } : { messages: added, log_from: cut, step });
        whole.push({ messages, step });
      }
      for (let ask = 0; ask < 40; ask += 1) {
        const at = Math.floor(random() * whole.length);
        expect(history.at(at)?.state).toEqual(whole[at]);
      }
    }
  });

  it('makes one step per node', () => {
    const { states } = foldedFixture('react');
    const nodes = states.steps.map(({ node }) => node);
    expect(nodes).toEqual(['think', 'act', 'observe', 'think', 'act', 'observe', 'think']);
    expect(states.steps.every(({ checkpointId }) => checkpointId !== '')).toBe(true);
    const messages = states.steps.map(
      ({ index }) => (states.at(index)?.state as { messages: unknown[] }).messages.length,
    );
    expect(messages).toEqual([3, 3, 5, 6, 6, 8, 9]);
  });
});

describe('differences', () => {
  it('names added, removed and changed members in place', () => {
    const { changes } = diffJson({ a: 1, list: [1, 2, 3], old: true }, { a: 2, list: [1, 2, 3, 4], 'new key': {} });
    expect(changes.map(({ is, path }) => [is, path])).toEqual([
      ['changed', 'a'],
      ['added', 'list[3]'],
      ['added', '["new key"]'],
      ['removed', 'old'],
    ]);
  });

  it('shows an inserted entry as one addition', () => {
    expect(diffJson([1, 2, 3], [1, 9, 2, 3]).changes).toEqual([
      { path: '[1]', is: 'added', before: undefined, after: 9 },
    ]);
  });

  it('finds none between equal values, and some between others', () => {
    const random = seeded(5);
    const make = (depth: number): unknown => {
      const pick = random();
      if (depth === 0 || pick < 0.4) return Math.floor(random() * 3);
      if (pick < 0.7) return Array.from({ length: Math.floor(random() * 4) }, () => make(depth - 1));
      return Object.fromEntries(
        Array.from({ length: Math.floor(random() * 4) }, (_, at) => [`k${at}`, make(depth - 1)]),
      );
    };
    for (let round = 0; round < 500; round += 1) {
      const [a, b] = [make(4), make(4)];
      expect(diffJson(a, JSON.parse(JSON.stringify(a))).changes).toEqual([]);
      expect(diffJson(a, b).changes.length > 0).toBe(!sameJson(a, b));
    }
  });

  it('stops listing at its limit', () => {
    const diff = diffJson(
      [],
      Array.from({ length: 5000 }, (_, at) => at),
    );
    expect(diff.changes).toHaveLength(400);
    expect(diff.more).toBe(true);
  });
});
