// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Data that the page does not show must not cross the relay: every message of a whole booking, as the
// real server recorded it, is checked against the list of data that may cross (contract decision 6). The
// list is written here on purpose, not taken from the page's code.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { book, buildHost, HeadlessHosts } from './lib/booking.js';
import { Server } from './lib/server.js';

const payloads = {
  'relay.join': ['role', 'sessionId', 'clientId', 'agentName', 'name', 'takeover'],
  'session.start': ['studyId', 'participantId', 'condition', 'scenario'],
  'session.started': ['sessionId'],
  'snapshot.get': [],
  'snapshot.state': ['sessionId', 'uiSpec', 'messageHistory', 'toolSchema'],
  'tool.call': ['toolName', 'params', 'reason'],
  'tool.result': ['ok', 'toolName', 'uiSpec', 'messageHistory'],
  'state.updated': ['source', 'uiSpec', 'messageHistory', 'toolSchema'],
  'agent.message': ['text'],
  'agent.status': ['agentName', 'phase', 'stage', 'trigger'],
  'user.message': ['text', 'stage'],
  'session.end': ['reason'],
  'session.ended': ['sessionId', 'logFile', 'stateReset'],
  error: ['code', 'message'],
};
const specMembers = [
  'stage',
  'title',
  'description',
  'visibleItems',
  'state',
  'items',
  'modification',
  'display',
  'meta',
];
const summaryMembers = ['stage', 'title', 'summary', 'visibleCount', 'selected'];
const stateMembers = ['selected', 'selectedList', 'highlighted', 'quantities', 'booking'];
const bookingMembers = ['movie', 'theater', 'date', 'showing', 'selectedSeats', 'tickets'];
const entryMembers = ['id', 'type', 'timestamp', 'stage', 'spec', 'action', 'label', 'text'];
// The members of each row that a stage shows (contract section 3.3).
const shown = {
  movie: ['id', 'title', 'genre', 'rating', 'duration', 'posterUrl'],
  theater: ['id', 'name', 'location'],
  date: ['id', 'date', 'dayOfWeek', 'displayText', 'available'],
  time: ['id', 'time', 'availableSeats', 'totalSeats'],
  seat: ['id', 'row', 'number', 'label', 'type', 'status'],
  ticket: ['id', 'name', 'price', 'priceDisplay', 'description'],
  confirm: [],
};
const meta = {
  movie: [],
  theater: ['movieId'],
  date: ['movieId', 'theaterId'],
  time: ['movieId', 'theaterId', 'date'],
  seat: ['movieId', 'theaterId', 'date', 'showtimeId', 'rows', 'seatsPerRow'],
  ticket: ['maxTotal', 'selectedSeats'],
  confirm: ['movie', 'theater', 'date', 'time', 'seats', 'tickets', 'totalPrice', 'bookingId', 'status'],
};
// Data of the backend that no stage shows.
const hidden = [
  'backendData',
  'releaseDate',
  'screenCount',
  'screenNumber',
  'showingId',
  'customerName',
  'customerEmail',
  'guest@example.com',
  'createdAt',
];

function within(value, allowed, where) {
  for (const name of Object.keys(value ?? {})) {
    assert.ok(allowed.includes(name), `"${name}" crosses the relay in ${where}`);
  }
}

function checkSpec(spec, where) {
  if (spec === null || spec === undefined) return;
  if (spec.summary === true) return within(spec, summaryMembers, where);
  const at = `${where}, stage ${spec.stage}`;
  assert.ok(Object.hasOwn(shown, spec.stage), `there is no stage ${spec.stage}`);
  within(spec, specMembers, at);
  within(spec.meta, meta[spec.stage], `${at}, meta`);
  for (const item of spec.items) within(item, shown[spec.stage], `${at}, items`);
  for (const item of spec.visibleItems) within(item, ['id', 'value', 'isDisabled'], `${at}, visibleItems`);
  within(spec.state, stateMembers, `${at}, state`);
  within(spec.state.booking, bookingMembers, `${at}, booking`);
  within(spec.state.booking.movie, ['id', 'title'], `${at}, booking.movie`);
  within(spec.state.booking.theater, ['id', 'name'], `${at}, booking.theater`);
  within(spec.state.booking.showing, ['id', 'time'], `${at}, booking.showing`);
}

// The payload of a record; that of a message to several clients may be wrapped, beside their number.
function payloadOf(record) {
  return Object.hasOwn(record.payload, 'delivered') ? (record.payload.payload ?? {}) : record.payload;
}

function checkRecord(record) {
  const where = `record ${record.eventIndex}, ${record.type}`;
  if (record.direction === 'internal') return;
  assert.ok(Object.hasOwn(payloads, record.type), `${where}: a type that is not on the list`);
  const payload = payloadOf(record);
  within(payload, payloads[record.type], where);
  checkSpec(payload.uiSpec, where);
  for (const entry of payload.messageHistory ?? []) {
    within(entry, entryMembers, `${where}, messageHistory`);
    checkSpec(entry.spec, `${where}, messageHistory`);
  }
}

const server = new Server();
let hosts;
let text;
let records;

before(async () => {
  buildHost();
  await server.start();
  hosts = await HeadlessHosts.start(server, 'privacy', 1);
  const outcome = await book(server, 'privacy-1');
  assert.equal(outcome.code, 0, outcome.lines.join('\n'));
  text = readFileSync(join(server.data, 'logs/study', `${outcome.study}.jsonl`), 'utf8');
  records = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
});

after(async () => {
  await hosts?.end();
  await server.end();
});

test('every stage of the booking is recorded in both directions', () => {
  const stages = new Set(records.map((record) => payloadOf(record).uiSpec?.stage));
  for (const stage of Object.keys(shown)) assert.ok(stages.has(stage), `no record shows the stage ${stage}`);
  for (const direction of ['in', 'out']) {
    for (const type of ['tool.call', 'tool.result', 'state.updated']) {
      assert.ok(
        records.some((record) => record.direction === direction && record.type === type),
        `${direction} ${type}`,
      );
    }
  }
});

test('fields hidden by the page never cross the relay', () => {
  for (const record of records) checkRecord(record);
});

test('fields known only to the backend are nowhere in the log', () => {
  for (const word of hidden) assert.ok(!text.includes(word), `"${word}" is in the log`);
});

test('the check detects a hidden field', () => {
  const leaky = structuredClone(records.find((record) => payloadOf(record).uiSpec?.items?.length > 0));
  payloadOf(leaky).uiSpec.items[0].releaseDate = '2026-01-01';
  assert.throws(() => checkRecord(leaky), /releaseDate/);
});
