// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { LineCutter } from '@/wire/line_cutter';
import { type LineFault, type RawRecord, readLine } from './record';

export interface FileReading {
  records: number;
  bytes: number;
  total: number;
  bad: { line: number; fault: LineFault }[]; // the first ones
  badCount: number;
  sessionId: string; // of the first line
}

const kShownFaults = 20;
const kBatch = 500;

function sessionIn(line: string): string {
  const found = /"sessionId"\s*:\s*"([^"\\]{1,200})"/.exec(line);
  return found?.[1] ?? '';
}

// Reads a JSONL log in pieces, so that the page stays responsive. Lines that are no records are counted and
// skipped.
export async function readLogFile(
  file: Blob,
  onRecords: (records: RawRecord[], reading: FileReading) => void,
  isWanted: () => boolean = () => true,
): Promise<FileReading> {
  const reading: FileReading = { records: 0, bytes: 0, total: file.size, bad: [], badCount: 0, sessionId: '' };
  const cutter = new LineCutter();
  const decoder = new TextDecoder();
  let batch: RawRecord[] = [];
  let number = 0;
  const give = () => {
    onRecords(batch, { ...reading });
    batch = [];
  };
  const take = (line: string) => {
    number += 1;
    if (line.trim() === '') return;
    const { fault, record } = readLine(line);
    if (record) {
      if (reading.sessionId === '') reading.sessionId = sessionIn(line);
      reading.records += 1;
      batch.push(record);
    } else {
      reading.badCount += 1;
      if (reading.bad.length < kShownFaults) reading.bad.push({ line: number, fault });
    }
    if (batch.length >= kBatch) give();
  };
  const reader = file.stream().getReader();
  while (isWanted()) {
    const { done, value } = await reader.read();
    if (done) break;
    reading.bytes += value.byteLength;
    cutter.push(decoder.decode(value, { stream: true })).forEach(take);
    await new Promise((resolve) => setTimeout(resolve));
  }
  cutter.push(decoder.decode()).forEach(take);
  cutter.end().forEach(take);
  give();
  return reading;
}
