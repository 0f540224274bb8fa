// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { asArray, asObject, asText, asTime } from '@/wire/json';

export const kResultKinds = ['question', 'run', 'chat'] as const;
export type ResultKind = (typeof kResultKinds)[number];
export const kSearchStates = ['pending', 'answered', 'cancelled', 'expired'] as const;
export type SearchState = (typeof kSearchStates)[number];

// The text and filters of a search; the address of the search page has the same parts.
export interface SearchQuery {
  text: string;
  kinds: ResultKind[]; // empty: all
  state: SearchState | ''; // '': any
  project: string;
  agent: string;
  person: string;
  from: string; // first day, "2026-11-25", in local time; '': none
  to: string; // last day
}

export const kNoQuery: SearchQuery = {
  text: '',
  kinds: [],
  state: '',
  project: '',
  agent: '',
  person: '',
  from: '',
  to: '',
};

export interface SnippetPart {
  text: string;
  match: boolean;
}

export interface SearchResult {
  kind: ResultKind;
  session: string;
  key: string; // the request of a question, the id of a run, the code of a chat session
  title: string;
  snippet: SnippetPart[];
  state: string;
  project: string;
  agent: string;
  person: string;
  at: number; // Unix ms; 0: unknown
}

export interface SearchPage {
  results: SearchResult[];
  next: string | null; // cursor of the next page
}

function readResult(value: unknown): SearchResult | null {
  const it = asObject(value);
  const kind = kResultKinds.find((known) => known === it['kind']);
  const key = asText(it['key']);
  if (!kind || key === '') return null;
  const snippet = asArray(it['snippet'])
    .map(asObject)
    .map((part) => ({ text: asText(part['text']), match: part['match'] === true }));
  return {
    kind,
    key,
    snippet: snippet.filter(({ text }) => text !== ''),
    session: asText(it['session']),
    title: asText(it['title']),
    state: asText(it['state']),
    project: asText(it['project']),
    agent: asText(it['agent']),
    person: asText(it['person']),
    at: asTime(it['at']) ?? 0,
  };
}

export function readSearchPage(value: unknown): SearchPage {
  const it = asObject(value);
  return {
    results: asArray(it['results']).flatMap((each) => readResult(each) ?? []),
    next: asText(it['next']) || null,
  };
}

// The address of the page that shows a result.
export function pathOf({ key, kind }: SearchResult): string {
  const name = encodeURIComponent(key);
  if (kind === 'run') return `/runs/${name}`;
  return kind === 'chat' ? `/chat/${name}` : `/inbox/item/${name}`;
}

type Address = Record<string, unknown>;
const kDay = /^\d{4}-\d{2}-\d{2}$/;
const dayOf = (value: unknown) =>
  kDay.test(asText(value)) && !Number.isNaN(Date.parse(asText(value))) ? asText(value) : '';

// The query in the address of the search page; unknown values are left out.
export function queryOfAddress(address: Address): SearchQuery {
  const kinds = asText(address['kind']).split(',');
  return {
    text: asText(address['q']),
    kinds: kResultKinds.filter((kind) => kinds.includes(kind)),
    state: kSearchStates.find((state) => state === address['state']) ?? '',
    project: asText(address['project']),
    agent: asText(address['agent']),
    person: asText(address['person']),
    from: dayOf(address['from']),
    to: dayOf(address['to']),
  };
}

export function addressOfQuery({
  agent,
  from,
  kinds,
  person,
  project,
  state,
  text,
  to,
}: SearchQuery): Record<string, string> {
  const all = { q: text, kind: kinds.join(','), state, project, agent, person, from, to };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
}

export function isFiltered(query: SearchQuery): boolean {
  return Object.keys(addressOfQuery({ ...query, text: '' })).length > 0;
}

// Days are those of the person: from the beginning of the first to the end of the last.
function beginOf(day: string, plusDays: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date + plusDays).toISOString();
}

export function areDatesInOrder({ from, to }: SearchQuery): boolean {
  return from === '' || to === '' || from <= to;
}

// The query string of GET /v1/search. `before`: the cursor of a page; '': the first.
export function requestOf(query: SearchQuery, limit: number, before: string): string {
  const { q = '', ...parts } = addressOfQuery({ ...query, text: query.text.trim() });
  const wanted = new URLSearchParams({ q, ...parts, limit: String(limit) });
  if (query.from !== '') wanted.set('from', beginOf(query.from, 0));
  if (query.to !== '') wanted.set('to', beginOf(query.to, 1));
  if (before !== '') wanted.set('before', before);
  return wanted.toString();
}
