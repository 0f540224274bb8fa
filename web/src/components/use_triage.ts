// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { type Ref, watch } from 'vue';
import { useRouter } from 'vue-router';
import { kAllConversations } from '@/inbox/conversations';
import type { Item } from '@/inbox/item';
import { isTyping } from '@/inbox/keys';
import { conversationToOpen, nextConversation } from '@/inbox/triage';
import { useInbox } from '@/stores/inbox';

// Opens what waits by itself. `chosen`: the conversation of the address, empty: the list; `pending`: the waiting
// questions of the shown conversation.
export function useTriageMoves(chosen: Readonly<Ref<string>>, pending: Readonly<Ref<readonly Item[]>>): void {
  const inbox = useInbox();
  const router = useRouter();

  function show(conversation: string, leave: boolean): void {
    const to = { name: 'inbox', params: { conversation } };
    void (leave ? router.push(to) : router.replace(to));
  }

  // On a phone the list and the thread are separate. What waits comes first when the page is opened, and an only
  // question that arrives while the list is open; a person who has gone back to the list stays there.
  watch(
    () => [inbox.listed, inbox.waiting.map(({ key }) => key)] as const,
    ([listed, keys], before) => {
      if (!listed || chosen.value !== '' || !window.matchMedia('(max-width: 720px)').matches) return;
      const isFirst = before?.[0] !== true;
      const isNew = keys.some((key) => !(before?.[1] ?? []).includes(key));
      const conversation = conversationToOpen(inbox.waiting);
      if (conversation !== null && (isFirst || (isNew && keys.length === 1))) show(conversation, !isFirst);
    },
    { immediate: true },
  );

  // After the last decision of a conversation comes the question elsewhere that has waited longest.
  watch(
    () => [chosen.value, pending.value] as const,
    ([conversation, left], [before, had]) => {
      if (conversation !== before || conversation === '' || conversation === kAllConversations) return;
      if (left.length > 0 || isTyping(document.activeElement)) return;
      const decided = had.some(({ key }) => inbox.find(key)?.state === 'answered' && inbox.isMine(inbox.find(key)?.outcome?.clientId ?? ''));
      const next = decided ? nextConversation(inbox.waiting) : null;
      if (next !== null) show(next, true);
    },
    { flush: 'post' },
  );
}
