// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// @vitest-environment jsdom
import { createPinia, setActivePinia } from 'pinia';
import { beforeEach, describe, expect, it } from 'vitest';
import { nextTick } from 'vue';
import { FakeSearch } from '@/search/fake_search';
import { kNoQuery, type SearchResult } from '@/search/search';
import { ServerError } from '@/wire/wrapped_server';
import { useAccount } from './account';
import { useSearch } from './search';

const result = (key: string, title: string): SearchResult => ({
  kind: 'question',
  session: '',
  key,
  title,
  snippet: [],
  state: 'answered',
  project: '',
  agent: '',
  person: '',
  at: 1,
});
const words = (text: string) => ({ ...kNoQuery, text });
let fake: FakeSearch;

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
  setActivePinia(createPinia());
  useAccount().use('token');
  fake = new FakeSearch([
    result('1', 'the till'),
    result('2', 'a till'),
    result('3', 'till three'),
    result('4', 'a roof'),
  ]);
  useSearch().readBy(() => fake);
});

describe('search', () => {
  it('loads page after page until the end', async () => {
    const search = useSearch();
    await search.search(words('till'));
    expect(search.results.map(({ key }) => key)).toEqual(['1', '2']);
    await search.more();
    expect(search.results.map(({ key }) => key)).toEqual(['1', '2', '3']);
    expect(search.next).toBeNull();
    await search.more();
    expect(fake.asked).toHaveLength(2);
  });

  it('shows only the results of the last query', async () => {
    const search = useSearch();
    fake.held = true;
    const first = search.search(words('roof'));
    const second = search.search(words('till'));
    fake.release();
    await Promise.all([first, second]);
    expect(search.results.map(({ key }) => key)).toEqual(['1', '2']);
  });

  it('asks nothing without text and filters, or if the dates are in disorder', async () => {
    const search = useSearch();
    await search.search(words('  '));
    expect(search.phase).toBe('idle');
    await search.search({ ...words('till'), from: '2026-02-01', to: '2026-01-01' });
    expect(search.phase).toBe('dates');
    expect(fake.asked).toEqual([]);
    await search.search({ ...words(''), kinds: ['question'] });
    expect(search.phase).toBe('ready');
  });

  it.each([
    [401, 'signedOut'],
    [404, 'absent'],
    [500, 'failed'],
    [0, 'failed'],
  ])('status %i is %s', async (status, phase) => {
    const search = useSearch();
    fake.failure = new ServerError(status, 'a sentence');
    await search.search(words('till'));
    expect(search.phase).toBe(phase);
    expect(search.reason).toBe('a sentence');
    fake.failure = null;
    await search.retry();
    expect(search.phase).toBe('ready');
  });

  it('keeps the results if the next page fails, and tries again', async () => {
    const search = useSearch();
    await search.search(words('till'));
    fake.failure = new ServerError(0, '');
    await search.more();
    expect(search.moreFailed).toBe(true);
    expect(search.results).toHaveLength(2);
    fake.failure = null;
    await search.more();
    expect(search.results).toHaveLength(3);
    expect(search.moreFailed).toBe(false);
  });

  it('forgets the results when another person signs in', async () => {
    const search = useSearch();
    await search.search(words('till'));
    useAccount().use('another');
    await nextTick();
    expect(search.results).toEqual([]);
    expect(search.phase).toBe('idle');
  });
});
