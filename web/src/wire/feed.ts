// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

// How the line of a feed stands.
export type LineState =
  | { phase: 'live' }
  | { phase: 'complete' } // everything is here, and nothing more comes
  | { phase: 'waiting'; retryAt: number; attempt: number } // Unix ms
  | { phase: 'failed'; reason: 'signedOut' | 'notFound' | 'refused'; status: number }
  | { phase: 'stopped' };

// What of it a person should know. A line that stands again after half a second is not worth a word.
export function lineTrouble(line: LineState): 'away' | 'signedOut' | null {
  if (line.phase === 'waiting') return line.attempt > 1 ? 'away' : null;
  return line.phase === 'failed' && line.reason === 'signedOut' ? 'signedOut' : null;
}

export interface FeedTools {
  fetch: typeof fetch;
  now: () => number;
  after: (ms: number, act: () => void) => () => void; // gives what cancels it
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

// The server has answered, but not with what was asked for.
export class Refused extends Error {
  constructor(readonly status: number) {
    super(`the server answered ${status}`);
  }
}

// What the server sends over a long line, read until it is complete. A line that is cut or silent is
// taken up again, after a wait that grows; a refusal that would come again ends it. What is asked and
// how it is read is for the feed that derives from this.
export abstract class Feed {
  protected attempt = 0; // waits since something came
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

  // While it waits to try again, or after its end: do so at once.
  retryNow(): void {
    if (this.stopped || this.request !== null) return;
    this.cancelTimer();
    void this.run();
  }

  // Asks and reads. True: nothing more comes. False: the line was cut and can be taken up again.
  // Throws `Refused`, or whatever a line throws that is cut.
  protected abstract read(request: AbortController): Promise<boolean>;

  protected async ask(url: string, headers: Record<string, string>, request: AbortController): Promise<Response> {
    return this.tools.fetch(url, { headers, cache: 'no-store', signal: request.signal });
  }

  // Reads the body of an answer to its end; `take` gives true to end sooner.
  protected async readBody(response: Response, request: AbortController, take: (text: string) => boolean): Promise<void> {
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
