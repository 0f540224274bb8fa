// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { defineStore } from 'pinia';
import { computed, ref, shallowRef } from 'vue';
import type { Attachment } from '@/chat/attachments';
import { isClientTool, kClientTools, runClientTool } from '@/chat/client_tools';
import { commandOf } from '@/chat/commands';
import { ChatConnection, type ChatLine, type ChatSocket, chatUrl } from '@/chat/connection';
import { ChatFold } from '@/chat/fold';
import {
  answerFrame,
  type ChatFrame,
  interruptFrame,
  messageFrame,
  orderFrame,
  type Scope,
  type ToolCall,
} from '@/chat/frames';
import { callKey, type CallItem, type ChatItem, isShown, type UserItem } from '@/chat/items';
import { asText } from '@/wire/json';
import { useAccount } from './account';
import { useChatDocuments } from './chat_documents';
import { useChatSessions } from './chat_sessions';
import { useLogin } from './login';
import { readStored, sessionStore, writeStored } from './storage';

const kMineKey = 'parley.chat-mine';
const kMaxMine = 200;
const kConfirmMs = 8_000; // after this time an unconfirmed message is marked as failed
const kOthersMs = 3_000; // delay before this tab executes a call of a run that another tab started
const kNoticeMs = 400;
const kFlood = 200; // number of frames at once
const kSlowMs = 150;
const kKeptAttachments = 20;
const kMaxMessageChars = 15 * 1024 * 1024; // the server closes the connection on a message over 16 MiB

export interface Outside {
  openSocket: (url: string) => ChatSocket;
  page: () => string;
}

const kBrowser: Outside = {
  openSocket: (url) => new WebSocket(url),
  page: () => window.location.href,
};

// The open chat: its connection, its items, and the messages to it.
export const useChat = defineStore('chat', () => {
  const account = useAccount();
  const documents = useChatDocuments();
  const login = useLogin();
  const sessions = useChatSessions();
  const session = ref('');
  const line = shallowRef<ChatLine>({ phase: 'stopped' });
  const loaded = ref(false); // frames have arrived, or the connection has been live for a moment
  const tick = ref(0); // the fold has changed
  const isTooLarge = ref(false); // the last message was too large
  const notice = ref(''); // the reason for a refused message to a run
  const decided = shallowRef<ReadonlySet<string>>(new Set()); // calls that were answered here
  const attached = new Map<string, readonly Attachment[]>(); // by requestId, of this page's life
  let fold = new ChatFold();
  let connection: ChatConnection | null = null;
  let outside: Outside = kBrowser;
  let drawing = false;
  let waiting = 0; // number of frames not shown yet
  let isFlood = false;
  let number = 0;
  let used = ''; // the token of the connection
  let timers: ReturnType<typeof setTimeout>[] = [];

  const view = computed(() => {
    void tick.value;
    return {
      items: fold.items.filter(isShown),
      running: fold.running,
      activity: fold.activity,
      usage: fold.usage,
      asking: fold.asking,
    };
  });
  const isRunning = computed(() => view.value.running !== '');
  const isSending = computed(() => view.value.items.some((it) => it.is === 'user' && it.state === 'sending'));

  function useOutside(other: Outside): void {
    outside = other;
  }

  // Updates the page once per animation frame for all new frames, and less often while a long chat is read for
  // the first time.
  function changed(): void {
    waiting += 1;
    if (drawing) return;
    drawing = true;
    const draw = () => {
      drawing = false;
      isFlood = waiting > kFlood;
      waiting = 0;
      tick.value += 1;
    };
    if (document.hidden || isFlood) setTimeout(draw, kSlowMs);
    else requestAnimationFrame(draw);
  }

  function later(ms: number, act: () => void): void {
    timers.push(setTimeout(act, ms));
  }

  async function open(code: string): Promise<void> {
    leave();
    session.value = code;
    if (code === '') return;
    await documents.open(code);
    if (session.value !== code || account.token === null) return;
    connection = new ChatConnection({
      session: code,
      url(after) {
        used = account.token ?? '';
        return chatUrl(outside.page(), code, used, after);
      },
      after: () => fold.lastSeq,
      openSocket: (url) => outside.openSocket(url),
      check: () => sessions.http().check(code),
      onFrame,
      onLine,
    });
    connection.start();
  }

  function leave(): void {
    connection?.stop();
    connection = null;
    timers.forEach(clearTimeout);
    timers = [];
    fold = new ChatFold();
    attached.clear();
    decided.value = new Set();
    line.value = { phase: 'stopped' };
    loaded.value = false;
    notice.value = '';
    session.value = '';
    documents.refuseAll();
    tick.value += 1;
  }

  // Reconnects with the next access token of the login, if there is one.
  async function renew(failed: ChatLine): Promise<void> {
    const mine = connection;
    line.value = { phase: 'connecting' };
    const renewed = await login.renew(used);
    if (connection !== mine) return;
    if (renewed) mine?.reopen();
    else line.value = failed;
  }

  function onLine(next: ChatLine): void {
    if (next.phase === 'failed' && next.reason === 'signedOut' && account.login !== null) return void renew(next);
    line.value = next;
    if (next.phase !== 'live') return;
    later(300, () => (loaded.value = true));
    // A message sent before a loss of the connection is either in the replayed frames or was not accepted.
    for (const item of fold.items)
      if (item.is === 'user' && item.state === 'sending') expectConfirmation(item.requestId);
  }

  function onFrame(frame: ChatFrame): void {
    fold.take(frame);
    loaded.value = true;
    if (fold.hasNotice) {
      later(kNoticeMs, () => {
        const words = fold.takeNotice();
        if (words !== '') notice.value = words;
      });
    }
    if (frame.type === 'AGENT_TOOL_CALL_REQUEST' && frame.data['isClientTool'] === true) onClientCall(frame);
    changed();
  }

  // --- messages ---

  function newRequestId(): string {
    number += 1;
    return `${Date.now()}${String(number % 1000).padStart(3, '0')}`;
  }

  function expectConfirmation(requestId: string): void {
    later(kConfirmMs, () => {
      if (line.value.phase !== 'live') return; // checked again when it is
      fold.unsent(requestId, '');
      changed();
    });
  }

  // False: not sent: not connected, empty, or too large.
  function say(text: string, files: readonly Attachment[], replaces = ''): boolean {
    const content = text.trim();
    const command = files.length === 0 && replaces === '' ? commandOf(content) : null;
    if ((content === '' && files.length === 0) || !connection) return false;
    const requestId = newRequestId();
    const frame = command
      ? orderFrame(requestId, command)
      : messageFrame({
          requestId,
          content,
          agentCode: sessions.agent,
          toolSchemas: kClientTools,
          multimodalContents: files.map((file) => file.content),
          workflowContent: documents.stored.workflow,
          replaces,
        });
    const size =
      content.length +
      documents.stored.workflow.length +
      files.reduce(
        (sum, file) => sum + (file.content.type === 'text' ? file.content.text : file.content.base64Data).length,
        0,
      );
    isTooLarge.value = size > kMaxMessageChars;
    if (isTooLarge.value) return false;
    remember(requestId);
    if (!connection.send(frame)) return false;
    attached.set(requestId, files);
    if (attached.size > kKeptAttachments) attached.delete(attached.keys().next().value ?? '');
    fold.sent(requestId, content, files, command !== null, Date.now());
    expectConfirmation(requestId);
    sessions.touch(session.value);
    tick.value += 1;
    return true;
  }

  // Sends the same message again; an accepted one is replaced, with everything after it.
  function retry(item: UserItem): boolean {
    if (item.order) return say(item.text, []);
    return (
      say(item.text, attached.get(item.requestId) ?? [], item.state === 'sent' ? item.requestId : '') && drop(item)
    );
  }

  function edit(item: UserItem, text: string): boolean {
    return say(text, attached.get(item.requestId) ?? [], item.state === 'sent' ? item.requestId : '') && drop(item);
  }

  // Removes a message that was not accepted when it is sent again.
  function drop(item: UserItem): boolean {
    if (item.state !== 'sent') fold.forget(item.key);
    return true;
  }

  function interrupt(): void {
    if (fold.running !== '') connection?.send(interruptFrame(fold.running));
  }

  // --- calls ---

  const callOf = (item: CallItem): ToolCall => ({
    requestId: item.requestId,
    callId: item.callId,
    name: item.name,
    args: item.args,
    isClient: item.isClient,
  });

  function decide(item: CallItem, scope: Scope | 'deny'): void {
    const sent = connection?.send(
      answerFrame(callOf(item), scope === 'deny' ? { is: 'deny' } : { is: 'allow', scope }),
    );
    if (sent) decided.value = new Set([...decided.value, callKey(item)]);
  }

  function isMine(requestId: string): boolean {
    return readStored<string[]>(sessionStore(), kMineKey, []).includes(requestId);
  }

  // Remembers the runs of this tab, so that it executes their calls after a reload too.
  function remember(requestId: string): void {
    writeStored(
      sessionStore(),
      kMineKey,
      [...readStored<string[]>(sessionStore(), kMineKey, []), requestId].slice(-kMaxMine),
    );
  }

  const begun = new Set<string>(); // calls that this tab executes

  function onClientCall({ data, requestId }: ChatFrame): void {
    const call: ToolCall = {
      requestId,
      callId: asText(data['toolCallId']),
      name: asText(data['toolName']),
      args: asText(data['toolArgs']),
      isClient: true,
    };
    const code = session.value;
    if (!isClientTool(call.name) || begun.has(callKey(call))) return;
    const act = () => {
      if (session.value !== code || fold.running !== requestId || begun.has(callKey(call))) return;
      if (fold.call(requestId, call.callId)?.answer) return;
      void execute(call, code);
    };
    // The tab that started the run executes the call; if it is gone, another tab does.
    if (isMine(requestId)) act();
    else later(kOthersMs, act);
  }

  async function execute(call: ToolCall, code: string): Promise<void> {
    begun.add(callKey(call));
    await documents.ready();
    const under = callKey({ ...call, callId: call.callId.replace(/\.show$/, '') });
    const answer = await runClientTool(call.name, call.args, under, {
      workflow: () => documents.stored.workflow,
      setWorkflow: documents.setWorkflow,
      note: documents.note,
      pickFile: documents.pickFile,
    });
    if (session.value !== code || !connection?.send(answerFrame(call, answer))) begun.delete(callKey(call));
  }

  const attachmentsOf = (item: ChatItem): readonly Attachment[] => attached.get(item.requestId) ?? [];

  return {
    session,
    line,
    loaded,
    view,
    isRunning,
    isSending,
    isTooLarge,
    notice,
    decided,
    useOutside,
    open,
    leave,
    retryNow: () => connection?.retryNow(),
    say,
    retry,
    edit,
    interrupt,
    decide,
    attachmentsOf,
  };
});
