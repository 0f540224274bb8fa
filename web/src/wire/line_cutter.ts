// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

// Splits text that arrives in pieces into lines.
export class LineCutter {
  private rest = '';

  push(text: string): string[] {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop() ?? '';
    return lines;
  }

  end(): string[] {
    const last = this.rest;
    this.rest = '';
    return last === '' ? [] : [last];
  }
}
