// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { folded, foldedFixture, frameOf } from './fixtures/fixture';
import { rowAt, rowPlaces, rowsToDraw } from './row_places';
import { fittingRuns, kNoRunFilter, readRun, type Run, withPage } from './run';
import { timeSpans, timeSums, tokenBars, totalUse } from './usage';

describe('the usage of a run', () => {
  const { items, usage } = foldedFixture('react');

  it('adds up tokens, and shows calls in a bounded number of bars', () => {
    const total = totalUse(usage);
    expect(total.total).toBe(total.prompt + total.completion);
    expect(tokenBars(usage, 10)).toHaveLength(3);
    const many = Array.from({ length: 1003 }, (_, frame) => ({
      frame,
      item: '',
      node: 'think',
      at: null,
      prompt: 2,
      completion: 1,
      total: 3,
    }));
    const bars = tokenBars(many, 48);
    expect(bars.length).toBeLessThanOrEqual(48);
    expect(totalUse(bars)).toEqual(totalUse(many));
    expect(bars.at(-1)?.to).toBe(1003);
  });

  it('adds up times of nodes and tools, longest first', () => {
    const sums = timeSums(items);
    expect(sums.map(({ ms }) => ms)).toEqual(sums.map(({ ms }) => ms).sort((a, b) => b - a));
    expect(sums.find(({ name }) => name === 'think')?.count).toBe(3);
    expect(sums.find(({ is, name }) => is === 'tool' && name === 'read')?.count).toBe(2);
  });

  it('shows the times in lanes without overlaps, steps above tasks above tools', () => {
    const { items: all, lastAt } = foldedFixture('got');
    const spans = timeSpans(all, lastAt);
    expect(spans.length).toBeGreaterThan(8);
    for (const a of spans) {
      for (const b of spans)
        if (a !== b && a.lane === b.lane)
          expect(a.to <= b.from || b.to <= a.from, `${a.name} and ${b.name}`).toBe(true);
    }
    const lanes = (is: string) => spans.filter((span) => span.is === is).map(({ lane }) => lane);
    expect(Math.max(...lanes('node'))).toBeLessThan(Math.min(...lanes('task')));
    expect(Math.max(...lanes('task'))).toBeLessThan(Math.min(...lanes('tool')));
    const inOneLane = timeSpans(foldedFixture('react').items, null).filter(({ is }) => is === 'node');
    expect(
      new Set(inOneLane.map(({ lane }) => lane)).size,
      'steps one after the other need one lane, though some take no time',
    ).toBe(1);
    expect(new Set(lanes('task')).size, 'tasks ran side by side').toBeGreaterThan(1);
  });

  it('extends active items up to now, and shows only the longest', () => {
    const at = (ms: number) => new Date(ms).toISOString();
    const open = folded([
      frameOf({ type: 'run_start', run_id: 'r', at: at(1000) }),
      frameOf({ type: 'node_enter', id: 'think', at: at(2000) }),
      frameOf({ type: 'message_chunk', content: 'x', id: 'think', at: at(7000) }),
    ]);
    expect(timeSpans(open.items, open.lastAt)).toMatchObject([{ name: 'think', from: 2000, to: 7000, lane: 0 }]);
    const many = Array.from({ length: 1000 }, (_, number) => ({
      ...open.items[1],
      key: `${number}`,
      at: number * 1000,
      endAt: number * 1000 + number,
      state: 'done',
    })) as typeof open.items;
    expect(Math.min(...timeSpans(many, null).map(({ from, to }) => to - from))).toBe(600);
  });

  it('has no times for a stream without times', () => {
    expect(timeSums(foldedFixture('react_export').items).filter(({ is }) => is === 'tool')).toEqual([]);
  });
});

describe('rows of different heights', () => {
  it('finds the row at a height, and draws visible rows', () => {
    const places = rowPlaces([10, 20, 30, 40]);
    expect(places).toEqual([0, 10, 30, 60, 100]);
    expect([-5, 0, 9, 10, 59, 60, 500].map((y) => rowAt(places, y))).toEqual([0, 0, 0, 1, 2, 3, 3]);
    expect(rowsToDraw(places, 30, 20, 0)).toEqual({ from: 2, to: 3 });
    expect(rowsToDraw(rowPlaces([]), 0, 100, 10)).toEqual({ from: 0, to: 0 });
  });
});

describe('the list of runs', () => {
  const run = (id: string, parts: Record<string, unknown> = {}): Run => {
    const made = readRun({
      id,
      started_at: 1000,
      state: 'finished',
      agent: 'react',
      message: 'Fix the till',
      ...parts,
    });
    if (!made) throw new Error('no run');
    return made;
  };

  it('reads times as text or number, and drops other data', () => {
    expect(run('a', { started_at: '2026-03-02T09:00:00Z' }).startedAt).toBe(Date.UTC(2026, 2, 2, 9));
    expect(run('a', { ended_at: null }).endedAt).toBeNull();
    expect(run('a', { usage: { prompt_tokens: 2, completion_tokens: 3 } }).usage?.total).toBe(5);
    expect(readRun({ state: 'running' })).toBeNull();
  });

  it('keeps runs newest first over all pages, each once', () => {
    const list = withPage(
      [run('a', { started_at: 1 }), run('b', { started_at: 2 })],
      [run('b', { started_at: 2, state: 'failed' }), run('c', { started_at: 3 })],
    );
    expect(list.map(({ id, state }) => `${id} ${state}`)).toEqual(['c finished', 'b failed', 'a finished']);
  });

  it('filters by words, state and agent', () => {
    const list = [run('a'), run('b', { state: 'waiting', agent: 'tot' }), run('c', { message: 'Write a poem' })];
    const ids = (filter: Partial<typeof kNoRunFilter>) =>
      fittingRuns(list, { ...kNoRunFilter, ...filter }).map(({ id }) => id);
    expect(ids({})).toEqual(['a', 'b', 'c']);
    expect(ids({ text: 'TILL fix' })).toEqual(['a', 'b']);
    expect(ids({ state: 'live' })).toEqual(['b']);
    expect(ids({ agent: 'react', text: 'poem' })).toEqual(['c']);
  });
});
