// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { conversationOf, groupByProject, kAllConversations } from './conversations';
import type { Item } from './item';
import { conversationToOpen, nextConversation, waitingGroups } from './triage';

function item(agent: string, openedAt: number, state: Item['state'] = 'pending'): Item {
  return {
    key: `${agent}${openedAt}`,
    state,
    openedAt,
    deadline: 0,
    kind: 'question',
    prompt: { project: '/p', agent, text: '?', client: '', questions: [] },
  } as unknown as Item;
}

describe('triage', () => {
  it('opens the only question itself, and all of several', () => {
    const one = item('a', 1);
    expect(conversationToOpen([])).toBeNull();
    expect(conversationToOpen([one])).toBe(conversationOf(one));
    expect(conversationToOpen([one, item('a', 2)])).toBe(kAllConversations);
  });

  it('goes on with the question that has waited longest', () => {
    expect(nextConversation([])).toBeNull();
    expect(nextConversation([item('new', 9), item('old', 3), item('mid', 5)])).toBe(conversationOf(item('old', 3)));
  });

  it('leaves out conversations in which nothing waits', () => {
    const groups = waitingGroups(groupByProject([item('a', 1), item('b', 2, 'answered')]));
    expect(groups.map(({ conversations }) => conversations.map(({ agent }) => agent))).toEqual([['a']]);
    expect(waitingGroups(groupByProject([item('b', 2, 'answered')]))).toEqual([]);
  });
});
