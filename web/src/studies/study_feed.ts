// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { Feed, type FeedTools, type LineState, Refused } from '@/wire/feed';
import { asNumber, asObject, asText, parsedJson } from '@/wire/json';
import { SseParser, type SseMessage } from '@/wire/sse';
import { type RawRecord, readEvent, readRecordPage } from './record';

export type FeedState = { phase: 'loading'; loaded: number; total: number } | LineState;

export interface FeedOptions {
  url: string; // of the session's events
  token: string;
  follow: boolean; // continue with live records, for an open study
  onRecords: (records: RawRecord[]) => void;
  // All records so far are void: the history was reset, or a part of it is gone.
  onRestart: (reason: string) => void;
  onState: (state: FeedState) => void;
  tools?: FeedTools;
}

const kPage = 500;

// Reads the records of a study: stored pages first, then, with `follow`, live records. After a loss of the
// connection it resumes behind the last record; no record is lost or repeated.
export class StudyFeed extends Feed {
  private epoch = '';
  private seq = 0;

  constructor(private readonly options: FeedOptions) {
    super(options.onState, options.tools);
  }

  protected async read(request: AbortController): Promise<boolean> {
    await this.readPages(request);
    return !this.options.follow || (await this.readStream(request));
  }

  private place(): string {
    return this.epoch === '' ? String(this.seq) : `${this.epoch}:${this.seq}`;
  }

  private async readPages(request: AbortController): Promise<void> {
    for (let more = true; more && !this.stopped;) {
      const query = new URLSearchParams({ limit: String(kPage) });
      if (this.seq > 0) query.set('after', this.place());
      const response = await this.get(`?${query.toString()}`, 'application/json', {}, request);
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

  // True: complete. False: the connection was lost and can be resumed.
  private async readStream(request: AbortController): Promise<boolean> {
    if (this.stopped) return true;
    const headers: Record<string, string> = this.epoch === '' ? {} : { 'Last-Event-ID': this.place() };
    const query = this.epoch === '' ? `?after=${this.seq}` : '';
    const response = await this.get(query, 'text/event-stream', headers, request);
    const parser = new SseParser();
    let end: boolean | null = null;
    await this.readBody(response, request, (text) => {
      this.attempt = 0;
      end = this.takeMessages(parser.push(text));
      return end !== null;
    });
    return end ?? false;
  }

  private takeMessages(messages: SseMessage[]): boolean | null {
    const records: RawRecord[] = [];
    const flush = () => {
      if (records.length > 0) this.options.onRecords(records.splice(0));
    };
    for (const { data, event } of messages) {
      const value = parsedJson(data);
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
    request: AbortController,
  ): Promise<Response> {
    const all = { Authorization: `Bearer ${this.options.token}`, Accept: accept, ...headers };
    const response = await this.ask(this.options.url + query, all, request);
    if (!response.ok && response.status !== 410) throw new Refused(response.status);
    return response;
  }
}
