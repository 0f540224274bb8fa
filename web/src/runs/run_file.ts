// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { LineCutter } from '@/wire/line_cutter';
import { type Finding, type Merged, mergeFrames } from './merge';
import { parseLine } from './parse';
import type { Frame } from './run_event';

export interface RunFileReading {
  lines: number;
  frames: number;
  bytes: number;
  total: number;
}

const kPrettyLines = 100_000; // limit for one object printed over several lines

// Joins the lines of a file into objects: one object per line, or one printed over several lines, from a line
// "{" to a line "}".
class ObjectLines {
  private parts: string[] = [];

  push(line: string): string | null {
    if (this.parts.length === 0 && line.trimEnd() !== '{') return line;
    this.parts.push(line);
    if (line.trimEnd() !== '}' && this.parts.length < kPrettyLines) return null;
    return this.end();
  }

  end(): string | null {
    const whole = this.parts.join('\n');
    this.parts = [];
    return whole === '' ? null : whole;
  }
}

// Reads the frames of a stream line by line, and records lines that are no frame.
export class FrameReader {
  readonly frames: Frame[] = [];
  readonly findings: Finding[] = [];
  lines = 0;
  private readonly cutter = new LineCutter();
  private readonly objects = new ObjectLines();
  private readonly unknown = new Map<string, Extract<Finding, { is: 'unknown' }>>();

  push(text: string): void {
    for (const line of this.cutter.push(text)) this.take(line);
  }

  end(): Merged {
    for (const line of this.cutter.end()) this.take(line);
    const rest = this.objects.end();
    if (rest !== null) this.read(rest);
    const merged = mergeFrames(this.frames);
    return { runs: merged.runs, findings: [...this.findings, ...this.unknown.values(), ...merged.findings] };
  }

  private take(line: string): void {
    this.lines += 1;
    const text = (this.lines === 1 ? line.replace(/^\uFEFF/, '') : line).replace(/\r$/, '');
    const whole = this.objects.push(text);
    if (whole !== null && whole.trim() !== '') this.read(whole);
  }

  private read(text: string): void {
    const { fault, frames } = parseLine(text);
    if (fault !== null) this.findings.push({ is: fault === 'json' ? 'unreadable' : 'noFrame', line: this.lines });
    for (const frame of frames) {
      this.frames.push(frame);
      if (frame.event.type !== 'unknown') continue;
      const { name } = frame.event;
      const known = this.unknown.get(name);
      if (known) known.count += 1;
      else this.unknown.set(name, { is: 'unknown', name, count: 1, line: this.lines });
    }
  }
}

// Reads a file in pieces, so that the page stays responsive.
export async function readRunFile(
  file: Blob,
  onProgress: (reading: RunFileReading) => void = () => undefined,
  isWanted: () => boolean = () => true,
): Promise<Merged> {
  const read = new FrameReader();
  const decoder = new TextDecoder();
  const source = file.stream().getReader();
  let bytes = 0;
  while (isWanted()) {
    const { done, value } = await source.read();
    if (done) break;
    bytes += value.byteLength;
    read.push(decoder.decode(value, { stream: true }));
    onProgress({ lines: read.lines, frames: read.frames.length, bytes, total: file.size });
    await new Promise((resolve) => setTimeout(resolve));
  }
  read.push(decoder.decode());
  return read.end();
}
