// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { HttpSearch } from './http_search';
import {
  addressOfQuery,
  areDatesInOrder,
  isFiltered,
  kNoQuery,
  pathOf,
  queryOfAddress,
  readSearchPage,
  requestOf,
  type SearchQuery,
} from './search';

const full: SearchQuery = {
  text: 'till 收银',
  kinds: ['question', 'chat'],
  state: 'answered',
  project: '/src/shop',
  agent: 'Coder',
  person: 'Ada',
  from: '2026-11-01',
  to: '2026-11-25',
};
const answered = {
  kind: 'question',
  session: 's',
  key: 'k/1',
  title: 'Till?',
  snippet: [
    { text: 'the ', match: false },
    { text: 'till', match: true },
  ],
  state: 'answered',
  project: '/src/shop',
  agent: 'Coder',
  person: 'Ada',
  at: '2026-11-25T10:00:00Z',
};

describe('query in the address', () => {
  it('comes back as it was', () => {
    expect(queryOfAddress(addressOfQuery(full))).toEqual(full);
    expect(addressOfQuery(kNoQuery)).toEqual({});
  });

  it('leaves out what is unknown', () => {
    expect(
      queryOfAddress({
        q: ['a', 'b'],
        kind: 'question,film',
        state: 'lost',
        from: 'yesterday',
        to: '2026-99-99',
        project: null,
      }),
    ).toEqual({ ...kNoQuery, kinds: ['question'] });
  });

  it('tells filters from text', () => {
    expect(isFiltered({ ...kNoQuery, text: 'a' })).toBe(false);
    expect(isFiltered({ ...kNoQuery, agent: 'a' })).toBe(true);
    expect(areDatesInOrder(full)).toBe(true);
    expect(areDatesInOrder({ ...full, to: '2026-10-31' })).toBe(false);
  });
});

describe('request', () => {
  it('has whole days of the person, and the cursor', () => {
    const asked = new URLSearchParams(requestOf(full, 20, 'next page'));
    expect(asked.get('q')).toBe('till 收银');
    expect(asked.get('kind')).toBe('question,chat');
    expect(asked.get('limit')).toBe('20');
    expect(asked.get('before')).toBe('next page');
    expect(asked.get('from')).toBe(new Date(2026, 10, 1).toISOString());
    expect(asked.get('to')).toBe(new Date(2026, 10, 26).toISOString());
  });

  it('leaves out filters that are not set', () => {
    expect(requestOf({ ...kNoQuery, text: ' a ' }, 20, '')).toBe('q=a&limit=20');
  });

  it('has the token in a header, not in the URL', async () => {
    const asked: { url: string; init: RequestInit | undefined }[] = [];
    const http = new HttpSearch('secret', (url, init) => {
      asked.push({ url: String(url), init });
      return Promise.resolve(Response.json({ results: [answered], next: null }));
    });
    const page = await http.page(full, '', new AbortController().signal);
    expect(page.results).toHaveLength(1);
    expect(asked[0]?.url).toMatch(/^\/v1\/search\?q=/);
    expect(asked[0]?.url).not.toContain('secret');
    expect(new Headers(asked[0]?.init?.headers).get('Authorization')).toBe('Bearer secret');
  });

  it('rejects with the status and the sentence of the server', async () => {
    const http = new HttpSearch('t', () =>
      Promise.resolve(Response.json({ error: { message: 'no such day' } }, { status: 400 })),
    );
    await expect(http.page(full, '', new AbortController().signal)).rejects.toMatchObject({
      status: 400,
      sentence: 'no such day',
    });
  });
});

describe('answer', () => {
  it('is read', () => {
    const page = readSearchPage({ results: [answered], next: 'c' });
    expect(page.next).toBe('c');
    expect(page.results[0]).toMatchObject({
      kind: 'question',
      key: 'k/1',
      at: Date.parse('2026-11-25T10:00:00Z'),
      snippet: [
        { text: 'the ', match: false },
        { text: 'till', match: true },
      ],
    });
  });

  it('may have anything in it', () => {
    expect(readSearchPage(null)).toEqual({ results: [], next: null });
    const page = readSearchPage({
      results: [null, 3, { kind: 'film', key: 'x' }, { kind: 'run', key: 'r', snippet: 'none', at: 'soon' }],
      next: 7,
    });
    expect(page).toMatchObject({ next: null, results: [{ kind: 'run', key: 'r', snippet: [], at: 0 }] });
  });

  it('has a page for each kind', () => {
    const [question] = readSearchPage({ results: [answered] }).results;
    if (!question) throw new Error('no result');
    expect(pathOf(question)).toBe('/inbox/item/k%2F1');
    expect(pathOf({ ...question, kind: 'run', key: 'r1' })).toBe('/runs/r1');
    expect(pathOf({ ...question, kind: 'chat', key: 'c1' })).toBe('/chat/c1');
  });
});
