// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import type { Entry, EntryKind } from './replay';
import { labelled, marksOf, rowsInSight, ticksOf, timeAtX } from './timeline';

function entry(index: number, kind: EntryKind): Entry {
  const what: Entry['what'] =
    kind === 'stage' ? { is: 'stage', stage: `s${index}`, title: '' } : { is: 'said', text: '' };
  return { index, at: 0, kind, what };
}

describe('marks', () => {
  it('stand at their record', () => {
    const marks = marksOf(
      [entry(0, 'agent'), entry(50, 'participant'), entry(100, 'stage')],
      (index) => index,
      100,
      300,
    );
    expect(marks.map((mark) => [mark.kind, mark.x])).toEqual([
      ['agent', 0],
      ['participant', 150],
      ['stage', 300],
    ]);
  });

  it('of one kind and place are joined, with number and first record', () => {
    const near = [entry(10, 'agent'), entry(11, 'agent'), entry(11, 'refused')];
    const marks = marksOf(near, (index) => index, 10_000, 300);
    expect(marks.map(({ kind, count, index }) => ({ kind, count, index }))).toEqual([
      { kind: 'agent', count: 2, index: 10 },
      { kind: 'refused', count: 1, index: 11 },
    ]);
  });

  it('are bounded by the width, not by the number of entries', () => {
    const many = Array.from({ length: 100_000 }, (_, index) => entry(index, index % 2 ? 'agent' : 'participant'));
    expect(marksOf(many, (index) => index, 100_000, 600).length).toBeLessThanOrEqual(400);
  });

  it('of a study without length stand at its beginning', () => {
    expect(marksOf([entry(0, 'agent')], () => 0, 0, 300)[0]?.x).toBe(0);
  });

  it('of stages are named if there is room', () => {
    const marks = marksOf(
      [0, 1, 40, 99].map((index) => entry(index, 'stage')),
      (index) => index,
      100,
      300,
    );
    expect(labelled(marks, 300, 50).map((mark) => mark.stage)).toEqual(['s0', 's40']);
  });
});

describe('places', () => {
  it('of the pointer are times within the study', () => {
    expect([-5, 0, 150, 300, 900].map((x) => timeAtX(x, 300, 1000))).toEqual([0, 0, 500, 1000, 1000]);
    expect(timeAtX(10, 0, 1000)).toBe(0);
  });

  it('of ticks are round and keep their distance', () => {
    expect(ticksOf(65_000, 650, 80)).toEqual([10_000, 20_000, 30_000, 40_000, 50_000, 60_000]);
    expect(ticksOf(0, 650, 80)).toEqual([]);
    expect(ticksOf(1e9, 300, 80).length).toBeLessThan(5);
  });
});

describe('rows in sight', () => {
  it('are few for any length of the list', () => {
    expect(rowsInSight(0, 500, 50, 100_000, 2)).toEqual({ from: 0, to: 12 });
    expect(rowsInSight(5000, 500, 50, 100_000, 2)).toEqual({ from: 98, to: 112 });
    expect(rowsInSight(0, 500, 50, 3, 2)).toEqual({ from: 0, to: 3 });
    expect(rowsInSight(9000, 500, 50, 0, 2)).toEqual({ from: 0, to: 0 });
  });
});
