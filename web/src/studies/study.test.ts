// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import {
  agentAddress,
  filtered,
  kNoFilter,
  median,
  participantLink,
  readKit,
  readStudyPage,
  readStudy,
  sorted,
  type Study,
  summarise,
  valuesOf,
} from './study';

function study(id: string, more: Partial<Study> = {}): Study {
  return {
    id,
    session: `${id}.x`,
    studyId: 'movie-night',
    participantId: 'P-1',
    condition: 'adaptive',
    scenario: 'friday',
    implicit: false,
    open: false,
    startedAt: 1000,
    endedAt: 61_000,
    endReason: 'study-complete',
    logFile: '',
    records: 10,
    figures: { steps: 7, calls: 4, errors: 0, completed: true },
    ...more,
  };
}

describe('studies', () => {
  it('are read with or without their figures', () => {
    const body = {
      studies: [
        {
          id: 's-1',
          session: 's-1.a',
          participant_id: 'P-1',
          state: 'open',
          started_at: 5,
          ended_at: null,
          record_count: null,
          summary: { tool_calls: 3, steps: 2, errors: 1, completed: false },
        },
        { id: 's-2', state: 'ended', started_at: 1_000, ended_at: 61_000, record_count: 12, log_file: null },
        { id: 7 },
        null,
      ],
      next: '17',
    };
    const { next, studies } = readStudyPage(body);
    const [first, second, ...rest] = studies;
    expect(next).toBe('17');
    expect(rest).toEqual([]);
    expect(first).toMatchObject({
      open: true,
      participantId: 'P-1',
      startedAt: 5,
      endedAt: null,
      records: null,
      figures: { calls: 3, errors: 1 },
    });
    expect(second).toMatchObject({ open: false, records: 12, figures: null });
    expect((second?.endedAt ?? 0) - (second?.startedAt ?? 0)).toBe(60_000);
    expect(readStudy('x')).toBeNull();
  });

  const all = [
    study('s-1', { participantId: 'P-10', startedAt: 1000 }),
    study('s-2', {
      participantId: 'P-9',
      startedAt: 3000,
      figures: { steps: 1, calls: 1, errors: 2, completed: false },
    }),
    study('s-3', { participantId: 'P-8', startedAt: 2000, open: true, endedAt: null, condition: 'plain' }),
  ];
  const ids = (studies: Study[]) => studies.map((it) => it.id);

  it('are sorted with open ones first, the others by choice', () => {
    expect(ids(sorted(all, { key: 'started', descending: true }, 9000))).toEqual(['s-3', 's-2', 's-1']);
    expect(ids(sorted(all, { key: 'participant', descending: false }, 9000))).toEqual(['s-3', 's-2', 's-1']);
    expect(ids(sorted(all, { key: 'errors', descending: false }, 9000))).toEqual(['s-3', 's-1', 's-2']);
  });

  it('are found by any of their words and by state', () => {
    expect(ids(filtered(all, { ...kNoFilter, text: 'p-9 movie' }))).toEqual(['s-2']);
    expect(ids(filtered(all, { ...kNoFilter, text: 'nothing' }))).toEqual([]);
    expect(ids(filtered(all, { ...kNoFilter, state: 'errors' }))).toEqual(['s-2']);
    expect(ids(filtered(all, { ...kNoFilter, state: 'open' }))).toEqual(['s-3']);
    expect(ids(filtered(all, { ...kNoFilter, state: 'incomplete' }))).toEqual(['s-2']);
    expect(ids(filtered(all, { ...kNoFilter, condition: 'plain' }))).toEqual(['s-3']);
    expect(valuesOf(all, 'condition')).toEqual(['adaptive', 'plain']);
  });

  it('are summed up by condition', () => {
    expect(summarise(all, 'condition', 9000)).toEqual([
      {
        studyId: 'movie-night',
        name: 'adaptive',
        sessions: 2,
        open: 0,
        completed: 1,
        known: 2,
        steps: 4,
        calls: 2.5,
        errors: 1,
        medianMs: 59_000,
      },
      {
        studyId: 'movie-night',
        name: 'plain',
        sessions: 1,
        open: 1,
        completed: 1,
        known: 1,
        steps: 7,
        calls: 4,
        errors: 0,
        medianMs: 0,
      },
    ]);
    expect([median([]), median([3]), median([1, 9, 5]), median([1, 3])]).toEqual([0, 3, 5, 2]);
  });
});

describe('addresses', () => {
  it('for participants carry no token and no route of this page', () => {
    expect(participantLink('https://lab.example/?token=x#/studies/s-1', 'movie night')).toBe(
      'https://lab.example/#/study/movie%20night',
    );
  });

  it('for agents follow the page', () => {
    expect(agentAddress('https://lab.example/#/studies')).toBe('wss://lab.example/agent/ws');
    expect(agentAddress('http://127.0.0.1:2000/')).toBe('ws://127.0.0.1:2000/agent/ws');
  });

  it('come from the kit', () => {
    expect(readKit({ studies: [{ id: 'a', title: 'A' }, {}] })).toEqual([{ id: 'a', title: 'A' }]);
    expect(readKit(null)).toEqual([]);
  });
});
