// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import type { HistoryEntry } from '@/stage/ui_spec';
import type { Act } from '../stores/host_traffic';
import { chatLines } from './chat_lines';

const act = (more: Partial<Act>): Act => ({
  id: 'r1',
  tool: 'filter',
  params: {},
  reason: 'You like drama',
  agent: 'A',
  at: 5,
  state: 'done',
  message: '',
  ...more,
});

const history: HistoryEntry[] = [
  { id: 'u1', type: 'user', timestamp: 1, stage: 'movie', action: 'select', label: 'Three Winters' },
  { id: 'u2', type: 'user', timestamp: 2, stage: 'seat', action: 'select', label: '2 seat(s) selected' },
  { id: 'u3', type: 'user', timestamp: 3, stage: 'seat', action: 'back', label: 'Back' },
  { id: 'u4', type: 'user', timestamp: 4, stage: 'seat', action: 'input', label: 'Row C, please' },
  { id: 'a1', type: 'agent', timestamp: 6, stage: 'seat', text: 'Row **C** it is.' },
  { id: 'u5', type: 'user', timestamp: 7, stage: 'confirm', action: 'select', label: 'Booking Confirmed!' },
];

describe('the conversation beside the booking', () => {
  it('shows choices, steps back, words and acts in time order', () => {
    const kinds = chatLines(history, [act({})], 'A').map((line) => line.kind);
    expect(kinds).toEqual(['chose', 'chose', 'back', 'said', 'act', 'agent', 'booked']);
  });

  it('counts seats instead of repeating the protocol’s English', () => {
    expect(chatLines(history, [], '')[1]).toMatchObject({ kind: 'chose', stage: 'seat', count: 2 });
  });

  it('keeps a title that begins with a number whole', () => {
    const entry: HistoryEntry = {
      id: 'u',
      type: 'user',
      timestamp: 1,
      stage: 'movie',
      action: 'select',
      label: '12 Angry Men',
    };
    expect(chatLines([entry], [], '')[0]).toMatchObject({ label: '12 Angry Men', count: null });
  });

  it('shows a posted message once', () => {
    expect(chatLines([], [act({ tool: 'postMessage' })], '')).toEqual([]);
  });

  it('shows every refusal, but no steps', () => {
    expect(chatLines([], [act({ tool: 'next' })], '')).toEqual([]);
    expect(chatLines([], [act({ tool: 'next', reason: '', state: 'refused' })], '')).toHaveLength(1);
  });

  it('joins consecutive acts of one kind under the last reason', () => {
    const seat = (id: string, at: number) => act({ id, at, tool: 'select', reason: `Seat ${id}` });
    const lines = chatLines(
      [],
      [seat('A1', 1), seat('A2', 2), act({ id: 'x', at: 3, tool: 'sort' }), seat('A3', 4)],
      '',
    );
    expect(lines).toMatchObject([
      { id: 'act-A1-1', times: 2, act: { reason: 'Seat A2' } },
      { times: 1, act: { tool: 'sort' } },
      { times: 1, act: { reason: 'Seat A3' } },
    ]);
  });

  it('shows an act once finished', () => {
    expect(chatLines([], [act({ state: 'running' })], '')).toEqual([]);
  });
});
