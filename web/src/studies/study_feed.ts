// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { asNumber, asObject, asText } from './json';
import { type RawRecord, readEvent, readRecordPage } from './record';
import { SseParser, type SseMessage } from './sse';

export type FeedState =
  | { phase: 'loading'; loaded: number; total: number }
  | { phase: 'live' }
  | { phase: 'complete' } // everything is here, and nothing more comes
  | { phase: 'waiting'; retryAt: number; attempt: number } // Unix ms
  | { phase: 'failed'; reason: 'signedOut' | 'notFound' | 'refused'; status: number }
  | { phase: 'stopped' };

export interface FeedTools {
  fetch: typeof fetch;
  now: () => number;
  after: (ms: number, act: () => void) => () => void; // gives what cancels it
}

export interface FeedOptions {
  url: string; // of the session's events
  token: string;
  follow: boolean; // an open study: go on with what happens
  onRecords: (records: RawRecord[]) => void;
  // What was given so far is void: history began anew, or a part of it is gone.
  onRestart: (reason: string) => void;
  onState: (state: FeedState) => void;
  tools?: FeedTools;
}

const kPage = 500;
const kFirstRetryMs = 500;
const kLastRetryMs = 15_000;
// The server sends a sign of life every 15 s.
const kSilenceMs = 45_000;

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

// Reads the records of a study: first pages of what is stored, then, if asked, each one as it
// happens. After a cut it goes on from the last record that it gave; none is lost or repeated.
export class StudyFeed {
  private readonly tools: FeedTools;
  private epoch = '';
  private seq = 0;
  private attempt = 0;
  private stopped = true;
  private request: AbortController | null = null;
  private cancelTimer: () => void = () => undefined;

  constructor(private readonly options: FeedOptions) {
    this.tools = options.tools ?? kBrowserTools;
  }

  start(): void {
    this.stopped = false;
    void this.run();
  }

  stop(): void {
    this.stopped = true;
    this.cancelTimer();
    this.request?.abort();
    this.options.onState({ phase: 'stopped' });
  }

  // While it waits to try again: do so at once.
  retryNow(): void {
    if (this.stopped || this.request !== null) return;
    this.cancelTimer();
    void this.run();
  }

  private async run(): Promise<void> {
    const request = new AbortController();
    this.request = request;
    try {
      await this.readPages(request.signal);
      const ended = !this.options.follow || (await this.readStream(request));
      if (this.stopped) return;
      this.request = null;
      if (ended) this.options.onState({ phase: 'complete' });
      else this.tryLater();
    } catch (error) {
      this.request = null;
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
    const retryAt = this.tools.now() + wait;
    this.options.onState({ phase: 'waiting', retryAt, attempt: this.attempt });
    this.cancelTimer = this.tools.after(wait, () => void this.run());
  }

  private place(): string {
    return this.epoch === '' ? String(this.seq) : `${this.epoch}:${this.seq}`;
  }

  private async readPages(signal: AbortSignal): Promise<void> {
    for (let more = true; more && !this.stopped; ) {
      const query = new URLSearchParams({ limit: String(kPage) });
      if (this.seq > 0) query.set('after', this.place());
      const response = await this.get(`?${query.toString()}`, 'application/json', {}, signal);
      if (response.status === 410) {
        const gap = asObject(await response.json());
        if (!this.stopped) this.restart(gap);
        continue;
      }
      const page = readRecordPage(await response.json());
      if (this.stopped) return;
      this.epoch = page.epoch;
      if (this.seq === 0 && page.firstSeq > 1) this.seq = page.firstSeq - 1;
      this.seq = Math.max(this.seq, page.readTo);
      if (page.readTo > 0) this.attempt = 0;
      if (page.records.length > 0) this.options.onRecords(page.records);
      more = page.more && page.readTo > 0;
      this.options.onState({ phase: 'loading', loaded: this.seq, total: Math.max(this.seq, page.lastSeq) });
    }
  }

  private restart(gap: Record<string, unknown>): void {
    this.epoch = asText(gap['epoch']);
    this.seq = Math.max(0, (asNumber(gap['first_seq']) ?? 1) - 1);
    this.options.onRestart(asText(gap['reason']));
  }

  // True: nothing more comes. False: the line was cut and can be taken up again.
  private async readStream(request: AbortController): Promise<boolean> {
    if (this.stopped) return true;
    const headers: Record<string, string> = this.epoch === '' ? {} : { 'Last-Event-ID': this.place() };
    const query = this.epoch === '' ? `?after=${this.seq}` : '';
    const response = await this.get(query, 'text/event-stream', headers, request.signal);
    const reader = response.body?.getReader();
    if (!reader || this.stopped) return false;
    this.options.onState({ phase: 'live' });
    const parser = new SseParser();
    const decoder = new TextDecoder();
    for (;;) {
      this.cancelTimer = this.tools.after(kSilenceMs, () => {
        request.abort();
      });
      const { done, value } = await reader.read();
      this.cancelTimer();
      if (done || this.stopped) return false;
      this.attempt = 0;
      const end = this.takeMessages(parser.push(decoder.decode(value, { stream: true })));
      if (end !== null) return end;
    }
  }

  private takeMessages(messages: SseMessage[]): boolean | null {
    const records: RawRecord[] = [];
    const flush = () => {
      if (records.length > 0) this.options.onRecords(records.splice(0));
    };
    for (const { data, event } of messages) {
      const value = parsed(data);
      if (event === 'message') {
        const seq = asNumber(asObject(value)['seq']) ?? 0;
        if (seq <= this.seq) continue;
        this.seq = seq;
        const record = readEvent(value);
        if (record) records.push(record);
      } else if (event === 'gap') {
        flush();
        this.restart(asObject(value));
      } else if (event === 'end') {
        flush();
        const reason = asText(asObject(value)['reason']);
        if (reason === 'token_revoked') throw new Refused(401);
        return reason === 'complete';
      }
    }
    flush();
    return null;
  }

  private async get(
    query: string,
    accept: string,
    headers: Record<string, string>,
    signal: AbortSignal,
  ): Promise<Response> {
    const response = await this.tools.fetch(this.options.url + query, {
      headers: { Authorization: `Bearer ${this.options.token}`, Accept: accept, ...headers },
      cache: 'no-store',
      signal,
    });
    if (!response.ok && response.status !== 410) throw new Refused(response.status);
    return response;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
