// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { type CompletionQuery, completionQueryAt, withCompletion } from './completion_query';

const path = (start: number, text: string): CompletionQuery => ({ mark: '@', start, text });

describe('completionQueryAt', () => {
  it('finds the path that ends at the caret', () => {
    expect(completionQueryAt('See @src/a', 10)).toEqual(path(4, 'src/a'));
    expect(completionQueryAt('@', 1)).toEqual(path(0, ''));
    expect(completionQueryAt('看，@文件', 5)).toEqual(path(2, '文件'));
    expect(completionQueryAt('See @src/a and', 10)).toEqual(path(4, 'src/a'));
  });

  it('finds a command', () => {
    expect(completionQueryAt('/', 1)).toEqual({ mark: '/', start: 0, text: '' });
    expect(completionQueryAt('Then /git:com', 13)).toEqual({ mark: '/', start: 5, text: 'git:com' });
  });

  it('finds none in a mail address, a path, after a space, or in a very long word', () => {
    expect(completionQueryAt('ann@example.org', 15)).toBeNull();
    expect(completionQueryAt('See @src/a ', 11)).toBeNull();
    expect(completionQueryAt(`@${'x'.repeat(201)}`, 202)).toBeNull();
    expect(completionQueryAt('no path', 7)).toBeNull();
    expect(completionQueryAt('and/or', 6)).toBeNull();
    expect(completionQueryAt('/usr/bin', 8)).toBeNull();
  });
});

describe('withCompletion', () => {
  it('puts words and a space in place of the query', () => {
    const query = path(4, 'ans');
    expect(withCompletion('See @ans', query, '@src/answer.ts', false)).toEqual({
      text: 'See @src/answer.ts ',
      caret: 19,
    });
    expect(withCompletion('See @ans, please', query, '@a.ts', false)).toEqual({
      text: 'See @a.ts , please',
      caret: 10,
    });
    expect(withCompletion('See @ans now', query, '@a.ts', false)).toEqual({ text: 'See @a.ts now', caret: 10 });
  });

  it('keeps a folder open', () => {
    expect(withCompletion('@s', path(0, 's'), '@src/', true)).toEqual({ text: '@src/', caret: 5 });
  });
});
