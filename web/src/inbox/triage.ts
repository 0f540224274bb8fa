// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { conversationOf, kAllConversations, type ProjectGroup } from './conversations';
import type { Item } from './item';

// The conversation that a phone opens by itself: that of the only waiting question. With several, all of them.
export function conversationToOpen(waiting: readonly Item[]): string | null {
  const [first, second] = waiting;
  if (!first) return null;
  return second ? kAllConversations : conversationOf(first);
}

// The conversation of the question that has waited longest; null: nothing waits.
export function nextConversation(waiting: readonly Item[]): string | null {
  const oldest = waiting.reduce<Item | undefined>(
    (found, item) => (found && found.openedAt <= item.openedAt ? found : item),
    undefined,
  );
  return oldest ? conversationOf(oldest) : null;
}

export function waitingGroups(groups: readonly ProjectGroup[]): ProjectGroup[] {
  return groups.flatMap((group) => {
    const conversations = group.conversations.filter(({ waiting }) => waiting > 0);
    return conversations.length > 0 ? [{ ...group, conversations }] : [];
  });
}
