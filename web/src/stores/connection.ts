// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { defineStore } from 'pinia';
import { ref, shallowRef, watch } from 'vue';
import { browserKeep } from '@/chat/keep';
import type { WebsocketMessage } from '@/gen/agentassist_pb';
import { AssistantClient, type ConnectionState, type Socket } from '@/protocol/assistant_client';
import { Burst } from '@/protocol/burst';
import { type HistoryReader, HttpHistory } from '@/protocol/history';
import { isAccessToken } from '@/tokens/http_login';
import { useAccount } from './account';
import { useAnswerFiles } from './answer_files';
import { useAwareness } from './awareness';
import { useDrafts } from './drafts';
import { useInbox } from './inbox';
import { useLogin } from './login';
import { useLostAnswers } from './lost_answers';
import { nameOfToken, useOwnName } from './own_name';
import { useOwnReplies } from './own_replies';
import { usePeople } from './people';

export interface Outside {
  openSocket: (url: string) => Socket;
  history: (token: string) => HistoryReader;
  nameOf?: (token: string) => Promise<string>; // absent: unknown
}

const kBrowser: Outside = {
  openSocket: (url) => new WebSocket(url) as unknown as Socket,
  history: (token) => new HttpHistory(token),
  nameOf: nameOfToken,
};

// gen=1: task-finish frames are sent once, under their first name. ack=1: the sender of a reply is notified too
// when it is stored. aware=1: pages tell each other which question they answer.
export function socketUrl(page: string): string {
  const url = new URL('/ws?gen=1&ack=1&aware=1', page);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  return url.toString();
}

// Keeps the page connected with the account's token and passes frames to the other stores.
export const useConnection = defineStore('connection', () => {
  const account = useAccount();
  const awareness = useAwareness();
  const drafts = useDrafts();
  const inbox = useInbox();
  const login = useLogin();
  const people = usePeople();
  const own = useOwnName();
  const state = shallowRef<ConnectionState>({ phase: 'stopped' });
  const denied = shallowRef<string | null>(null);
  const version = ref(''); // of the server; empty before the first login
  const isLoginOver = ref(false); // the denied token was that of a login, which has ended
  let client: AssistantClient | null = null;
  let outside = kBrowser;
  let used = ''; // the token of the client
  let shownFor: string | null = null; // owner of the shown inbox and people

  const messages = new Burst<WebsocketMessage>((message) => {
    inbox.receive(message);
    people.receive(message);
    awareness.receive(message);
  });

  function onState(next: ConnectionState): void {
    messages.flush();
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
    if (next.phase === 'denied') leave(used, next.message);
  }

  // Handles a refused token: renews the access token of a login, otherwise signs out.
  function leave(ended: string, message: string): void {
    isLoginOver.value = account.login !== null || isAccessToken(ended);
    if (account.login === null) return forget(message);
    state.value = { phase: 'connecting' };
    const left = client;
    void login.renew(ended).then((renewed) => {
      if (client !== left) return;
      if (renewed) connect();
      else forget(message);
    });
  }

  function forget(message: string): void {
    denied.value = message;
    account.forget();
  }

  // A token is a workspace: clears all data of the previous one.
  function clear(): void {
    messages.clear();
    awareness.reset();
    inbox.reset();
    people.reset();
  }

  function connect(through: Outside = outside): void {
    client?.stop();
    outside = through;
    const { owner, token } = account;
    if (token === null) return;
    denied.value = null;
    if (shownFor !== owner) clear();
    shownFor = owner;
    used = token;
    const send = (frame: Uint8Array) => client?.send(frame) ?? false;
    const refresh = () => client?.refresh();
    inbox.attach({ send, refresh, history: outside.history(token) });
    people.attach(send);
    awareness.attach(send);
    client = new AssistantClient({
      url: socketUrl(window.location.href),
      token,
      nickname: own.name,
      openSocket: outside.openSocket,
      onState,
      onVersion(given) {
        version.value = given;
      },
      onMessage: (message) => messages.take(message),
    });
    client.start();
    if (outside.nameOf) void own.look(outside.nameOf);
  }

  function retryNow(): void {
    client?.retryNow();
  }

  // Another request has reported that the token is invalid. Drafts are kept for the next sign-in.
  function expired(): void {
    client?.stop();
    client = null;
    leave(account.token ?? '', '');
  }

  function signOut(): void {
    client?.stop();
    client = null;
    useOwnReplies().clear();
    login.signOut();
    drafts.clear();
    useAnswerFiles().clear();
    useLostAnswers().clear();
    void browserKeep.clear();
    clear();
  }

  watch(
    () => own.name,
    (nickname) => client?.rename(nickname),
  );

  return { state, denied, version, isLoginOver, connect, retryNow, expired, signOut };
});
