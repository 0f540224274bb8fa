// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { defineStore } from 'pinia';
import { ref, shallowRef, watch } from 'vue';
import { browserKeep } from '@/chat/keep';
import { type ChatAgent, type ChatSession, type ComfyServer, HttpChat } from '@/chat/http_chat';
import { ServerError } from '@/wire/wrapped_server';
import { useAccount } from './account';

export type SessionsPhase = 'loading' | 'ready' | 'failed' | 'signedOut' | 'absent'; // absent: this server has no chat

// The chat sessions of the token, and the agents and ComfyUI servers on offer.
export const useChatSessions = defineStore('chatSessions', () => {
  const account = useAccount();
  const sessions = shallowRef<ChatSession[]>([]);
  const phase = ref<SessionsPhase>('loading');
  const servers = shallowRef<ComfyServer[]>([]);
  const agents = shallowRef<ChatAgent[]>([]);
  const agent = ref(''); // '': the server's default
  let changes = 0; // of the list, by this page
  let reader: (token: string) => HttpChat = (token) => new HttpChat(token);

  const http = (): HttpChat => reader(account.token ?? '');

  function readBy(make: (token: string) => HttpChat): void {
    reader = make;
  }

  async function refresh(): Promise<void> {
    const { token } = account;
    if (token === null) return;
    const before = changes;
    try {
      const found = await http().sessions();
      if (token !== account.token) return;
      if (changes !== before) return await refresh(); // The list may be older than a change.
      sessions.value = found;
      phase.value = 'ready';
    } catch (error) {
      if (token !== account.token) return;
      const status = error instanceof ServerError ? error.status : 0;
      if (status === 401) phase.value = 'signedOut';
      else if (status === 404) phase.value = 'absent';
      else if (sessions.value.length === 0) phase.value = 'failed';
    }
  }

  async function loadChoices(): Promise<void> {
    [servers.value, agents.value] = await Promise.all([http().servers(), http().agents()]);
    if (!agents.value.some(({ code }) => code === agent.value)) agent.value = '';
  }

  async function create(title: string, server = ''): Promise<string> {
    const code = await http().create(title, server);
    changes += 1;
    const others = sessions.value.filter((it) => it.code !== code); // A list that came meanwhile may have it.
    sessions.value = [{ code, title, rules: '', server, updatedAt: Date.now() }, ...others];
    return code;
  }

  const workflow = (id: string): Promise<string> => http().workflow(id);

  async function rename(code: string, title: string): Promise<void> {
    await http().change(code, { title });
    changes += 1;
    sessions.value = sessions.value.map((it) => (it.code === code ? { ...it, title } : it));
  }

  async function remove(code: string): Promise<void> {
    await http().remove(code);
    changes += 1;
    sessions.value = sessions.value.filter((it) => it.code !== code);
    await browserKeep.remove(code);
  }

  // Moves a session to the top of the list.
  function touch(code: string): void {
    const found = sessions.value.find((it) => it.code === code);
    if (found) sessions.value = [{ ...found, updatedAt: Date.now() }, ...sessions.value.filter((it) => it !== found)];
  }

  watch(
    () => account.owner,
    () => {
      sessions.value = [];
      servers.value = [];
      agents.value = [];
      phase.value = 'loading';
    },
  );
  // Repeats requests that were refused for the previous token.
  watch(
    () => account.token,
    (token) => {
      if (token !== null && phase.value === 'signedOut') void refresh();
    },
  );

  return {
    sessions,
    phase,
    servers,
    agents,
    agent,
    http,
    readBy,
    refresh,
    loadChoices,
    create,
    rename,
    workflow,
    remove,
    touch,
  };
});
