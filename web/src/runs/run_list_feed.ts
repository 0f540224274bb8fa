// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { Feed, type FeedTools, type LineState, Refused } from '@/wire/feed';
import { asObject, asText, parsedJson } from '@/wire/json';
import { SseParser } from '@/wire/sse';
import { readRun, type Run } from './run';

export interface RunListFeedOptions {
  url: string;
  token: string;
  // A run started, changed its state, or ended.
  onRun: (run: Run) => void;
  // A session was deleted, with all its runs.
  onRemoved: (session: string) => void;
  // After each change to live, earlier changes must be read from the list.
  onState: (state: LineState) => void;
  tools?: Partial<FeedTools>;
}

// Reads changes of the list of runs live. Changes while it is not connected are not delivered later.
export class RunListFeed extends Feed {
  constructor(private readonly options: RunListFeedOptions) {
    super(options.onState, options.tools);
  }

  protected async read(request: AbortController): Promise<boolean> {
    const headers = { Authorization: `Bearer ${this.options.token}`, Accept: 'text/event-stream' };
    const response = await this.ask(this.options.url, headers, request);
    if (!response.ok) throw new Refused(response.status);
    // An older server answers with a page instead of a stream; this feed then polls.
    const streams = response.headers.get('Content-Type')?.includes('text/event-stream') === true;
    const parser = new SseParser();
    await this.readBody(response, request, (text) => {
      if (!streams) return false;
      this.attempt = 0;
      for (const { data, event } of parser.push(text)) this.take(event, parsedJson(data));
      return false;
    });
    return false;
  }

  private take(event: string, value: unknown): void {
    if (event === 'end' && asText(asObject(value)['reason']) === 'token_revoked') throw new Refused(401);
    const run = event === 'message' ? readRun(value) : null;
    if (run) this.options.onRun(run);
    const removed = event === 'removed' ? asText(asObject(value)['session_id']) : '';
    if (removed !== '') this.options.onRemoved(removed);
  }
}
