// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { defineStore } from 'pinia';
import { shallowRef, watch } from 'vue';
import { AssistantClient, type ConnectionState, type Socket } from '@/protocol/assistant_client';
import { type HistoryReader, HttpHistory } from '@/protocol/history';
import { useAccount } from './account';
import { useDrafts } from './drafts';
import { useInbox } from './inbox';
import { usePeople } from './people';
import { useSettings } from './settings';

export interface Outside {
  openSocket: (url: string) => Socket;
  history: (token: string) => HistoryReader;
}

const kBrowser: Outside = {
  openSocket: (url) => new WebSocket(url) as unknown as Socket,
  history: (token) => new HttpHistory(token),
};

// gen=1: task-finish frames come once, under their first name. ack=1: the sender of a reply is
// told too when it is stored.
export function socketUrl(page: string): string {
  const url = new URL('/ws?gen=1&ack=1', page);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  return url.toString();
}

// Keeps the page connected with the account's token and hands what comes to the other stores.
export const useConnection = defineStore('connection', () => {
  const account = useAccount();
  const drafts = useDrafts();
  const inbox = useInbox();
  const people = usePeople();
  const settings = useSettings();
  const state = shallowRef<ConnectionState>({ phase: 'stopped' });
  const denied = shallowRef<string | null>(null);
  let client: AssistantClient | null = null;
  let shownFor: string | null = null; // the token whose inbox and people are on the page

  function onState(next: ConnectionState): void {
    const before = state.value;
    state.value = next;
    if (next.phase === 'online') {
      denied.value = null;
      inbox.loggedIn(next.clientId);
      people.loggedIn(next.clientId);
    } else if (before.phase === 'online') {
      inbox.disconnected();
      people.disconnected();
    }
    if (next.phase === 'denied') {
      denied.value = next.message;
      account.forget();
    }
  }

  // A token is a workspace: nothing of one is shown in another.
  function clear(): void {
    inbox.reset();
    people.reset();
  }

  function connect(outside: Outside = kBrowser): void {
    client?.stop();
    const token = account.token;
    if (token === null) return;
    denied.value = null;
    if (shownFor !== token) clear();
    shownFor = token;
    const send = (frame: Uint8Array) => client?.send(frame) ?? false;
    const refresh = () => client?.refresh();
    inbox.attach({ send, refresh, history: outside.history(token) });
    people.attach(send);
    client = new AssistantClient({
      url: socketUrl(window.location.href),
      token,
      nickname: settings.nickname,
      openSocket: outside.openSocket,
      onState,
      onMessage(message) {
        inbox.receive(message);
        people.receive(message);
      },
    });
    client.start();
  }

  function retryNow(): void {
    client?.retryNow();
  }

  // Another answer than that of this connection has said that the token is not valid. What was begun
  // is kept for who signs in again.
  function expired(): void {
    client?.stop();
    client = null;
    denied.value = '';
    account.forget();
  }

  function signOut(): void {
    client?.stop();
    client = null;
    account.forget();
    drafts.clear();
    clear();
  }

  watch(
    () => settings.nickname,
    (nickname) => client?.rename(nickname),
  );

  return { state, denied, connect, retryNow, expired, signOut };
});
