// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { bodyOf, lineOf, readEvent, readLine, readRecordPage, type RawRecord } from './record';
import { relayLog } from './relay_log';
import { kKeyframeEvery, ReplayLog } from './replay_log';

function raws(records: number): RawRecord[] {
  return relayLog(records)
    .map((line) => readLine(JSON.stringify(line)).record)
    .filter((record) => record !== undefined);
}

describe('seeking', () => {
  const log = new ReplayLog();
  log.append(raws(3000));

  it('gives the same state from any position', () => {
    const forward = new ReplayLog();
    const all = raws(3000);
    all.forEach((raw, index) => {
      forward.append([raw]);
      if (index % 97 !== 0) return;
      const sought = log.stateAt(index);
      expect(sought.index).toBe(index);
      expect(JSON.stringify(sought)).toBe(JSON.stringify(forward.last));
    });
  });

  it('takes a bounded number of steps in both directions', () => {
    for (const target of [2999, 0, 1500, 1499, 256, 255, 2700, 12]) {
      const before = log.steps;
      log.stateAt(target);
      expect(log.steps - before).toBeLessThanOrEqual(kKeyframeEvery);
    }
  });

  it('continues from the current position when playing', () => {
    log.stateAt(1000);
    const before = log.steps;
    for (let index = 1001; index <= 1020; index += 1) log.stateAt(index);
    expect(log.steps - before).toBe(20);
  });

  it('stays within the log', () => {
    expect(log.stateAt(-1).index).toBe(-1);
    expect(log.stateAt(1e9)).toBe(log.last);
    expect(new ReplayLog().stateAt(5).index).toBe(-1);
  });

  it('finds entries next to a record', () => {
    const refused = (entry: { kind: string }) => entry.kind === 'refused';
    const first = log.find(-1, true, refused);
    const second = log.find(log.entries[first]?.index ?? 0, true, refused);
    expect(second).toBeGreaterThan(first);
    expect(log.find(log.entries[second]?.index ?? 0, false, refused)).toBe(first);
    expect(log.find(-1, false, refused)).toBe(-1);
    expect(log.entries[log.entryAt(40)]?.index).toBeLessThanOrEqual(40);
    expect(log.entryAt(-1)).toBe(-1);
  });
});

describe('100,000 records', () => {
  it('are read within seconds and kept once each', () => {
    const log = new ReplayLog();
    const all = raws(100_000);
    const begun = performance.now();
    log.append(all);
    expect(performance.now() - begun).toBeLessThan(15_000);
    expect(log.last.index).toBe(all.length - 1);
    // The forwarded copy shares the object of the received record.
    const at = log.records.findIndex((record) => record.direction === 'in' && record.type === 'state.updated');
    const [came, went] = [log.records[at], log.records[at + 1]];
    expect(came && went && bodyOf(came)['messageHistory'] === bodyOf(went)['messageHistory']).toBe(true);
  }, 60_000);
});

describe('records', () => {
  const event = {
    session: 's-1.ab',
    seq: 4,
    at: 1_790_000_000_000,
    direction: 'in',
    type: 'tool.call',
    payload: { payload: { toolName: 'next' }, id: 7, clientId: 'c1' },
  };

  it('are events of the session', () => {
    expect(readEvent(event)).toEqual({
      eventIndex: 3,
      at: 1_790_000_000_000,
      direction: 'in',
      type: 'tool.call',
      payload: { toolName: 'next' },
      id: 7,
      clientId: 'c1',
    });
    expect(readEvent({ ...event, at: '2026-09-21T14:13:20.000Z' })?.at).toBe(1_790_000_000_000);
  });

  it.each([null, 7, {}, { ...event, direction: 'up' }, { ...event, type: 4 }])('pass over %j', (value) => {
    expect(readEvent(value)).toBeNull();
  });

  it('are written as readable lines', () => {
    const raw = readEvent(event);
    expect(raw).not.toBeNull();
    if (!raw) return;
    expect(readLine(JSON.stringify(lineOf({ index: 0, ...raw }, 's-1'))).record).toEqual(raw);
  });

  it('name the fault of a line', () => {
    expect(readLine('{').fault).toBe('notJson');
    expect(readLine('[]').fault).toBe('notJson');
    expect(readLine('{"sessionId":"x"}').fault).toBe('missingFields');
    const odd = { sessionId: 's', eventIndex: 0, timestamp: 'yesterday', direction: 'in', type: 't', payload: {} };
    expect(readLine(JSON.stringify(odd)).fault).toBe('badFields');
  });

  it('unwrap only delivered messages', () => {
    const payload = { delivered: 2, payload: { ok: true } };
    expect(bodyOf({ direction: 'out', payload })).toEqual({ ok: true });
    expect(bodyOf({ direction: 'in', payload })).toBe(payload);
  });

  it('come in pages with their range', () => {
    const page = readRecordPage({ epoch: 'e', first_seq: 1, last_seq: 9, more: true, events: [event, { seq: 5 }] });
    expect(page).toMatchObject({ epoch: 'e', lastSeq: 9, readTo: 5, more: true });
    expect(page.records).toHaveLength(1);
  });
});
