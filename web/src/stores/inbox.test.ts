// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// @vitest-environment jsdom
import { createPinia, setActivePinia } from 'pinia';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Closing, type Item, textContent } from '@/inbox/item';
import { FakeHistory, FakeNetwork, kEmptyPage } from '@/protocol/fake_server';
import type { HistoryEntry, HistoryPage } from '@/protocol/history';
import { useAccount } from './account';
import { useAnswerFiles } from './answer_files';
import { useConnection } from './connection';
import { useDrafts } from './drafts';
import { useInbox } from './inbox';
import { useLostAnswers } from './lost_answers';

const kNow = new Date('2026-03-01T12:00:00Z').getTime();

function request(ID: string, Question = 'q') {
  return { ID, Timestamp: BigInt(kNow), Request: { ProjectDirectory: '/p', Question, Timeout: 600 } };
}

function pendingList(...ids: string[]) {
  return {
    Cmd: 'GetPendingMessages',
    GetPendingMessagesResponse: {
      pendingMessages: ids.map((id) => ({
        messageType: 'AskQuestion',
        askQuestionRequest: request(id),
        createdAt: BigInt(kNow),
        timeout: 600,
      })),
    },
  };
}

function replied(ID: string, client: string, Nickname: string, text: string) {
  return {
    Cmd: 'AskQuestionReplyNotification',
    AskQuestionRequest: request(ID),
    AskQuestionResponse: { ID, contents: [{ type: 1, text: { type: 'text', text } }] },
    StrParam: `Response received from client ${client}`,
    Nickname,
  };
}

type Past = HistoryEntry & { change: number };

// A question that was answered, at the place `change`.
function past(key: string, openedS: number, change: number): Past {
  const opened: Item = {
    key,
    kind: 'question',
    prompt: { text: key, project: '/p', agent: '', model: '', client: '', timeoutS: 600, questions: [] },
    openedAt: openedS * 1000,
    deadline: kNow + 600_000,
    state: 'pending',
    outcome: null,
  };
  const closed: Closing = {
    key,
    state: 'answered',
    outcome: {
      isError: false,
      contents: [],
      reason: '',
      clientId: 'x',
      nickname: 'X',
      channel: '',
      at: change * 1000,
    },
  };
  return { opened, closed, change };
}

function pageOf(entries: Past[], more: boolean, epoch = 'e1'): HistoryPage {
  const changes = entries.map(({ change }) => change);
  const bounds = entries.length > 0 ? [Math.min(...changes), Math.max(...changes)] : [];
  return { ...kEmptyPage, epoch, more, entries, firstChange: bounds[0] ?? 0, lastChange: bounds[1] ?? 0 };
}

describe('inbox', () => {
  let network: FakeNetwork;
  let history: FakeHistory;
  let inbox: ReturnType<typeof useInbox>;

  beforeEach(async () => {
    vi.useFakeTimers({ now: kNow });
    window.sessionStorage.clear();
    window.localStorage.clear();
    setActivePinia(createPinia());
    network = new FakeNetwork();
    history = new FakeHistory();
    useAccount().use('secret', false);
    inbox = useInbox();
    useConnection().connect({ openSocket: network.open, history: () => history });
    network.last.accept('me');
    await vi.advanceTimersByTimeAsync(0);
  });

  afterEach(() => {
    useConnection().signOut();
    vi.useRealTimers();
  });

  async function comeBack(clientId: string): Promise<void> {
    await vi.advanceTimersByTimeAsync(1_200);
    network.last.accept(clientId);
    await vi.advanceTimersByTimeAsync(0);
  }

  const replies = () => network.last.commands().filter((cmd) => cmd.endsWith('Reply'));
  const state = (key: string) => inbox.find(key)?.state;

  it('connects to /ws as a page that knows both additions', () => {
    expect(network.last.url).toMatch(/^ws:\/\/[^/]+\/ws\?gen=1&ack=1&aware=1$/);
  });

  it('shows a doubled question once', () => {
    network.last.say({ Cmd: 'AskQuestion', AskQuestionRequest: request('r1') });
    network.last.say({ Cmd: 'AskQuestion', AskQuestionRequest: request('r1') });
    expect(inbox.pending.map((item) => item.key)).toEqual(['r1']);
  });

  it('shows one card for a report sent as TaskFinish and WorkReport', () => {
    const TaskFinishRequest = { ID: 't1', Request: { Summary: 'done', Timeout: 60 } };
    network.last.say({ Cmd: 'TaskFinish', TaskFinishRequest });
    network.last.say({ Cmd: 'WorkReport', TaskFinishRequest });
    expect(inbox.items).toHaveLength(1);
    expect(inbox.items[0]?.kind).toBe('task_finish');
  });

  it('shows "sending" until the server has stored the reply', () => {
    network.last.say({ Cmd: 'AskQuestion', AskQuestionRequest: request('r1') });
    inbox.answer('r1', [textContent('yes')]);
    expect(replies()).toEqual(['AskQuestionReply']);
    expect(inbox.outbox.get('r1')?.sent).toBe(true);
    expect(state('r1')).toBe('pending');
    network.last.say(replied('r1', 'me', 'Ada', 'yes'));
    expect(inbox.outbox.size).toBe(0);
    expect(state('r1')).toBe('answered');
    expect(inbox.isMine(inbox.find('r1')?.outcome?.clientId ?? '')).toBe(true);
    expect(useLostAnswers().of('r1')).toBeUndefined();
  });

  it('does not send an answer twice', () => {
    network.last.say({ Cmd: 'AskQuestion', AskQuestionRequest: request('r1') });
    inbox.answer('r1', [textContent('yes')]);
    inbox.answer('r1', [textContent('no')]);
    expect(replies()).toHaveLength(1);
  });

  it('names the winner to the loser and keeps the unused words', () => {
    network.last.say({ Cmd: 'AskQuestion', AskQuestionRequest: request('r1') });
    inbox.answer('r1', [textContent('mine')]);
    network.last.say(replied('r1', 'other', 'Bo', 'theirs'));
    expect(useLostAnswers().of('r1')).toEqual({ text: 'mine', files: [] });
    expect(inbox.lastLost?.key).toBe('r1');
    expect(inbox.find('r1')?.outcome?.nickname).toBe('Bo');
  });

  it('keeps a losing answer with its attachments after a reload', () => {
    network.last.say({ Cmd: 'AskQuestion', AskQuestionRequest: request('r1') });
    const picture = {
      type: 'image' as const,
      text: '',
      mimeType: 'image/png',
      uri: 'file://plan.png',
      data: { bytes: new Uint8Array(3) },
    };
    inbox.answer('r1', [textContent('mine'), picture]);
    network.last.say(replied('r1', 'other', 'Bo', 'theirs'));
    setActivePinia(createPinia());
    expect(useLostAnswers().of('r1')).toEqual({ text: 'mine', files: ['plan.png'] });
    useAccount().use('another', false);
    expect(useLostAnswers().of('r1')).toBeUndefined();
  });

  it('keeps what was written but not sent when another answers', () => {
    network.last.say(pendingList('r1', 'r2', 'r3'));
    for (const key of ['r1', 'r2', 'r3']) useDrafts().set(key, [{ chosen: [], custom: 'half' }]);
    useAnswerFiles().add('r1', {
      id: 'a',
      name: 'a.txt',
      kind: 'file',
      size: 1,
      seconds: 0,
      content: textContent('x'),
    });
    network.last.say(replied('r1', 'other', 'Bo', 'theirs'));
    network.last.say(replied('r2', 'other', 'Bo', 'half'));
    network.last.say({
      Cmd: 'RequestCancelled',
      RequestCancelledNotification: { requestId: 'r3', reason: 'x', messageType: 'AskQuestion' },
    });
    expect(['r1', 'r2', 'r3'].map((key) => useLostAnswers().of(key))).toEqual([
      { text: 'half', files: ['a.txt'] },
      undefined,
      { text: 'half', files: [] },
    ]);
    expect(useAnswerFiles().of('r1')).toEqual([]);
  });

  it('does not send a frame that the server would not take', () => {
    network.last.say(pendingList('r1'));
    inbox.answer('r1', [textContent('x'.repeat(17 * 1024 * 1024))]);
    expect(replies()).toEqual([]);
    expect([inbox.outbox.size, inbox.lastRefused?.key]).toEqual([0, 'r1']);
  });

  it('keeps the first outcome of two', () => {
    network.last.say({ Cmd: 'AskQuestion', AskQuestionRequest: request('r1') });
    network.last.say(replied('r1', 'other', 'Bo', 'first'));
    network.last.say(replied('r1', 'third', 'Cy', 'second'));
    expect(inbox.find('r1')?.outcome?.nickname).toBe('Bo');
  });

  it.each([
    ['Request timed out after 600 seconds', 'expired'],
    ['Request was cancelled by client', 'cancelled'],
    ['The agent cancelled its request: McpError: Request timed out', 'cancelled'],
  ])('shows the end of an unanswered question: %s', (reason, fate) => {
    network.last.say({ Cmd: 'AskQuestion', AskQuestionRequest: request('r1') });
    network.last.say({
      Cmd: 'RequestCancelled',
      RequestCancelledNotification: { requestId: 'r1', reason, messageType: 'AskQuestion' },
    });
    expect(state('r1')).toBe(fate);
  });

  it('recovers open questions after a reload in order of creation', () => {
    network.last.say(pendingList('r1', 'r2'));
    expect(inbox.pending.map((item) => item.key)).toEqual(['r1', 'r2']);
  });

  it('resends a reply after a lost line to an open question', async () => {
    network.last.say(pendingList('r1'));
    inbox.answer('r1', [textContent('yes')]);
    network.last.die();
    expect(inbox.outbox.get('r1')?.sent).toBe(false);
    await comeBack('me2');
    expect(replies()).toEqual([]);
    network.last.say(pendingList('r1'));
    expect(replies()).toEqual(['AskQuestionReply']);
    network.last.say(replied('r1', 'me2', 'Ada', 'yes'));
    expect(state('r1')).toBe('answered');
  });

  it('recognizes a reply stored before the line was lost', async () => {
    network.last.say(pendingList('r1'));
    inbox.answer('r1', [textContent('yes')]);
    network.last.die();
    const answered = past('r1', 1, 2);
    if (answered.closed) answered.closed.outcome.clientId = 'me';
    history.pages.set(null, pageOf([answered], false));
    await comeBack('me2');
    network.last.say(pendingList());
    await vi.advanceTimersByTimeAsync(0);
    expect(replies()).toEqual([]);
    expect(state('r1')).toBe('answered');
    expect(useLostAnswers().of('r1')).toBeUndefined();
    expect(inbox.outbox.size).toBe(0);
  });

  it('keeps an answer given during an outage and sends it afterwards', async () => {
    network.last.say(pendingList('r1'));
    network.last.die();
    inbox.answer('r1', [textContent('yes')]);
    expect(inbox.outbox.get('r1')?.sent).toBe(false);
    await comeBack('me2');
    network.last.say(pendingList('r1'));
    expect(network.last.received.at(-1)?.AskQuestionResponse?.contents[0]?.text?.text).toBe('yes');
  });

  it('lets an unsent answer be taken back', () => {
    network.last.say(pendingList('r1'));
    network.last.die();
    inbox.answer('r1', [textContent('yes')]);
    inbox.recall('r1');
    expect(inbox.outbox.size).toBe(0);
    expect(state('r1')).toBe('pending');
  });

  it('removes a question that ended during an absence', async () => {
    network.last.say(pendingList('r1', 'r2'));
    network.last.die();
    await comeBack('me2');
    network.last.say(pendingList('r2'));
    expect(state('r1')).toBe('closed');
    expect(inbox.pending.map((item) => item.key)).toEqual(['r2']);
  });

  it('trusts the server about a closed question', () => {
    network.last.say(pendingList('r1'));
    network.last.say({
      Cmd: 'CheckMessageValidity',
      CheckMessageValidityResponse: { validity: { r1: false } },
    });
    expect(state('r1')).toBe('closed');
  });

  it('gives back an answer refused by the server, with the reason', () => {
    network.last.say(pendingList('r1'));
    useDrafts().set('r1', [{ chosen: [], custom: 'yes' }]);
    inbox.answer('r1', [textContent('yes')]);
    expect(inbox.outbox.has('r1')).toBe(true);
    network.last.say({
      Cmd: 'CheckMessageValidity',
      CheckMessageValidityResponse: { validity: { r1: true } },
    });
    expect(inbox.outbox.has('r1')).toBe(false);
    expect(inbox.lastRefused?.key).toBe('r1');
    expect(useDrafts().get('r1')).toEqual([{ chosen: [], custom: 'yes' }]);
    inbox.answer('r1', [textContent('yes')]);
    expect(replies()).toHaveLength(2);
  });

  it('keeps a draft until the answer is stored', () => {
    const drafts = useDrafts();
    network.last.say(pendingList('r1'));
    drafts.set('r1', [{ chosen: [], custom: 'half' }]);
    inbox.answer('r1', [textContent('half')]);
    expect(drafts.get('r1')).toBeDefined();
    network.last.say(replied('r1', 'me', 'Ada', 'half'));
    expect(drafts.get('r1')).toBeUndefined();
  });

  it('asks again about an unacknowledged answer', async () => {
    network.last.say(pendingList('r1'));
    inbox.answer('r1', [textContent('yes')]);
    const before = network.last.received.length;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(network.last.commands().slice(before)).toContain('GetPendingMessages');
  });

  describe('history', () => {
    it('merges pages with live items by request ID', async () => {
      network.last.say({ Cmd: 'AskQuestion', AskQuestionRequest: request('b') });
      network.last.say(replied('b', 'other', 'Bo', 'x'));
      history.pages.set(null, pageOf([past('a', 1, 2), past('b', 3, 4)], false));
      await inbox.loadLatest();
      expect(inbox.items.map((item) => item.key)).toEqual(['a', 'b']);
      expect(inbox.historyComplete).toBe(true);
    });

    it('shows the end of a question that was asked before the known page', async () => {
      const waits = { ...past('a', 1, 1), closed: null };
      history.pages.set(null, pageOf([waits, past('b', 2, 62)], false));
      await inbox.loadLatest();
      history.pages.set(null, pageOf([past('b', 2, 62), past('a', 1, 63)], false));
      await inbox.loadLatest();
      expect(inbox.items.map((item) => [item.key, item.state])).toEqual([
        ['b', 'answered'],
        ['a', 'answered'],
      ]);
    });

    it('loads older pages to the end', async () => {
      const newest = Array.from({ length: 25 }, (_, i) => past(`n${i}`, 100 + i, 101 + i));
      history.pages.set(null, pageOf(newest, true));
      history.pages.set(101, pageOf([past('old', 1, 2)], false));
      await inbox.loadLatest();
      expect(inbox.historyComplete).toBe(false);
      await inbox.loadOlder();
      expect(inbox.items[0]?.key).toBe('old');
      expect(inbox.historyComplete).toBe(true);
      const asked = history.asked.length;
      await inbox.loadOlder();
      expect(history.asked).toHaveLength(asked);
    });

    it('loads the newest page that was asked for while an older one was loading', async () => {
      const newest = Array.from({ length: 25 }, (_, i) => past(`n${i}`, 100 + i, 101 + i));
      history.pages.set(null, pageOf(newest, true));
      history.pages.set(101, pageOf([past('old', 1, 2)], false));
      await inbox.loadLatest();
      const older = inbox.loadOlder();
      history.pages.set(null, pageOf([...newest, past('late', 200, 201)], true));
      await inbox.loadLatest(); // an outcome that the page missed, for example
      await older;
      await vi.waitFor(() => expect(inbox.items.at(-1)?.key).toBe('late'));
      const asked = history.asked.length;
      await inbox.loadLatest();
      expect(history.asked).toHaveLength(asked + 1);
    });

    it('closes the gap of an absence', async () => {
      history.pages.set(null, pageOf([past('a', 1, 2)], false));
      await inbox.loadLatest();
      history.pages.set(null, pageOf([past('c', 101, 101)], true));
      history.pages.set(101, pageOf([past('b', 2, 50)], true));
      await inbox.loadLatest();
      expect(inbox.items.map((item) => item.key)).toEqual(['a', 'b', 'c']);
    });

    it('begins anew when the server has other data', async () => {
      history.pages.set(null, pageOf([past('a', 1, 2)], false));
      await inbox.loadLatest();
      history.pages.set(null, pageOf([past('z', 1, 2)], false, 'e2'));
      await inbox.loadLatest();
      expect(inbox.items.map((item) => item.key)).toEqual(['z']);
      expect(network.last.commands().at(-2)).toBe('GetPendingMessages');
    });

    it('reports a failed load and retries on request', async () => {
      history.failing = true;
      await inbox.loadLatest();
      expect(inbox.historyState).toBe('failed');
      history.failing = false;
      await inbox.loadLatest();
      expect(inbox.historyState).toBe('idle');
    });

    it('follows the clock of the server when the browser is wrong', async () => {
      history.pages.set(null, { ...pageOf([past('a', 1, 2)], false), serverTime: kNow + 90_000 });
      await inbox.loadLatest();
      expect(inbox.serverNow()).toBe(kNow + 90_000);
    });
  });
});
