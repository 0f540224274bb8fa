// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

export interface SseMessage {
  id: string; // the last id received
  event: string;
  data: string;
}

// Parses server-sent events from text that arrives in pieces, cut anywhere.
export class SseParser {
  private rest = '';
  private id = '';
  private event = '';
  private data: string[] = [];
  private started = false;

  push(text: string): SseMessage[] {
    const found: SseMessage[] = [];
    this.rest += text;
    if (!this.started && this.rest !== '') {
      this.started = true;
      if (this.rest.startsWith('\uFEFF')) this.rest = this.rest.slice(1);
    }
    for (;;) {
      const end = /\r\n|\n|\r/.exec(this.rest);
      // A CR at the end of the piece may be the first half of CRLF.
      if (!end || (end[0] === '\r' && end.index === this.rest.length - 1)) return found;
      const line = this.rest.slice(0, end.index);
      this.rest = this.rest.slice(end.index + end[0].length);
      const message = this.take(line);
      if (message) found.push(message);
    }
  }

  private take(line: string): SseMessage | null {
    if (line === '') return this.finish();
    if (line.startsWith(':')) return null;
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') this.data.push(value);
    else if (field === 'event') this.event = value;
    else if (field === 'id' && !value.includes('\0')) this.id = value;
    return null;
  }

  private finish(): SseMessage | null {
    const message = { id: this.id, event: this.event || 'message', data: this.data.join('\n') };
    const empty = this.data.length === 0;
    this.event = '';
    this.data = [];
    return empty ? null : message;
  }
}
