// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { defineStore } from 'pinia';
import { computed, ref, shallowReactive } from 'vue';
import type { ChatMessage, OnlineUser, WebsocketMessage } from '@/gen/agentassist_pb';
import { chatFrame } from '@/protocol/frames';
import { randomId } from '@/text/random_id';

export interface Person {
  clientId: string;
  nickname: string;
  connectedAt: number; // Unix ms
}

export interface ChatLine {
  id: string;
  mine: boolean;
  text: string;
  at: number; // Unix ms
  undelivered: boolean;
}

export interface Chat {
  clientId: string;
  nickname: string;
  lines: ChatLine[];
  unread: number;
}

const kMaxLines = 500;

function personOf(user: OnlineUser): Person {
  const { clientId, connectedAt, nickname } = user;
  return { clientId, nickname, connectedAt: Number(connectedAt) * 1000 };
}

// Other online users and the chats with them. Chats are kept in memory only, as the protocol requires.
export const usePeople = defineStore('people', () => {
  const myId = ref('');
  const users = ref<Person[]>([]);
  const chats = shallowReactive(new Map<string, Chat>());
  const openChat = ref<string | null>(null);
  let send: (frame: Uint8Array) => boolean = () => false;

  const others = computed(() => users.value.filter((user) => user.clientId !== myId.value));
  const unread = computed(() => [...chats.values()].reduce((sum, chat) => sum + chat.unread, 0));

  function attach(sender: (frame: Uint8Array) => boolean): void {
    send = sender;
  }

  function loggedIn(clientId: string): void {
    myId.value = clientId;
  }

  function disconnected(): void {
    users.value = [];
  }

  function isOnline(clientId: string): boolean {
    return users.value.some((user) => user.clientId === clientId);
  }

  function receive(message: WebsocketMessage): void {
    if (message.Cmd === 'GetOnlineUsers' && message.GetOnlineUsersResponse) {
      users.value = message.GetOnlineUsersResponse.onlineUsers.map(personOf);
      users.value.forEach(follow);
    } else if (message.Cmd === 'UserConnectionStatusNotification') {
      const notice = message.UserConnectionStatusNotification;
      if (notice?.user) moved(personOf(notice.user), notice.status === 'connected');
    } else if (message.Cmd === 'ChatMessageNotification') {
      const chatMessage = message.ChatMessageNotification?.chatMessage;
      if (chatMessage) receiveChat(chatMessage);
    }
  }

  function moved(person: Person, here: boolean): void {
    const rest = users.value.filter((user) => user.clientId !== person.clientId);
    users.value = here ? [...rest, person] : rest;
    if (here) follow(person);
  }

  // Moves the chat of a person who has reconnected under a new id.
  function follow(person: Person): void {
    const own = chats.get(person.clientId);
    if (own) {
      chats.set(person.clientId, { ...own, nickname: person.nickname });
      return;
    }
    for (const [id, chat] of chats) {
      if (chat.nickname !== person.nickname || isOnline(id)) continue;
      chats.delete(id);
      chats.set(person.clientId, { ...chat, clientId: person.clientId });
      if (openChat.value === id) openChat.value = person.clientId;
      return;
    }
  }

  function chatWith(clientId: string): Chat {
    const nickname = users.value.find((user) => user.clientId === clientId)?.nickname ?? '';
    return chats.get(clientId) ?? { clientId, nickname, lines: [], unread: 0 };
  }

  function add(clientId: string, nickname: string, line: ChatLine): void {
    const chat = chatWith(clientId);
    const seen = line.mine || openChat.value === clientId;
    chats.set(clientId, {
      clientId,
      nickname: nickname || chat.nickname,
      lines: [...chat.lines, line].slice(-kMaxLines),
      unread: seen ? 0 : chat.unread + 1,
    });
  }

  function receiveChat(chatMessage: ChatMessage): void {
    if (chatMessage.senderClientId === myId.value) return;
    const at = Number(chatMessage.sentAt) * 1000 || Date.now();
    const id = chatMessage.messageId || randomId();
    const line = { id, mine: false, text: chatMessage.content, at, undelivered: false };
    add(chatMessage.senderClientId, chatMessage.senderNickname, line);
  }

  // Delivery is judged by presence: the server does not report a missing receiver.
  function say(clientId: string, text: string): void {
    const delivered = isOnline(clientId) && send(chatFrame(clientId, text));
    const line = { id: randomId(), mine: true, text, at: Date.now(), undelivered: !delivered };
    add(clientId, '', line);
  }

  function show(clientId: string | null): void {
    openChat.value = clientId;
    const chat = clientId === null ? undefined : chats.get(clientId);
    if (chat && chat.unread > 0) chats.set(chat.clientId, { ...chat, unread: 0 });
  }

  function reset(): void {
    users.value = [];
    chats.clear();
    openChat.value = null;
  }

  return {
    myId,
    users,
    others,
    chats,
    unread,
    openChat,
    attach,
    loggedIn,
    disconnected,
    isOnline,
    receive,
    chatWith,
    say,
    show,
    reset,
  };
});
