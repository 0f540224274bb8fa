// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// backendData must not leave the host page: every frame of a whole booking is checked against the list of
// members that may be sent (contract decision 6).
import { describe, expect, it } from 'vitest';
import { startBridge } from './bridge_fixture';
import { startFixture } from './engine_fixture';
import { stageForms } from './stages';
import { type Stage, stages } from '@/stage/ui_spec';

type Json = Record<string, unknown>;

const envelopeFields = ['v', 'type', 'replyTo', 'payload'];
const payloadFields: Record<string, string[]> = {
  'relay.join': ['role', 'sessionId'],
  'session.started': ['sessionId'],
  'snapshot.state': ['sessionId', 'uiSpec', 'messageHistory', 'toolSchema'],
  'tool.result': ['ok', 'toolName', 'uiSpec', 'messageHistory'],
  'state.updated': ['source', 'uiSpec', 'messageHistory', 'toolSchema'],
  'user.message': ['text', 'stage'],
  'session.ended': ['sessionId', 'logFile', 'stateReset'],
  error: ['code', 'message'],
};
const specFields = [
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
const stateFields = ['selected', 'selectedList', 'highlighted', 'quantities', 'booking'];
const bookingFields = ['movie', 'theater', 'date', 'showing', 'selectedSeats', 'tickets'];
const entryFields = ['id', 'type', 'timestamp', 'stage', 'spec', 'action', 'label', 'text'];
const metaFields: Record<Stage, string[]> = {
  movie: [],
  theater: ['movieId'],
  date: ['movieId', 'theaterId'],
  time: ['movieId', 'theaterId', 'date'],
  seat: ['movieId', 'theaterId', 'date', 'showtimeId', 'rows', 'seatsPerRow'],
  ticket: ['maxTotal', 'selectedSeats'],
  confirm: ['movie', 'theater', 'date', 'time', 'seats', 'tickets', 'totalPrice', 'bookingId', 'status'],
};

function expectWithin(object: unknown, allowed: readonly string[]): void {
  for (const key of Object.keys((object ?? {}) as Json)) expect(allowed).toContain(key);
}

function expectSpec(given: unknown): void {
  if (given === null || given === undefined) return;
  const spec = given as Json;
  const stage = spec['stage'] as Stage;
  if (spec['summary'] === true) {
    expectWithin(spec, ['stage', 'title', 'summary', 'visibleCount', 'selected']);
    return;
  }
  expectWithin(spec, specFields);
  expectWithin(spec['meta'], metaFields[stage]);
  for (const item of spec['items'] as Json[]) expectWithin(item, stageForms[stage].fields);
  for (const item of spec['visibleItems'] as Json[]) expectWithin(item, ['id', 'value', 'isDisabled']);
  const state = spec['state'] as Json;
  expectWithin(state, stateFields);
  const booking = state['booking'] as Json;
  expectWithin(booking, bookingFields);
  expectWithin(booking['movie'], ['id', 'title']);
  expectWithin(booking['theater'], ['id', 'name']);
  expectWithin(booking['showing'], ['id', 'time']);
}

function expectAllowed(text: string): void {
  const frame = JSON.parse(text) as Json;
  expectWithin(frame, envelopeFields);
  const payload = frame['payload'] as Json;
  expectWithin(payload, payloadFields[frame['type'] as string] ?? []);
  expectSpec(payload['uiSpec']);
  for (const entry of (payload['messageHistory'] ?? []) as Json[]) {
    expectWithin(entry, entryFields);
    expectSpec(entry['spec']);
  }
}

// Names of fields that only the backend has, and unique values.
const secrets = ['releaseDate', 'screenCount', 'screenNumber', 'showingId', 'backendData', 'customer'];
const secretValues = ['2026-03-01', '2026-04-17', '7301', '7302', '4400', '4401', 'guest@example.com'];

describe('the frames of a whole booking', () => {
  it('hold only fields shown by the stages', async () => {
    const host = await startFixture();
    const relay = startBridge(host.engine);
    relay.last.join();
    await relay.settle();
    relay.last.frame('session.start', {}, 'start');
    const chosen = async (tool: string, params: unknown): Promise<void> => {
      relay.last.frame('tool.call', { toolName: tool, params, reason: 'test' }, tool);
      await relay.settle();
      relay.last.frame('snapshot.get', {}, 'snapshot');
      await relay.settle();
    };
    for (const stage of stages) {
      const spec = host.spec();
      expect(spec.stage).toBe(stage);
      await chosen('highlight', { itemIds: spec.items.slice(0, 2).map((item) => item.id) });
      await chosen('sort', { field: spec.display.valueField, order: 'desc' });
      if (stage !== 'confirm') await chosen('filter', { field: 'screenCount', operator: 'gt', value: 0 });
      host.engine.say('what else do you know?');
      const free = spec.visibleItems.find((item) => !item.isDisabled)?.id;
      if (stage === 'ticket') await chosen('setQuantity', { typeId: free, quantity: 1 });
      else if (stage !== 'confirm') await chosen('select', { itemId: free });
      await chosen('next', {});
    }
    expect(host.backend.bookings).toHaveLength(1);
    relay.last.frame('session.end', {}, 'end');
    await relay.settle();

    const { texts } = relay.last;
    expect(texts.length).toBeGreaterThan(60);
    for (const text of texts) {
      expectAllowed(text);
      expect([...secrets, ...secretValues].filter((secret) => text.includes(secret))).toEqual([]);
    }
    relay.bridge.stop();
  });

  it('are checked: an additional field is detected', () => {
    const spec = { stage: 'movie', visibleItems: [], items: [{ id: 'm1', releaseDate: 'x' }], state: {} };
    const frame = { v: 'mvp-0.2', type: 'state.updated', payload: { uiSpec: spec } };
    expect(() => {
      expectAllowed(JSON.stringify(frame));
    }).toThrow();
  });
});
