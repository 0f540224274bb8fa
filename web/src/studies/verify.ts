// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { FileReading } from './log_file';
import type { RawRecord } from './record';

// A finding in a log. `at`: the record, or the line of the file.
export type Finding =
  | { is: 'unreadable' | 'missingFields' | 'badFields'; at: number }
  | { is: 'gap'; at: number; from: number; to: number }
  | { is: 'repeated'; at: number; eventIndex: number }
  | { is: 'backwards'; at: number; ms: number }
  | { is: 'noBeginning' | 'noEnd' }
  | { is: 'told'; line: number; code: string; message: string }; // reported by the server

const kMaxFindings = 50;

// Examines a log record by record: numbering without gaps from 0, times in order, a beginning, an end.
export class LogExaminer {
  private readonly findings: Finding[] = [];
  count = 0;
  more = 0; // number of findings that are not listed
  private expected = 0;
  private lastAt = -Infinity;
  private began = false;
  private ended = false;

  add(records: readonly RawRecord[]): void {
    for (const record of records) this.one(record);
  }

  private one({ at, eventIndex, type }: RawRecord): void {
    if (eventIndex > this.expected) {
      this.note({ is: 'gap', at: eventIndex, from: this.expected, to: eventIndex - 1 });
    } else if (eventIndex < this.expected) {
      this.note({ is: 'repeated', at: this.count, eventIndex });
    }
    if (at < this.lastAt) this.note({ is: 'backwards', at: eventIndex, ms: this.lastAt - at });
    this.expected = eventIndex + 1;
    this.lastAt = Math.max(this.lastAt, at);
    this.began ||= type === 'study.opened' || type === 'session.start' || type === 'session.started';
    this.ended ||= type === 'study.closed' || type === 'session.ended';
    this.count += 1;
  }

  // `open`: the study is open, so a missing end is no finding.
  finish(open: boolean, file?: FileReading): Finding[] {
    const bad = (file?.bad ?? []).map(({ fault, line }): Finding => {
      return { is: fault === 'notJson' ? 'unreadable' : fault, at: line };
    });
    const found = [...this.findings, ...bad];
    if (!this.began) found.push({ is: 'noBeginning' });
    if (!this.ended && !open) found.push({ is: 'noEnd' });
    return found;
  }

  private note(finding: Finding): void {
    if (this.findings.length < kMaxFindings) this.findings.push(finding);
    else this.more += 1;
  }
}
