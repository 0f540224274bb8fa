// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

// State of a feed's connection.
export type LineState =
  | { phase: 'live' }
  | { phase: 'complete' } // all data received; the end
  | { phase: 'waiting'; retryAt: number; attempt: number } // Unix ms
  | { phase: 'failed'; reason: 'signedOut' | 'notFound' | 'refused'; status: number }
  | { phase: 'stopped' };

// The trouble to show to a person. The first retry, after half a second, is not shown.
export function lineTrouble(line: LineState): 'away' | 'signedOut' | null {
  if (line.phase === 'waiting') return line.attempt > 1 ? 'away' : null;
  return line.phase === 'failed' && line.reason === 'signedOut' ? 'signedOut' : null;
}

export interface FeedTools {
  fetch: typeof fetch;
  now: () => number;
  after: (ms: number, act: () => void) => () => void; // returns a function that cancels it
}

const kFirstRetryMs = 500;
const kLastRetryMs = 15_000;
const kSilenceMs = 45_000; // the server sends a keep-alive every 15 s

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

// An unsuccessful answer of the server.
export class Refused extends Error {
  constructor(readonly status: number) {
    super(`the server answered ${status}`);
  }
}

// Reads a long-lived response until it is complete. Reconnects after a loss or silence, with growing pauses; a
// permanent refusal ends it. Derived feeds define the request and the reading.
export abstract class Feed {
  protected attempt = 0; // number of pauses since data arrived
  protected stopped = true;
  private request: AbortController | null = null;
  private cancelTimer: () => void = () => undefined;

  private readonly tools: FeedTools;

  constructor(
    private readonly tell: (state: LineState) => void,
    tools: Partial<FeedTools> = {},
  ) {
    this.tools = { ...kBrowserTools, ...tools };
  }

  start(): void {
    this.stopped = false;
    void this.run();
  }

  stop(): void {
    this.stopped = true;
    this.cancelTimer();
    this.request?.abort();
    this.tell({ phase: 'stopped' });
  }

  // Retries at once, during a pause or after the end. No effect during a request.
  retryNow(): void {
    if (this.stopped || this.request !== null) return;
    this.cancelTimer();
    void this.run();
  }

  // Sends the request and reads the response. True: complete. False: the connection was lost and can be resumed.
  // Throws `Refused`, or the error of a lost connection.
  protected abstract read(request: AbortController): Promise<boolean>;

  protected async ask(url: string, headers: Record<string, string>, request: AbortController): Promise<Response> {
    return this.tools.fetch(url, { headers, cache: 'no-store', signal: request.signal });
  }

  // Reads the body of an answer to its end; ends earlier if `take` returns true.
  protected async readBody(
    response: Response,
    request: AbortController,
    take: (text: string) => boolean,
  ): Promise<void> {
    const reader = response.body?.getReader();
    if (!reader || this.stopped) return;
    this.tell({ phase: 'live' });
    const decoder = new TextDecoder();
    for (;;) {
      this.cancelTimer = this.tools.after(kSilenceMs, () => {
        request.abort();
      });
      const { done, value } = await reader.read();
      this.cancelTimer();
      if (done || this.stopped || take(decoder.decode(value, { stream: true }))) return;
    }
  }

  private async run(): Promise<void> {
    const request = new AbortController();
    this.request = request;
    try {
      const over = await this.read(request);
      this.request = null;
      if (this.stopped) return;
      if (over) this.tell({ phase: 'complete' });
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
    this.tell({ phase: 'failed', reason, status });
  }

  private tryLater(): void {
    const wait = Math.min(kLastRetryMs, kFirstRetryMs * 2 ** this.attempt);
    this.attempt += 1;
    this.tell({ phase: 'waiting', retryAt: this.tools.now() + wait, attempt: this.attempt });
    this.cancelTimer = this.tools.after(wait, () => void this.run());
  }
}
