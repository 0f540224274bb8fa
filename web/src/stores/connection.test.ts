// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// @vitest-environment jsdom
import { createPinia, setActivePinia } from 'pinia';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeHistory, FakeNetwork, kEmptyPage } from '@/protocol/fake_server';
import type { HistoryPage } from '@/protocol/history';
import { useAccount } from './account';
import { type Outside, useConnection } from './connection';
import { kRunDraftKey, useDrafts } from './drafts';
import { useInbox } from './inbox';
import { usePeople } from './people';

describe('connection', () => {
  let network: FakeNetwork;
  let outside: Outside;
  let connection: ReturnType<typeof useConnection>;

  function enter(token: string, clientId: string): void {
    useAccount().use(token, false);
    connection.connect(outside);
    network.last.accept(clientId);
  }

  function beAsked(ID: string): void {
    const Request = { ProjectDirectory: '/p', Question: 'q', Timeout: 600 };
    network.last.say({ Cmd: 'AskQuestion', AskQuestionRequest: { ID, Request } });
  }

  const shown = () => useInbox().items.map((item) => item.key);

  beforeEach(() => {
    vi.useFakeTimers();
    window.sessionStorage.clear();
    window.localStorage.clear();
    setActivePinia(createPinia());
    network = new FakeNetwork();
    outside = { openSocket: network.open, history: () => new FakeHistory() };
    connection = useConnection();
    enter('first', 'me');
  });

  afterEach(() => {
    connection.signOut();
    vi.useRealTimers();
  });

  it('shows nothing of another token', () => {
    beAsked('r1');
    network.last.say({
      Cmd: 'ChatMessageNotification',
      ChatMessageNotification: { chatMessage: { senderClientId: 'b', content: 'hello' } },
    });
    network.last.die(4401, 'revoked');
    enter('second', 'me again');
    expect(shown()).toEqual([]);
    expect(usePeople().chats.size).toBe(0);
    beAsked('r2');
    expect(shown()).toEqual(['r2']);
  });

  it('keeps its content when the same token returns', () => {
    beAsked('r1');
    network.last.die(4401, 'revoked');
    enter('first', 'me again');
    expect(shown()).toEqual(['r1']);
  });

  it('drops a history requested with a former token', async () => {
    let answer: (page: HistoryPage) => void = () => undefined;
    const slow = new FakeHistory();
    slow.page = () => new Promise((resolve) => (answer = resolve));
    outside = { openSocket: network.open, history: () => slow };
    enter('second', 'me');
    await vi.advanceTimersByTimeAsync(0);
    const tell = answer;
    outside = { openSocket: network.open, history: () => new FakeHistory() };
    enter('third', 'me');
    await vi.advanceTimersByTimeAsync(0);
    const prompt = { text: 'q', project: '', agent: '', model: '', client: '', timeoutS: 1, questions: [] };
    const opened = {
      key: 'of the second',
      kind: 'question' as const,
      prompt,
      openedAt: 1,
      deadline: 2,
      state: 'pending' as const,
      outcome: null,
    };
    tell({ ...kEmptyPage, firstChange: 1, lastChange: 1, entries: [{ opened, closed: null }] });
    await vi.advanceTimersByTimeAsync(0);
    expect(shown()).toEqual([]);
    expect(useInbox().synced).toBe(true);
  });

  it('keeps drafts over an expired token, with a reason to sign in', () => {
    useDrafts().set('r1', [{ chosen: [], custom: 'half a thought' }]);
    connection.expired();
    expect(useAccount().token).toBeNull();
    expect(connection.denied).toBe('');
    enter('first', 'me again');
    expect(useDrafts().get('r1')).toEqual([{ chosen: [], custom: 'half a thought' }]);
    expect(connection.denied).toBeNull();
  });

  it.each([
    ['prla_x', true],
    ['other', false],
  ])('tells from %s whether a login has ended', (token, over) => {
    enter(token, 'me');
    network.last.die(4401, 'ended');
    expect([useAccount().token, connection.isLoginOver]).toEqual([null, over]);
  });

  it('leaves no draft behind after sign-out', () => {
    useDrafts().set('r1', [{ chosen: [], custom: 'half a thought' }]);
    window.sessionStorage.setItem(kRunDraftKey, JSON.stringify({ message: 'another half a thought' }));
    connection.signOut();
    expect(useDrafts().get('r1')).toBeUndefined();
    expect(JSON.stringify({ ...window.sessionStorage, ...window.localStorage })).not.toContain('half a thought');
  });
});
