// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { asArray, asNumber, asObject, asText, asTime, isObject, type Json } from '@/wire/json';
import { share } from './share';

export type Direction = 'in' | 'out' | 'internal';

// One line of a study log. `index`: position in the log as read here.
export interface StudyRecord {
  index: number;
  eventIndex: number;
  at: number; // Unix ms
  direction: Direction;
  type: string;
  payload: Json; // as logged; of messages to agents {delivered, payload}
  id?: unknown;
  replyTo?: unknown;
  clientId?: string;
}
export type RawRecord = Omit<StudyRecord, 'index'>;

const kDirections: readonly string[] = ['in', 'out', 'internal'] satisfies Direction[];

function withEnvelope(record: RawRecord, from: Json): RawRecord {
  if (from['id'] !== undefined) record.id = from['id'];
  if (from['replyTo'] !== undefined) record.replyTo = from['replyTo'];
  const client = asText(from['clientId']) || asText(asObject(from['payload'])['clientId']);
  if (client !== '') record.clientId = client;
  return record;
}

// The record in an event of the study's session; null: not a record.
export function readEvent(value: unknown): RawRecord | null {
  const event = asObject(value);
  const seq = asNumber(event['seq']);
  const at = asTime(event['at']);
  const type = asText(event['type']);
  const direction = asText(event['direction']);
  if (seq === null || at === null || type === '' || !kDirections.includes(direction)) return null;
  const stored = asObject(event['payload']);
  const record: RawRecord = {
    eventIndex: seq - 1,
    at,
    direction: direction as Direction,
    type,
    payload: asObject(stored['payload']),
  };
  return withEnvelope(record, stored);
}

export type LineReading = { record: RawRecord; fault?: undefined } | { fault: LineFault; record?: undefined };
export type LineFault = 'notJson' | 'missingFields' | 'badFields';

const kRequired = ['sessionId', 'eventIndex', 'timestamp', 'direction', 'type', 'payload'];

// Reads a line of a log file of this or another relay.
export function readLine(text: string): LineReading {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { fault: 'notJson' };
  }
  if (!isObject(value)) return { fault: 'notJson' };
  if (kRequired.some((name) => !(name in value))) return { fault: 'missingFields' };
  const eventIndex = asNumber(value['eventIndex']);
  const at = asTime(value['timestamp']);
  const type = asText(value['type']);
  const direction = asText(value['direction']);
  const known = kDirections.includes(direction);
  if (eventIndex === null || at === null || type === '' || !known) return { fault: 'badFields' };
  const record: RawRecord = {
    eventIndex,
    at,
    direction: direction as Direction,
    type,
    payload: asObject(value['payload']),
  };
  return { record: withEnvelope(record, value) };
}

// The payload of the message, without the number of receivers.
export function bodyOf(record: Pick<StudyRecord, 'direction' | 'payload'>): Json {
  const inner = record.payload['payload'];
  const wrapped = record.direction === 'out' && 'delivered' in record.payload && isObject(inner);
  return wrapped ? inner : record.payload;
}

// Members that are large and mostly equal in consecutive records.
const kSurfaces = ['uiSpec', 'messageHistory', 'toolSchema'];

// Assigns indexes to records, and shares equal parts of consecutive records in memory, because every state has
// the whole history.
export class RecordList {
  readonly records: StudyRecord[] = [];
  private readonly last: Json = {};

  add(raw: RawRecord): StudyRecord {
    const body = bodyOf(raw);
    for (const name of kSurfaces) {
      const value = body[name];
      if (value === undefined || value === null) continue;
      this.last[name] = body[name] = share(this.last[name], value);
    }
    const record: StudyRecord = { index: this.records.length, ...raw };
    this.records.push(record);
    return record;
  }
}

// The record in the form of a log line, to show and copy.
export function lineOf(record: StudyRecord, sessionId: string): Json {
  const line: Json = {
    sessionId,
    eventIndex: record.eventIndex,
    timestamp: new Date(record.at).toISOString(),
    direction: record.direction,
    type: record.type,
    payload: record.payload,
  };
  if (record.id !== undefined) line['id'] = record.id;
  if (record.replyTo !== undefined) line['replyTo'] = record.replyTo;
  if (record.clientId !== undefined) line['clientId'] = record.clientId;
  return line;
}

export interface PageOfRecords {
  epoch: string;
  firstSeq: number;
  lastSeq: number; // of the session, not of the page
  readTo: number; // seq of the page's last event; 0 for none
  more: boolean;
  records: RawRecord[];
}

export function readRecordPage(body: unknown): PageOfRecords {
  const page = asObject(body);
  const events = asArray(page['events']);
  return {
    epoch: asText(page['epoch']),
    firstSeq: asNumber(page['first_seq']) ?? 0,
    lastSeq: asNumber(page['last_seq']) ?? 0,
    readTo: asNumber(asObject(events.at(-1))['seq']) ?? 0,
    more: page['more'] === true,
    records: events.map(readEvent).filter((record) => record !== null),
  };
}
