// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// @vitest-environment jsdom
import { createPinia, setActivePinia } from 'pinia';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Closing, type Item, textContent } from '@/inbox/item';
import { FakeHistory, FakeNetwork, kEmptyPage } from '@/protocol/fake_server';
import type { HistoryEvent, HistoryPage } from '@/protocol/history';
import { useAccount } from './account';
import { useConnection } from './connection';
import { useDrafts } from './drafts';
import { useInbox } from './inbox';

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

function past(key: string, openedSeq: number, closedSeq: number): HistoryEvent[] {
  const opened: Item = {
    key,
    kind: 'question',
    prompt: { text: key, project: '/p', agent: '', model: '', client: '', timeoutS: 600, questions: [] },
    openedAt: openedSeq * 1000,
    deadline: kNow + 600_000,
    state: 'pending',
    outcome: null,
  };
  const closed: Closing = {
    key,
    state: 'answered',
    outcome: { isError: false, contents: [], reason: '', clientId: 'x', nickname: 'X', at: closedSeq * 1000 },
  };
  return [
    { seq: openedSeq, opened },
    { seq: closedSeq, closed },
  ];
}

function pageOf(events: HistoryEvent[], more: boolean, epoch = 'e1'): HistoryPage {
  const seqs = events.map((event) => event.seq);
  return { ...kEmptyPage, epoch, events, more, firstSeq: Math.min(...seqs), lastSeq: Math.max(...seqs) };
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
    expect(network.last.url).toMatch(/^ws:\/\/[^/]+\/ws\?gen=1&ack=1$/);
  });

  it('shows a question that comes, once, even if the frame is doubled', () => {
    network.last.say({ Cmd: 'AskQuestion', AskQuestionRequest: request('r1') });
    network.last.say({ Cmd: 'AskQuestion', AskQuestionRequest: request('r1') });
    expect(inbox.pending.map((item) => item.key)).toEqual(['r1']);
  });

  it('shows one card for a report that comes as TaskFinish and as WorkReport', () => {
    const TaskFinishRequest = { ID: 't1', Request: { Summary: 'done', Timeout: 60 } };
    network.last.say({ Cmd: 'TaskFinish', TaskFinishRequest });
    network.last.say({ Cmd: 'WorkReport', TaskFinishRequest });
    expect(inbox.items).toHaveLength(1);
    expect(inbox.items[0]?.kind).toBe('task_finish');
  });

  it('shows "sending" until the server says that the reply is stored', () => {
    network.last.say({ Cmd: 'AskQuestion', AskQuestionRequest: request('r1') });
    inbox.answer('r1', [textContent('yes')]);
    expect(replies()).toEqual(['AskQuestionReply']);
    expect(inbox.outbox.get('r1')?.sent).toBe(true);
    expect(state('r1')).toBe('pending');
    network.last.say(replied('r1', 'me', 'Ada', 'yes'));
    expect(inbox.outbox.size).toBe(0);
    expect(state('r1')).toBe('answered');
    expect(inbox.isMine(inbox.find('r1')?.outcome?.clientId ?? '')).toBe(true);
    expect(inbox.lost.size).toBe(0);
  });

  it('does not send an answer twice', () => {
    network.last.say({ Cmd: 'AskQuestion', AskQuestionRequest: request('r1') });
    inbox.answer('r1', [textContent('yes')]);
    inbox.answer('r1', [textContent('no')]);
    expect(replies()).toHaveLength(1);
  });

  it('tells the loser who won and keeps the words that were not used', () => {
    network.last.say({ Cmd: 'AskQuestion', AskQuestionRequest: request('r1') });
    inbox.answer('r1', [textContent('mine')]);
    network.last.say(replied('r1', 'other', 'Bo', 'theirs'));
    expect(inbox.lost.get('r1')).toBe('mine');
    expect(inbox.lastLost?.key).toBe('r1');
    expect(inbox.find('r1')?.outcome?.nickname).toBe('Bo');
  });

  it('keeps the first fate when a second one is told', () => {
    network.last.say({ Cmd: 'AskQuestion', AskQuestionRequest: request('r1') });
    network.last.say(replied('r1', 'other', 'Bo', 'first'));
    network.last.say(replied('r1', 'third', 'Cy', 'second'));
    expect(inbox.find('r1')?.outcome?.nickname).toBe('Bo');
  });

  it.each([
    ['Request timed out after 600 seconds', 'expired'],
    ['Request was cancelled by client', 'cancelled'],
    ['The agent cancelled its request: McpError: Request timed out', 'cancelled'],
  ])('says how an unanswered question ended: %s', (reason, fate) => {
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

  it('sends a reply again after a lost line if the question is still open', async () => {
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

  it('sees that its reply had arrived before the line was lost', async () => {
    network.last.say(pendingList('r1'));
    inbox.answer('r1', [textContent('yes')]);
    network.last.die();
    const [, answered] = past('r1', 1, 2);
    if (answered?.closed) answered.closed.outcome.clientId = 'me';
    history.pages.set(null, pageOf(answered ? [answered] : [], false));
    await comeBack('me2');
    network.last.say(pendingList());
    await vi.advanceTimersByTimeAsync(0);
    expect(replies()).toEqual([]);
    expect(state('r1')).toBe('answered');
    expect(inbox.lost.size).toBe(0);
    expect(inbox.outbox.size).toBe(0);
  });

  it('keeps an answer given while the server is away and sends it when it is back', async () => {
    network.last.say(pendingList('r1'));
    network.last.die();
    inbox.answer('r1', [textContent('yes')]);
    expect(inbox.outbox.get('r1')?.sent).toBe(false);
    await comeBack('me2');
    network.last.say(pendingList('r1'));
    expect(network.last.received.at(-1)?.AskQuestionResponse?.contents[0]?.text?.text).toBe('yes');
  });

  it('lets an answer be taken back while it has not left', () => {
    network.last.say(pendingList('r1'));
    network.last.die();
    inbox.answer('r1', [textContent('yes')]);
    inbox.recall('r1');
    expect(inbox.outbox.size).toBe(0);
    expect(state('r1')).toBe('pending');
  });

  it('takes a question off that has ended while the page was away', async () => {
    network.last.say(pendingList('r1', 'r2'));
    network.last.die();
    await comeBack('me2');
    network.last.say(pendingList('r2'));
    expect(state('r1')).toBe('closed');
    expect(inbox.pending.map((item) => item.key)).toEqual(['r2']);
  });

  it('believes the server when it says that a question is not open any more', () => {
    network.last.say(pendingList('r1'));
    network.last.say({
      Cmd: 'CheckMessageValidity',
      CheckMessageValidityResponse: { validity: { r1: false } },
    });
    expect(state('r1')).toBe('closed');
  });

  it('gives an answer back that the server could not take, and says so', () => {
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

  it('asks after an answer that nobody acknowledges', async () => {
    network.last.say(pendingList('r1'));
    inbox.answer('r1', [textContent('yes')]);
    const before = network.last.received.length;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(network.last.commands().slice(before)).toContain('GetPendingMessages');
  });

  describe('history', () => {
    it('merges pages with what came live, by request ID', async () => {
      network.last.say({ Cmd: 'AskQuestion', AskQuestionRequest: request('b') });
      network.last.say(replied('b', 'other', 'Bo', 'x'));
      history.pages.set(null, pageOf([...past('a', 1, 2), ...past('b', 3, 4)], false));
      await inbox.loadLatest();
      expect(inbox.items.map((item) => item.key)).toEqual(['a', 'b']);
      expect(inbox.historyComplete).toBe(true);
    });

    it('joins an end with a beginning from an older page', async () => {
      const [opened, closed] = past('a', 10, 60);
      const [openedB, closedB] = past('b', 61, 62);
      if (!opened || !closed || !openedB || !closedB) throw new Error('no events');
      history.pages.set(null, pageOf([closed, openedB, closedB], true));
      history.pages.set(60, pageOf([opened], false));
      await inbox.loadLatest();
      expect(history.asked).toEqual([null, null, 60]);
      expect(inbox.items.map((item) => [item.key, item.state])).toEqual([
        ['a', 'answered'],
        ['b', 'answered'],
      ]);
    });

    it('loads older pages until there are none', async () => {
      const newest = Array.from({ length: 25 }, (_, i) => past(`n${i}`, 101 + 2 * i, 102 + 2 * i)).flat();
      history.pages.set(null, pageOf(newest, true));
      history.pages.set(101, pageOf(past('old', 1, 2), false));
      await inbox.loadLatest();
      expect(inbox.historyComplete).toBe(false);
      await inbox.loadOlder();
      expect(inbox.items[0]?.key).toBe('old');
      expect(inbox.historyComplete).toBe(true);
      const asked = history.asked.length;
      await inbox.loadOlder();
      expect(history.asked).toHaveLength(asked);
    });

    it('closes the gap that arose while the page was away', async () => {
      history.pages.set(null, pageOf(past('a', 1, 2), false));
      await inbox.loadLatest();
      history.pages.set(null, pageOf(past('c', 101, 102), true));
      history.pages.set(101, pageOf(past('b', 2, 50), true));
      await inbox.loadLatest();
      expect(inbox.items.map((item) => item.key)).toEqual(['a', 'b', 'c']);
    });

    it('begins anew when the data of the server are others', async () => {
      history.pages.set(null, pageOf(past('a', 1, 2), false));
      await inbox.loadLatest();
      history.pages.set(null, pageOf(past('z', 1, 2), false, 'e2'));
      await inbox.loadLatest();
      expect(inbox.items.map((item) => item.key)).toEqual(['z']);
      expect(network.last.commands().at(-2)).toBe('GetPendingMessages');
    });

    it('says that it could not be loaded and loads when asked again', async () => {
      history.failing = true;
      await inbox.loadLatest();
      expect(inbox.historyState).toBe('failed');
      history.failing = false;
      await inbox.loadLatest();
      expect(inbox.historyState).toBe('idle');
    });

    it('follows the clock of the server when the browser is wrong', async () => {
      history.pages.set(null, { ...pageOf(past('a', 1, 2), false), serverTime: kNow + 90_000 });
      await inbox.loadLatest();
      expect(inbox.serverNow()).toBe(kNow + 90_000);
    });
  });
});
