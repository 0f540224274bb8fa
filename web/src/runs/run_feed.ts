// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { Feed, type FeedTools, type LineState, Refused } from '@/wire/feed';
import { LineCutter } from '@/wire/line_cutter';
import { SseParser } from '@/wire/sse';
import { parseLine } from './parse';
import type { Frame } from './run_event';

export type RunFeedState = { phase: 'loading' } | LineState;

export interface RunFeedOptions {
  url: string; // of the run's events
  token: string;
  onFrames: (frames: Frame[]) => void;
  onState: (state: RunFeedState) => void;
  // Resolves with true if the run is live. Called when the stream ends without a reply.
  isLive: () => Promise<boolean>;
  tools?: FeedTools;
}

// Reads the frames of a run live. After a loss of the connection it resumes behind the last frame; no frame is
// lost or repeated.
export class RunFeed extends Feed {
  private last = -1; // event_id
  private replied = false;

  constructor(private readonly options: RunFeedOptions) {
    super(options.onState, options.tools);
  }

  override start(): void {
    this.options.onState({ phase: 'loading' });
    super.start();
  }

  protected async read(request: AbortController): Promise<boolean> {
    this.replied = false;
    const query = new URLSearchParams({ times: 'true' });
    const headers: Record<string, string> = {
      Authorization: `Bearer ${this.options.token}`,
      Accept: 'text/event-stream, application/x-ndjson;q=0.5',
    };
    if (this.last >= 0) {
      query.set('after', String(this.last));
      headers['Last-Event-ID'] = String(this.last);
    }
    const response = await this.ask(`${this.options.url}?${query.toString()}`, headers, request);
    if (!response.ok) throw new Refused(response.status);
    const lines = linesOf(response.headers.get('Content-Type') ?? '');
    await this.readBody(response, request, (text) => {
      this.give(lines.push(text));
      return false;
    });
    if (this.stopped) return true;
    this.give(lines.end());
    return this.replied || !(await this.options.isLive());
  }

  private give(lines: readonly string[]): void {
    const fresh: Frame[] = [];
    for (const line of lines) {
      for (const frame of parseLine(line).frames) {
        if (frame.eventId !== null && frame.eventId <= this.last) continue;
        this.last = frame.eventId ?? this.last;
        this.replied = frame.event.type === 'reply';
        fresh.push(frame);
      }
    }
    if (fresh.length === 0) return;
    this.attempt = 0;
    this.options.onFrames(fresh);
  }
}

interface Lines {
  push: (text: string) => string[];
  end: () => string[];
}

function linesOf(contentType: string): Lines {
  if (!contentType.includes('text/event-stream')) return new LineCutter();
  const parser = new SseParser();
  return { push: (text) => parser.push(text).map(({ data }) => data), end: () => [] };
}
