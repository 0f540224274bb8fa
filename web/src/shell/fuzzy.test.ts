// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { fuzzy, type Rankable, ranked } from './fuzzy';

const entry = (title: string, hint = '', aliases = ''): Rankable => ({ id: title, title, hint, aliases });
const titles = (query: string, all: string[], recent: string[] = []) =>
  ranked(
    query,
    all.map((title) => entry(title)),
    recent,
    10,
  ).map(({ entry: { title } }) => title);

describe('fuzzy', () => {
  it('fits letters in their order only', () => {
    expect(fuzzy('stgs', 'Settings')?.at).toEqual([0, 2, 6, 7]);
    expect(fuzzy('sgnitt', 'Settings')).toBeNull();
    expect(fuzzy('settingss', 'Settings')).toBeNull();
  });

  it('prefers letters side by side and at the start of words', () => {
    expect(fuzzy('day', 'delays of a day')?.at).toEqual([12, 13, 14]);
    expect(fuzzy('rp', 'Harp: run plan')?.at).toEqual([6, 10]);
  });

  it('fits words in any order', () => {
    expect(fuzzy('shop deploy', 'Deploy the shop')).not.toBeNull();
    expect(fuzzy('shop xylophone', 'Deploy the shop')).toBeNull();
  });

  it('fits Chinese by any of its characters in order', () => {
    expect(fuzzy('部署商店', '今天部署新的商店吗')?.at).toEqual([2, 3, 6, 7]);
    expect(fuzzy('商部', '今天部署新的商店吗')).toBeNull();
  });

  it('ignores case and width', () => {
    expect(fuzzy('ＲＵＮ', 'runs')?.at).toEqual([0, 1, 2]);
    expect(fuzzy('run', 'ＲＵＮＳ')?.at).toEqual([0, 1, 2]);
  });

  it('counts code points, not halves of them', () => {
    expect(fuzzy('b', '😀b')?.at).toEqual([1]);
  });

  it('fits everything if the query is empty', () => {
    expect(fuzzy('  ', 'x')).toEqual({ score: 0, at: [] });
  });
});

describe('ranked', () => {
  it('has the best fit first', () => {
    expect(titles('run', ['a grunting boar', 'Runs', 'x ryuyn'])).toEqual(['Runs', 'a grunting boar', 'x ryuyn']);
  });

  it('lifts what was opened lately', () => {
    expect(titles('note', ['notes of May', 'notes of June'], ['notes of June'])).toEqual([
      'notes of June',
      'notes of May',
    ]);
  });

  it('finds by aliases and hints, below titles', () => {
    const all = [entry('Inbox', '', 'questions'), entry('Plan', 'questions'), entry('Questions')];
    expect(ranked('questions', all, [], 10).map(({ entry: { title } }) => title)).toEqual([
      'Questions',
      'Inbox',
      'Plan',
    ]);
  });

  it('finds words that are spread over title and hint', () => {
    expect(ranked('coder shop', [entry('Coder', 'shop')], [], 10)).toHaveLength(1);
  });

  it('keeps to its limit', () => {
    expect(
      ranked(
        'a',
        Array.from({ length: 50 }, (_, at) => entry(`a${at}`)),
        [],
        10,
      ),
    ).toHaveLength(10);
  });
});
