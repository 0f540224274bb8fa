// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { defineStore } from 'pinia';
import { computed, ref, shallowReactive, shallowRef } from 'vue';
import type { AskQuestionResponse, TaskFinishResponse, WebsocketMessage } from '@/gen/agentassist_pb';
import { typedText } from '@/inbox/answer_form';
import { groupByProject } from '@/inbox/conversations';
import { type AnswerContent, answerText, attachmentsOf, type Closing, type Item } from '@/inbox/item';
import { Ledger, threadOrder } from '@/inbox/ledger';
import { shownDigest } from '@/inbox/shown';
import { contentName, contentsFromWire } from '@/protocol/content';
import { itemOfPending, itemOfQuestion, itemOfTaskFinish, replierOf, replyFrame } from '@/protocol/frames';
import type { HistoryPage, HistoryReader } from '@/protocol/history';
import { useAnswerFiles } from './answer_files';
import { useDrafts } from './drafts';
import { useLostAnswers } from './lost_answers';
import { readStored, sessionStore, writeStored } from './storage';

// The meta field of the SHA-256 of what was shown; no agent receives it (docs/events.md).
const kShownMeta = 'parley.shown_sha256';

// The inbox's interface of the connection.
export interface Link {
  send: (frame: Uint8Array) => boolean;
  refresh: () => void; // requests the pending list and the online users
  history: HistoryReader;
}

export interface Unsent {
  contents: AnswerContent[];
  meta: Readonly<Record<string, string>>;
  sent: boolean; // sent, not confirmed; false: waits for a connection
}

export type HistoryState = 'idle' | 'loading' | 'failed';

const kOwnIdsKey = 'parley.client_ids';
const kAckTimeoutMs = 8_000;
// Limit (Answers in the console): a frame of the console. Reached: not sent; the form shows the answer again with a
// sentence.
const kMaxFrameBytes = 16 * 1024 * 1024; // the server closes the connection on a larger one
const kTimedOut = 'Request timed out'; // prefix of the server's reason of an expiry
const kMaxGapPages = 20;
const kEnoughItems = 20;
const kSkewThatMattersMs = 2_000;

export const useInbox = defineStore('inbox', () => {
  const drafts = useDrafts();
  const files = useAnswerFiles();
  const lost = useLostAnswers();
  const ledger = new Ledger();
  const version = ref(0);
  const outbox = shallowReactive(new Map<string, Unsent>());
  const demoAnswers = shallowReactive(new Map<string, string>());
  const ownIds = new Set(readStored<string[]>(sessionStore(), kOwnIdsKey, []));
  const lastAsked = shallowRef<Item | null>(null);
  const hasAnswered = ref(false); // an answer of this page has won since it was opened
  const lastLost = shallowRef<Item | null>(null);
  const lastRefused = shallowRef<Item | null>(null);
  const clockSkew = ref(0); // server minus browser, ms

  const historyState = ref<HistoryState>('idle');
  const historyComplete = ref(false);
  const listed = ref(false); // the pending list has been received once
  const synced = ref(false); // the pending list and the newest page have been received once
  let epoch = '';
  const oldest = ref(0); // place of the loaded history
  let newest = 0;
  let link: Link | null = null;
  let latestWanted = false; // asked for while a page was loading
  let life = 0; // incremented by reset(): answers to earlier requests are dropped

  const items = computed(() => {
    void version.value;
    return threadOrder(ledger.values());
  });
  const pending = computed(() => items.value.filter((item) => item.state === 'pending'));
  const waiting = computed(() => pending.value.filter((item) => !outbox.has(item.key)));
  const groups = computed(() => groupByProject(items.value));

  function changed(): void {
    version.value += 1;
  }

  function find(key: string): Item | undefined {
    void version.value;
    return ledger.get(key);
  }

  function serverNow(): number {
    return Date.now() + clockSkew.value;
  }

  function isMine(clientId: string): boolean {
    return clientId !== '' && ownIds.has(clientId);
  }

  // --- connection -----------------------------------------------------------------------------

  function attach(next: Link): void {
    link = next;
  }

  function loggedIn(clientId: string): void {
    ownIds.add(clientId);
    writeStored(sessionStore(), kOwnIdsKey, [...ownIds].slice(-50));
    void loadLatest();
  }

  // Sent answers may or may not have arrived; the pending list after the next login shows which.
  function disconnected(): void {
    for (const [key, unsent] of outbox) outbox.set(key, { ...unsent, sent: false });
  }

  function reset(): void {
    life += 1;
    latestWanted = false;
    ledger.clear();
    outbox.clear();
    epoch = '';
    oldest.value = newest = 0;
    historyComplete.value = false;
    historyState.value = 'idle';
    listed.value = false;
    synced.value = false;
    changed();
  }

  // --- live -----------------------------------------------------------------------------------

  function receive(message: WebsocketMessage): void {
    switch (message.Cmd) {
      case 'AskQuestion':
        if (message.AskQuestionRequest) asked(itemOfQuestion(message.AskQuestionRequest, serverNow()));
        break;
      case 'TaskFinish':
      case 'WorkReport':
        if (message.TaskFinishRequest) asked(itemOfTaskFinish(message.TaskFinishRequest, serverNow()));
        break;
      case 'AskQuestionReplyNotification':
        if (message.AskQuestionRequest) open(itemOfQuestion(message.AskQuestionRequest, serverNow()));
        replied(message, message.AskQuestionResponse);
        break;
      case 'TaskFinishReplyNotification':
      case 'WorkReportReplyNotification':
        if (message.TaskFinishRequest) open(itemOfTaskFinish(message.TaskFinishRequest, serverNow()));
        replied(message, message.TaskFinishResponse);
        break;
      case 'RequestCancelled':
        if (message.RequestCancelledNotification) {
          const { reason, requestId } = message.RequestCancelledNotification;
          const state = reason.startsWith(kTimedOut) ? 'expired' : 'cancelled';
          settle({ key: requestId, state, outcome: outcomeNow({ reason }) });
        }
        break;
      case 'GetPendingMessages':
        recover(message);
        break;
      case 'CheckMessageValidity':
        validity(message.CheckMessageValidityResponse?.validity ?? {});
        break;
    }
  }

  function outcomeNow(part: Partial<Closing['outcome']>): Closing['outcome'] {
    const none = { isError: false, contents: [], reason: '', clientId: '', nickname: '', channel: '' };
    return { ...none, at: serverNow(), ...part };
  }

  function open(item: Item | null): boolean {
    if (!item || !ledger.open(item)) return false;
    changed();
    return true;
  }

  function asked(item: Item | null): void {
    if (open(item) && item) lastAsked.value = item;
  }

  function replied(message: WebsocketMessage, response: AskQuestionResponse | TaskFinishResponse | undefined): void {
    const key = response?.ID || message.AskQuestionRequest?.ID || message.TaskFinishRequest?.ID;
    if (!key) return;
    const clientId = replierOf(message.StrParam);
    settle({
      key,
      state: 'answered',
      outcome: outcomeNow({
        isError: response?.IsError ?? false,
        contents: contentsFromWire(response?.contents ?? []),
        clientId,
        nickname: message.Nickname,
        channel: response?.Meta['parley.channel'] ?? (isMine(clientId) ? 'console' : ''),
      }),
    });
  }

  // Handles an outcome. An unconfirmed own answer has won or lost with it.
  function settle(closing: Closing): void {
    const unsent = outbox.get(closing.key);
    if (closing.state !== 'closed' && unsent) {
      outbox.delete(closing.key);
      hasAnswered.value ||= isMine(closing.outcome.clientId);
      if (!isMine(closing.outcome.clientId)) {
        const names = attachmentsOf(unsent.contents).map(contentName);
        lost.keep(closing.key, { text: answerText(unsent.contents), files: names });
        lastLost.value = ledger.get(closing.key) ?? null;
      }
    } else if (closing.state !== 'closed' && !isMine(closing.outcome.clientId)) {
      keepUnsentDraft(closing);
    }
    if (closing.state !== 'closed') {
      drafts.remove(closing.key);
      files.drop(closing.key);
    }
    if (ledger.close(closing)) changed();
  }

  // Keeps what was written for a question that ended before it was sent.
  function keepUnsentDraft({ key, outcome }: Closing): void {
    const text = typedText(drafts.get(key) ?? []);
    if (text === answerText(outcome.contents) && files.of(key).length === 0) return;
    lost.keep(key, { text, files: files.of(key).map(({ name }) => name) });
  }

  function recover(message: WebsocketMessage): void {
    const waitingNow = new Set<string>();
    for (const entry of message.GetPendingMessagesResponse?.pendingMessages ?? []) {
      const item = itemOfPending(entry, serverNow());
      if (!item) continue;
      waitingNow.add(item.key);
      open(item);
    }
    listed.value = true;
    let isMissing = false;
    for (const item of ledger.values()) {
      if (item.state !== 'pending' || waitingNow.has(item.key)) continue;
      isMissing = true;
      settle({ key: item.key, state: 'closed', outcome: outcomeNow({ at: item.openedAt }) });
    }
    if (isMissing) void loadLatest();
    for (const [key, unsent] of outbox) if (!unsent.sent && waitingNow.has(key)) transmit(key);
  }

  // Handles the validity of questions, which the server sends after a reply without effect.
  function validity(states: Record<string, boolean>): void {
    for (const [key, valid] of Object.entries(states)) {
      if (valid && outbox.get(key)?.sent) {
        outbox.delete(key);
        const item = ledger.get(key);
        lastRefused.value = item ? { ...item } : null; // a second refusal is a change too
      }
      if (valid || ledger.get(key)?.state !== 'pending') continue;
      settle({ key, state: 'closed', outcome: outcomeNow({}) });
      void loadLatest();
    }
  }

  // --- answering ------------------------------------------------------------------------------

  // `meta`: see answerMeta(). An answer names the text that was shown, as far as it was hashed.
  function answer(key: string, contents: AnswerContent[], meta: Record<string, string> = {}): void {
    const item = ledger.get(key);
    if (item?.state !== 'pending' || outbox.has(key)) return;
    const shown = shownDigest(item);
    outbox.set(key, { contents, meta: shown === '' ? meta : { ...meta, [kShownMeta]: shown }, sent: false });
    transmit(key);
  }

  // Withdraws an answer that was not sent yet.
  function recall(key: string): void {
    if (outbox.get(key)?.sent === false) outbox.delete(key);
  }

  function transmit(key: string): void {
    const item = ledger.get(key);
    const unsent = outbox.get(key);
    if (!item || !unsent) return;
    const frame = replyFrame(item, unsent.contents, unsent.meta);
    if (frame.length > kMaxFrameBytes) {
      outbox.delete(key);
      lastRefused.value = { ...item };
      return;
    }
    if (!link?.send(frame)) return;
    outbox.set(key, { ...unsent, sent: true });
    setTimeout(() => {
      if (outbox.get(key)?.sent) link?.refresh();
    }, kAckTimeoutMs);
  }

  // --- history --------------------------------------------------------------------------------

  function take(page: HistoryPage): void {
    const skew = page.serverTime - Date.now();
    if (page.serverTime > 0) clockSkew.value = Math.abs(skew) > kSkewThatMattersMs ? skew : 0;
    for (const { opened, closed } of page.entries) {
      ledger.open(expireLost(opened));
      if (closed) settle(closed);
    }
    if (page.firstChange > 0) {
      oldest.value = oldest.value === 0 ? page.firstChange : Math.min(oldest.value, page.firstChange);
      newest = Math.max(newest, page.lastChange);
    }
    changed();
  }

  function expireLost(item: Item): Item {
    const over = item.deadline > 0 && item.deadline + kAckTimeoutMs < serverNow();
    return over ? { ...item, state: 'closed' } : item;
  }

  // Loads the newest page, and older ones until they overlap with known history.
  async function loadLatest(): Promise<void> {
    if (!link) return;
    if (historyState.value === 'loading') {
      latestWanted = true;
      return;
    }
    const { history, refresh } = link;
    historyState.value = 'loading';
    let mine = life;
    try {
      let known = newest;
      let page = await history.page(null);
      if (mine !== life) return;
      if (epoch !== '' && page.epoch !== epoch) {
        reset();
        mine = life;
        historyState.value = 'loading';
        known = 0;
        refresh();
      }
      epoch = page.epoch;
      for (let count = 0; mine === life; count += 1) {
        take(page);
        const gap = known > 0 && page.more && page.firstChange > known + 1;
        const few = known === 0 && page.more && ledger.size < kEnoughItems;
        if (known === 0) historyComplete.value = !page.more;
        if (count >= kMaxGapPages || page.entries.length === 0 || (!gap && !few)) break;
        page = await history.page(page.firstChange);
      }
      if (mine !== life) return;
      loaded('idle');
    } catch {
      if (mine !== life) return;
      loaded('failed');
    }
    synced.value = true;
  }

  // The end of a load. What it was too early for is loaded now.
  function loaded(state: 'idle' | 'failed'): void {
    historyState.value = state;
    const again = latestWanted;
    latestWanted = false;
    if (again) void loadLatest();
  }

  async function loadOlder(): Promise<void> {
    if (!link || historyState.value === 'loading') return;
    if (historyComplete.value || oldest.value === 0) return;
    historyState.value = 'loading';
    const mine = life;
    try {
      const page = await link.history.page(oldest.value);
      if (mine !== life) return;
      take(page);
      historyComplete.value = !page.more || page.entries.length === 0;
      loaded('idle');
    } catch {
      if (mine === life) loaded('failed');
    }
  }

  return {
    items,
    pending,
    waiting,
    groups,
    outbox,
    demoAnswers,
    lastAsked,
    lastLost,
    lastRefused,
    hasAnswered,
    clockSkew,
    historyState,
    historyComplete,
    oldest,
    listed,
    synced,
    find,
    isMine,
    serverNow,
    attach,
    loggedIn,
    disconnected,
    reset,
    receive,
    answer,
    recall,
    loadLatest,
    loadOlder,
  };
});
