// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { type Ref, watch } from 'vue';
import { useRouter } from 'vue-router';
import { kAllConversations } from '@/inbox/conversations';
import type { Item } from '@/inbox/item';
import { isTyping } from '@/inbox/keys';
import { conversationToOpen, nextConversation } from '@/inbox/triage';
import { useInbox } from '@/stores/inbox';

// Opens waiting questions without a press. `chosen`: the conversation of the address, empty for the list; `pending`:
// the waiting questions of the shown conversation.
export function useTriageMoves(chosen: Readonly<Ref<string>>, pending: Readonly<Ref<readonly Item[]>>): void {
  const inbox = useInbox();
  const router = useRouter();

  function show(conversation: string, leave: boolean): void {
    const to = { name: 'inbox', params: { conversation } };
    void (leave ? router.push(to) : router.replace(to));
  }

  // A phone shows either the list or a thread. The thread of a waiting question is opened when the page is opened, and
  // when the only one arrives while the list is open. A person who has gone back to the list stays there.
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

  // The last decision of a conversation opens the conversation whose question has waited longest.
  watch(
    () => [chosen.value, pending.value] as const,
    ([conversation, left], [before, had]) => {
      if (conversation !== before || conversation === '' || conversation === kAllConversations) return;
      if (left.length > 0 || isTyping(document.activeElement)) return;
      const decided = had.some(
        ({ key }) => inbox.find(key)?.state === 'answered' && inbox.isMine(inbox.find(key)?.outcome?.clientId ?? ''),
      );
      const next = decided ? nextConversation(inbox.waiting) : null;
      if (next !== null) show(next, true);
    },
    { flush: 'post' },
  );
}
