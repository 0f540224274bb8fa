// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { compactHistory, kHardLimit, kWholeLimit } from './compact_history';
import { startFixture } from './engine_fixture';
import type { HistoryEntry } from '@/stage/ui_spec';

function sizeOf(history: readonly HistoryEntry[]): number {
  return JSON.stringify(history).length;
}

async function longHistory(): Promise<HistoryEntry[]> {
  const { advanceTo, must, engine } = await startFixture();
  await advanceTo('ticket');
  for (let round = 0; round < 6; round += 1) {
    await must('prev');
    await advanceTo('ticket');
  }
  return engine.state.messageHistory;
}

describe('the history on the wire', () => {
  it('is whole up to 64 KiB', async () => {
    const { advanceTo, engine } = await startFixture();
    await advanceTo('confirm');
    const { messageHistory } = engine.state;
    expect(sizeOf(messageHistory)).toBeLessThan(kWholeLimit);
    expect(compactHistory(messageHistory)).toEqual(messageHistory);
  });

  it('summarises past stages beyond it, and keeps the live one whole', async () => {
    const history = await longHistory();
    expect(sizeOf(history)).toBeGreaterThan(kWholeLimit);
    const sent = compactHistory(history);
    expect(sizeOf(sent)).toBeLessThan(kWholeLimit / 2);
    expect(sent).toHaveLength(history.length);
    expect(sent[0]).toEqual({
      ...history[0],
      spec: {
        stage: 'movie',
        title: 'Select Movie',
        summary: true,
        visibleCount: 3,
        selected: { id: 'm1', value: 'Northern Light' },
      },
    });
    const live = sent.findLastIndex((entry) => entry.type === 'system');
    expect(sent[live]).toEqual(history[live]);
    expect(sent.filter((entry) => entry.type === 'user')).toEqual(history.filter((entry) => entry.type === 'user'));
  });

  it('is whole for an agent that wants it', async () => {
    const history = await longHistory();
    expect(compactHistory(history, true)).toEqual(history);
  });

  it('never exceeds its hard limit', async () => {
    const { engine } = await startFixture();
    for (let index = 0; index < 400; index += 1) engine.postAgentMessage(`${String(index)} `.repeat(300));
    const history = engine.state.messageHistory;
    expect(sizeOf(history)).toBeGreaterThan(kHardLimit);
    const sent = compactHistory(history);
    expect(sizeOf(sent)).toBeLessThanOrEqual(kHardLimit);
    expect(sent.at(-1)).toEqual(history.at(-1));
    expect(sent[0]).toEqual(history[0]); // the live spec is always kept
  });

  it('forgets the oldest of more than 500 entries', async () => {
    const { engine } = await startFixture();
    for (let index = 0; index < 600; index += 1) engine.postAgentMessage(String(index));
    expect(engine.state.messageHistory).toHaveLength(500);
    expect(engine.state.messageHistory.at(-1)).toMatchObject({ text: '599' });
  });
});
