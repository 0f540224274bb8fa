// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { LineCutter } from '@/wire/line_cutter';
import { type FileReading, readLogFile } from './log_file';
import type { RawRecord } from './record';
import { relayLog } from './relay_log';
import { kSmallLog } from './small_log';
import { LogExaminer } from './verify';

async function read(text: string) {
  const records: RawRecord[] = [];
  const progress: FileReading[] = [];
  const reading = await readLogFile(new Blob([text]), (some, at) => {
    records.push(...some);
    progress.push(at);
  });
  return { progress, reading, records };
}

function findings(records: RawRecord[], open = false, reading?: FileReading) {
  const examiner = new LogExaminer();
  examiner.add(records);
  return examiner.finish(open, reading);
}

describe('a log file', () => {
  it('is read line by line, the last one without a line feed', async () => {
    const { reading, records } = await read(kSmallLog);
    expect(records).toHaveLength(20);
    expect(reading).toMatchObject({ records: 20, badCount: 0, sessionId: 'default' });
    expect(reading.bytes).toBe(reading.total);
  });

  it('is read in parts, with progress', async () => {
    const text = relayLog(2000)
      .map((line) => JSON.stringify(line))
      .join('\r\n');
    const { progress, records } = await read(text);
    expect(records.length).toBeGreaterThanOrEqual(2000);
    expect(progress.length).toBeGreaterThan(3);
  });

  it('is read despite invalid lines', async () => {
    const { reading, records } = await read(`${kSmallLog}\nnot json\n\n{"a":1}`);
    expect(records).toHaveLength(20);
    expect(reading.bad).toEqual([
      { line: 21, fault: 'notJson' },
      { line: 23, fault: 'missingFields' },
    ]);
  });

  it('is cut into lines wherever the pieces end', () => {
    const cutter = new LineCutter();
    expect([...cutter.push('a\nb'), ...cutter.push('c\n'), ...cutter.push('d'), ...cutter.end()]).toEqual([
      'a',
      'bc',
      'd',
    ]);
  });
});

describe('examining a log', () => {
  it('finds no fault in a complete log', async () => {
    expect(findings((await read(kSmallLog)).records)).toEqual([]);
  });

  it('finds missing, repeated and unordered records', async () => {
    const { records } = await read(kSmallLog);
    const odd = records.filter((_, at) => at !== 4 && at !== 5).map((record) => ({ ...record }));
    const again = odd[10];
    if (again) odd.splice(10, 0, { ...again, at: again.at - 5000 });
    expect(findings(odd)).toEqual([
      { is: 'gap', at: 6, from: 4, to: 5 },
      { is: 'backwards', at: 12, ms: 5000 },
      { is: 'repeated', at: 11, eventIndex: 12 },
    ]);
  });

  it('finds a missing beginning, and a missing end of an ended study', async () => {
    const { records } = await read(kSmallLog);
    const middle = records.slice(6, 10).map((record, eventIndex) => ({ ...record, eventIndex }));
    expect(findings(middle)).toEqual([{ is: 'noBeginning' }, { is: 'noEnd' }]);
    expect(findings(middle, true)).toEqual([{ is: 'noBeginning' }]);
  });

  it('names unreadable lines', async () => {
    const { reading, records } = await read(`${kSmallLog}\nnot json`);
    expect(findings(records, false, reading)).toEqual([{ is: 'unreadable', at: 21 }]);
  });
});
