// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { createPinia, setActivePinia } from 'pinia';
import { beforeEach, describe, expect, it } from 'vitest';
import { HttpChat } from '@/chat/http_chat';
import { useAccount } from './account';
import { useChatSessions } from './chat_sessions';

// A server with the codes of `chats`; each listing is answered by the next call of `answer`.
class FakeChats extends HttpChat {
  chats = ['old'];
  listings: (() => void)[] = [];

  override sessions() {
    const found = this.chats.map((code) => ({ code, title: code, rules: '', server: '', updatedAt: 0 }));
    return new Promise<typeof found>((resolve) =>
      this.listings.push(() => {
        resolve(found);
      }),
    );
  }

  override create(title: string) {
    this.chats = [title, ...this.chats];
    return Promise.resolve(title);
  }

  override remove(code: string) {
    this.chats = this.chats.filter((it) => it !== code);
    return Promise.resolve();
  }

  async answer() {
    this.listings.shift()?.();
    await new Promise((resolve) => setTimeout(resolve));
  }
}

let server = new FakeChats('');
const codes = () => useChatSessions().sessions.map(({ code }) => code);

beforeEach(() => {
  setActivePinia(createPinia());
  server = new FakeChats('');
  useAccount().use('secret');
  useChatSessions().readBy(() => server);
});

describe('the list of chats', () => {
  it('is read again when a chat was removed since the request', async () => {
    const sessions = useChatSessions();
    void sessions.refresh();
    await sessions.remove('old');
    await server.answer();
    await server.answer();
    expect(codes()).toEqual([]);
  });

  it('has a new chat once, also if the list with it came first', async () => {
    const sessions = useChatSessions();
    const create = server.create.bind(server);
    server.create = async (title) => {
      await create(title);
      void sessions.refresh();
      await server.answer();
      return title;
    };
    await sessions.create('new');
    expect(codes()).toEqual(['new', 'old']);
  });
});
