// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// @vitest-environment jsdom
import { describe, expect, it } from 'vitest';
import { conversationId, groupByProject, projectTitle } from './conversations';
import { countdown } from './countdown';
import type { Item } from './item';
import { isComposing, keyAction } from './keys';
import { Ledger, threadOrder } from './ledger';
import { growDown, growUp, kWindowMax, kWindowStep, tailWindow, windowAround } from './window';

function item(key: string, part: Partial<Item> = {}, project = '/p', agent = 'A'): Item {
  const prompt = { text: key, project, agent, model: '', client: '', timeoutS: 60, questions: [] };
  return { key, kind: 'question', prompt, openedAt: 0, deadline: 0, state: 'pending', outcome: null, ...part };
}

function answered(key: string, at: number, project = '/p', agent = 'A'): Item {
  const outcome = { isError: false, contents: [], reason: '', clientId: '', nickname: '', channel: '', at };
  return item(key, { state: 'answered', outcome }, project, agent);
}

describe('Ledger', () => {
  it('keeps the outcome of a reopened item', () => {
    const ledger = new Ledger();
    ledger.open(answered('a', 1));
    expect(ledger.open(item('a'))).toBe(false);
    expect(ledger.get('a')?.state).toBe('answered');
  });

  it('restores a question as pending on the server’s word', () => {
    const ledger = new Ledger();
    ledger.open(item('a', { state: 'closed' }));
    expect(ledger.open(item('a'))).toBe(true);
    expect(ledger.get('a')?.state).toBe('pending');
  });

  it('holds an end until its beginning arrives', () => {
    const ledger = new Ledger();
    const { outcome } = answered('a', 5);
    if (!outcome) throw new Error('no outcome');
    expect(ledger.close({ key: 'a', state: 'answered', outcome })).toBe(false);
    expect(ledger.earlyCount).toBe(1);
    ledger.open(item('a'));
    expect(ledger.get('a')).toMatchObject({ state: 'answered', outcome: { at: 5 } });
    expect(ledger.earlyCount).toBe(0);
  });
});

describe('threadOrder', () => {
  it('puts waiting items last, oldest first, after finished ones', () => {
    const order = threadOrder([
      item('w2', { openedAt: 20 }),
      answered('late', 90),
      item('w1', { openedAt: 10 }),
      answered('early', 30),
    ]);
    expect(order.map((it) => it.key)).toEqual(['early', 'late', 'w1', 'w2']);
  });
});

describe('groupByProject', () => {
  it('counts waiting items by project and agent, and shows those first', () => {
    const groups = groupByProject([
      answered('a', 100, '/x/new'),
      item('b', { openedAt: 1 }, '/x/old', 'A'),
      item('c', { openedAt: 2 }, '/x/old', 'B'),
      answered('d', 3, '/x/old', 'A'),
    ]);
    expect(groups.map((group) => [group.title, group.waiting])).toEqual([
      ['old', 2],
      ['new', 0],
    ]);
    expect(groups[0]?.conversations.map((it) => [it.agent, it.waiting, it.total])).toEqual([
      ['A', 1, 2],
      ['B', 1, 1],
    ]);
  });

  it('names a project by the last part of its path', () => {
    expect(projectTitle('/a/b/')).toBe('b');
    expect(projectTitle('C:\\code\\thing')).toBe('thing');
    expect(projectTitle('')).toBe('');
  });

  it('gives each pair of project and agent its own stable name', () => {
    expect(conversationId('/p', 'A')).toBe(conversationId('/p', 'A'));
    expect(conversationId('/p', 'A')).not.toBe(conversationId('/pA', ''));
  });
});

describe('countdown', () => {
  it('shows numbers only in the last minute', () => {
    expect(countdown(0, 600_000, 300_000)).toEqual({ fraction: 0.5, seconds: 300, showNumbers: false });
    expect(countdown(0, 600_000, 540_000)?.showNumbers).toBe(true);
    expect(countdown(0, 600_000, 539_999)?.showNumbers).toBe(false);
  });

  it('ends at zero and handles a missing deadline', () => {
    expect(countdown(0, 1000, 5000)).toEqual({ fraction: 0, seconds: 0, showNumbers: true });
    expect(countdown(0, 0, 5000)).toBeNull();
  });
});

describe('window', () => {
  it('walks through 3,000 items with a bounded part on the page', () => {
    let part = tailWindow(3000);
    expect(part.end).toBe(3000);
    let steps = 0;
    while (part.start > 0) {
      part = growUp(part);
      expect(part.end - part.start).toBeLessThanOrEqual(kWindowMax);
      steps += 1;
    }
    expect(steps).toBe((3000 - 2 * kWindowStep) / kWindowStep);
    while (part.end < 3000) {
      part = growDown(part, 3000);
      expect(part.end - part.start).toBeLessThanOrEqual(kWindowMax);
    }
  });

  it('opens around an item with the same length everywhere', () => {
    for (const index of [0, 3, 1500, 2999]) {
      const { end, start } = windowAround(index, 3000);
      expect(end - start).toBe(2 * kWindowStep);
      expect(start <= index && index < end).toBe(true);
    }
    expect(windowAround(1500, 3000).start).toBe(1500 - kWindowStep);
    expect(windowAround(3, 10)).toEqual({ start: 0, end: 10 });
  });
});

describe('keyAction', () => {
  const press = (key: string, more = {}) =>
    keyAction({
      key,
      ctrlKey: false,
      metaKey: false,
      altKey: false,
      typing: false,
      composing: false,
      repeat: false,
      ...more,
    });

  it('moves, chooses and writes', () => {
    expect(press('j')).toEqual({ do: 'next' });
    expect(press('k')).toEqual({ do: 'previous' });
    expect(press('3')).toEqual({ do: 'choose', index: 2 });
    expect(press('Enter')).toEqual({ do: 'write' });
    expect(press('0')).toBeNull();
  });

  it('chooses once while a digit is held down', () => {
    expect(press('1', { repeat: true })).toBeNull();
    expect(press('j', { repeat: true })).toEqual({ do: 'next' });
  });

  it('ignores letters and digits while typing, but not Esc', () => {
    expect(press('1', { typing: true })).toBeNull();
    expect(press('j', { typing: true })).toBeNull();
    expect(press('Escape', { typing: true })).toEqual({ do: 'leave' });
  });

  it('ignores keys of an input method', () => {
    expect(press('Escape', { typing: true, composing: true })).toBeNull();
    expect(isComposing({ isComposing: true, keyCode: 13 })).toBe(true);
    expect(isComposing({ isComposing: false, keyCode: 229 })).toBe(true);
    expect(isComposing({ isComposing: false, keyCode: 13 })).toBe(false);
  });

  it('ignores shortcuts of the browser', () => {
    expect(press('1', { ctrlKey: true })).toBeNull();
    expect(press('k', { metaKey: true })).toBeNull();
  });
});
