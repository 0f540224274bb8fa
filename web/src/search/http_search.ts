// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { readDocument } from '@/wire/plain_server';
import { readSearchPage, requestOf, type SearchPage, type SearchQuery } from './search';

export interface SearchReader {
  page: (query: SearchQuery, before: string, signal: AbortSignal) => Promise<SearchPage>;
}

const kPerPage = 20;

export class HttpSearch implements SearchReader {
  constructor(
    private readonly token: string,
    private readonly fetchIt: typeof fetch = (input, init) => fetch(input, init),
  ) {}

  // `before`: the cursor of a page; '': the first one.
  async page(query: SearchQuery, before: string, signal: AbortSignal): Promise<SearchPage> {
    return readSearchPage(
      await readDocument(`/v1/search?${requestOf(query, kPerPage, before)}`, this.token, this.fetchIt, signal),
    );
  }
}
