// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { LineCutter } from '@/studies/log_file';
import { SseParser } from '@/studies/sse';
import type { FeedTools } from '@/studies/study_feed';
import { parseLine } from './parse';
import type { Frame } from './run_event';

export type RunFeedState =
  | { phase: 'loading' }
  | { phase: 'live' }
  | { phase: 'complete' } // the run has ended, and all of it is here
  | { phase: 'waiting'; retryAt: number; attempt: number } // Unix ms
  | { phase: 'failed'; reason: 'signedOut' | 'notFound' | 'refused'; status: number }
  | { phase: 'stopped' };

export interface RunFeedOptions {
  url: string; // of the run's events
  token: string;
  onFrames: (frames: Frame[]) => void;
  onState: (state: RunFeedState) => void;
  // Whether the run goes on; asked when its stream ends without a reply.
  isLive: () => Promise<boolean>;
  tools?: FeedTools;
}

const kFirstRetryMs = 500;
const kLastRetryMs = 15_000;
const kSilenceMs = 45_000; // the server sends a sign of life every 15 s

const kBrowserTools: FeedTools = {
  fetch: (input, init) => fetch(input, init),
  now: () => Date.now(),
  after(ms, act) {
    const timer = setTimeout(act, ms);
    return () => {
      clearTimeout(timer);
    };
  },
};

class Refused extends Error {
  constructor(readonly status: number) {
    super(`the server answered ${status}`);
  }
}

// Reads the frames of a run as they happen. After a cut it goes on behind the last frame that it gave;
// none is lost or given twice.
export class RunFeed {
  private readonly tools: FeedTools;
  private last = -1; // event_id
  private replied = false;
  private attempt = 0;
  private stopped = true;
  private request: AbortController | null = null;
  private cancelTimer: () => void = () => undefined;

  constructor(private readonly options: RunFeedOptions) {
    this.tools = options.tools ?? kBrowserTools;
  }

  start(): void {
    this.stopped = false;
    this.options.onState({ phase: 'loading' });
    void this.run();
  }

  stop(): void {
    this.stopped = true;
    this.cancelTimer();
    this.request?.abort();
    this.options.onState({ phase: 'stopped' });
  }

  // While it waits, or after the end of a run that was taken up again.
  retryNow(): void {
    if (this.stopped || this.request !== null) return;
    this.cancelTimer();
    void this.run();
  }

  private async run(): Promise<void> {
    const request = new AbortController();
    this.request = request;
    this.replied = false;
    try {
      await this.read(request);
      const over = !this.stopped && (this.replied || !(await this.options.isLive()));
      this.request = null;
      if (this.stopped) return;
      if (over) this.options.onState({ phase: 'complete' });
      else this.tryLater();
    } catch (error) {
      this.request = null;
      this.cancelTimer();
      if (!this.stopped) this.failed(error);
    }
  }

  private failed(error: unknown): void {
    const status = error instanceof Refused ? error.status : 0;
    const final = status >= 400 && status < 500 && status !== 408 && status !== 429;
    if (!final) return this.tryLater();
    const reason = status === 401 || status === 403 ? 'signedOut' : status === 404 ? 'notFound' : 'refused';
    this.options.onState({ phase: 'failed', reason, status });
  }

  private tryLater(): void {
    const wait = Math.min(kLastRetryMs, kFirstRetryMs * 2 ** this.attempt);
    this.attempt += 1;
    this.options.onState({ phase: 'waiting', retryAt: this.tools.now() + wait, attempt: this.attempt });
    this.cancelTimer = this.tools.after(wait, () => void this.run());
  }

  private async read(request: AbortController): Promise<void> {
    const query = new URLSearchParams({ times: 'true' });
    const headers: Record<string, string> = {
      Authorization: `Bearer ${this.options.token}`,
      Accept: 'text/event-stream, application/x-ndjson;q=0.5',
    };
    if (this.last >= 0) {
      query.set('after', String(this.last));
      headers['Last-Event-ID'] = String(this.last);
    }
    const response = await this.tools.fetch(`${this.options.url}?${query.toString()}`, { headers, cache: 'no-store', signal: request.signal });
    if (!response.ok) throw new Refused(response.status);
    const reader = response.body?.getReader();
    if (!reader || this.stopped) return;
    this.options.onState({ phase: 'live' });
    const lines = linesOf(response.headers.get('Content-Type') ?? '');
    const decoder = new TextDecoder();
    for (;;) {
      this.cancelTimer = this.tools.after(kSilenceMs, () => {
        request.abort();
      });
      const { done, value } = await reader.read();
      this.cancelTimer();
      if (this.stopped) return;
      this.give(done ? lines.end() : lines.push(decoder.decode(value, { stream: true })));
      if (done) return;
    }
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
