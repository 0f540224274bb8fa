// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { Feed, type FeedTools, type LineState, Refused } from '@/wire/feed';
import { asObject } from '@/wire/json';
import { LineCutter } from '@/wire/line_cutter';
import { SseParser } from '@/wire/sse';
import { sameJson } from './json_diff';
import { parseLine } from './parse';
import type { Frame } from './run_event';

export type RunFeedState = { phase: 'loading' } | LineState;

export interface RunFeedOptions {
  url: string; // of the run's events
  token: string;
  onFrames: (frames: Frame[]) => void;
  // Frames that were given are void, from this event_id on: the server ended before it had stored
  // them, and gives their numbers anew.
  onVoid: (from: number) => void;
  onState: (state: RunFeedState) => void;
  // Whether the run goes on; asked when its stream ends without a reply.
  isLive: () => Promise<boolean>;
  tools?: FeedTools;
}

// Reads the frames of a run as they happen. After a cut it goes on behind the last checkpoint: up to
// there all is stored for good. Of what comes again only that is given which is new or differs, so
// that nothing is lost or given twice, even if the server was killed.
export class RunFeed extends Feed {
  private last = -1; // event_id
  private safe = -1; // event_id of the last checkpoint
  private recent = new Map<number, Frame>(); // given since then
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
    if (this.safe >= 0) {
      query.set('after', String(this.safe));
      headers['Last-Event-ID'] = String(this.safe);
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
    let fresh: Frame[] = [];
    const tell = () => {
      if (fresh.length === 0) return;
      this.attempt = 0;
      this.options.onFrames(fresh);
      fresh = [];
    };
    for (const line of lines) {
      for (const frame of parseLine(line).frames) {
        this.replied = frame.event.type === 'reply';
        const { eventId } = frame;
        if (eventId !== null && eventId <= this.last) {
          if (this.isKnown(eventId, frame)) continue;
          tell();
          this.takeBack(eventId);
        }
        this.keep(eventId, frame);
        fresh.push(frame);
      }
    }
    tell();
  }

  private isKnown(eventId: number, frame: Frame): boolean {
    const known = this.recent.get(eventId);
    return eventId <= this.safe || (known !== undefined && sameFrame(known, frame));
  }

  private takeBack(from: number): void {
    for (const eventId of this.recent.keys()) if (eventId >= from) this.recent.delete(eventId);
    this.options.onVoid(from);
  }

  private keep(eventId: number | null, frame: Frame): void {
    if (eventId === null) return;
    this.last = eventId;
    if (frame.event.type === 'checkpoint') {
      this.safe = eventId;
      this.recent.clear();
    } else {
      this.recent.set(eventId, frame);
    }
  }
}

// What is stored later has another time than what was shown at once.
function sameFrame({ raw: a }: Frame, { raw: b }: Frame): boolean {
  return sameJson({ ...asObject(a), at: null }, { ...asObject(b), at: null });
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
