// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { SearchReader } from './http_search';
import type { SearchPage, SearchQuery, SearchResult } from './search';

// A search for tests: finds the results whose title contains the text. Each page waits for release() if `held`.
export class FakeSearch implements SearchReader {
  asked: { query: SearchQuery; before: string }[] = [];
  failure: Error | null = null;
  held = false;
  perPage = 2;
  private release_: (() => void)[] = [];

  constructor(readonly all: SearchResult[]) {}

  async page(query: SearchQuery, before: string, signal: AbortSignal): Promise<SearchPage> {
    this.asked.push({ query, before });
    if (this.held) await new Promise<void>((resolve) => this.release_.push(resolve));
    if (signal.aborted) throw new DOMException('aborted', 'AbortError');
    if (this.failure) throw this.failure;
    const found = this.all.filter(
      ({ kind, title }) => title.includes(query.text) && (query.kinds.length === 0 || query.kinds.includes(kind)),
    );
    const start = before === '' ? 0 : Number(before);
    const end = start + this.perPage;
    return { results: found.slice(start, end), next: end < found.length ? String(end) : null };
  }

  release(): void {
    this.held = false;
    this.release_.forEach((resolve) => {
      resolve();
    });
  }
}
