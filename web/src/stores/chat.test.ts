// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// @vitest-environment jsdom
import { createPinia, setActivePinia } from 'pinia';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ChatSocket } from '@/chat/connection';
import { HttpChat } from '@/chat/http_chat';
import type { CallItem, UserItem } from '@/chat/items';
import { MemoryKeep } from '@/chat/keep';
import { HttpLogin } from '@/tokens/http_login';
import { useAccount } from './account';
import { useChat } from './chat';
import { useChatDocuments } from './chat_documents';
import { useChatSessions } from './chat_sessions';
import { kOthersMs, useLogin } from './login';

interface SentFrame {
  type: string;
  requestId: string;
  content?: string;
  data: Record<string, unknown>;
}

class FakeSocket implements ChatSocket {
  onopen: ((event: Event) => void) | null = null;
  onmessage: ((event: MessageEvent) => void) | null = null;
  onclose: ((event: CloseEvent) => void) | null = null;
  readyState = 1;
  sent: SentFrame[] = [];

  send(data: string): void {
    this.sent.push(JSON.parse(data) as SentFrame);
  }

  close(): void {
    this.readyState = 3;
  }

  tell(frame: Record<string, unknown>): void {
    this.onmessage?.(new MessageEvent('message', { data: JSON.stringify(frame) }));
  }
}

const kFlow = '{"3":{"class_type":"KSampler","inputs":{"steps":20}}}';
const kChanged = '{"3":{"class_type":"KSampler","inputs":{"steps":30}}}';
let sockets: FakeSocket[] = [];
let urls: string[] = [];
let keep = new MemoryKeep();
const socket = () => sockets.at(-1) as FakeSocket;

async function opened(code = 's') {
  useAccount().use('secret');
  useChatSessions().readBy((token) => new HttpChat(token, () => Promise.reject(new Error('no server'))));
  useChatDocuments().keepIn(keep);
  const chat = useChat();
  chat.useOutside({
    page: () => 'http://host/',
    openSocket(url) {
      urls.push(url);
      sockets.push(new FakeSocket());
      return socket();
    },
  });
  await chat.open(code);
  socket().onopen?.(new Event('open'));
  return chat;
}

const prompt = (requestId: string, promptType: string, data: Record<string, unknown> = {}) => {
  socket().tell({ type: 'AGENT_PROMPT', requestId, seq: 1, data: { promptType, ...data } });
};
const ask = (requestId: string, toolCallId: string, toolName: string, args: unknown, isClientTool: boolean) => {
  socket().tell({
    type: 'AGENT_TOOL_CALL_REQUEST',
    requestId,
    data: { toolCallId, toolName, toolArgs: JSON.stringify(args), isClientTool },
  });
};
const shown = async () => {
  await vi.advanceTimersByTimeAsync(200);
  return useChat().view.items;
};
const lastSent = () => socket().sent.at(-1) as SentFrame;

describe('the open chat', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    setActivePinia(createPinia());
    window.sessionStorage.clear();
    sockets = [];
    urls = [];
    keep = new MemoryKeep();
  });
  afterEach(() => {
    useChat().leave();
    vi.useRealTimers();
  });

  it('sends a message with tools and workflow, and shows it at once', async () => {
    const chat = await opened();
    useChatDocuments().importWorkflow(kFlow);
    expect(chat.say(' hello ', [])).toBe(true);
    expect(lastSent()).toMatchObject({ type: 'USER_MESSAGE', content: 'hello', data: { workflowContent: kFlow } });
    expect((lastSent().data['toolSchemas'] as { name: string }[]).map(({ name }) => name)).toEqual([
      'get_workflow',
      'set_workflow',
      'pick_file',
      'take_note',
    ]);
    expect(await shown()).toMatchObject([{ is: 'user', text: 'hello', state: 'sending' }]);
  });

  it('sends commands, and only those, as orders', async () => {
    const chat = await opened();
    chat.say('/compact', []);
    expect(lastSent()).toMatchObject({ type: 'USER_ORDER', content: '/compact' });
    chat.say('/view what is it?', []);
    expect(lastSent()).toMatchObject({ type: 'USER_MESSAGE', content: '/view what is it?' });
  });

  it('sends nothing while disconnected, and nothing empty', async () => {
    const chat = await opened();
    expect(chat.say('  ', [])).toBe(false);
    socket().onclose?.({ code: 1006 } as CloseEvent);
    expect(chat.say('hello', [])).toBe(false);
    expect(await shown()).toEqual([]);
  });

  it('sends no message that would make the server close the line', async () => {
    const chat = await opened();
    expect(chat.say('x'.repeat(16 * 1024 * 1024), [])).toBe(false);
    expect(chat.isTooLarge).toBe(true);
    expect(socket().sent).toEqual([]);
    expect(chat.say('x', [])).toBe(true);
    expect(chat.isTooLarge).toBe(false);
  });

  it('reports an unacknowledged message, and resends it without a copy', async () => {
    const chat = await opened();
    chat.say('hello', []);
    await vi.advanceTimersByTimeAsync(9_000);
    const [item] = await shown();
    expect(item).toMatchObject({ state: 'failed' });
    expect(chat.retry(item as UserItem)).toBe(true);
    expect(lastSent().data).not.toHaveProperty('replaces');
    expect(await shown()).toMatchObject([{ state: 'sending', text: 'hello' }]);
  });

  it('replaces an accepted message', async () => {
    const chat = await opened();
    socket().tell({ type: 'USER_MESSAGE', requestId: 'r1', content: 'hello', seq: 1 });
    const [item] = await shown();
    expect(chat.edit(item as UserItem, 'good day')).toBe(true);
    expect(lastSent()).toMatchObject({ content: 'good day', data: { replaces: 'r1' } });
  });

  it('answers a question once, for the chosen scope', async () => {
    const chat = await opened();
    prompt('r', 'STARTED');
    ask('r', 'c', 'bash', { command: 'ls' }, false);
    const [item] = await shown();
    chat.decide(item as CallItem, 'session');
    expect(lastSent()).toMatchObject({
      type: 'AGENT_TOOL_CALL_RESPONSE',
      requestId: 'r',
      data: { toolCallId: 'c', isAllow: true, scope: 'session', toolArgs: '{"command":"ls"}' },
    });
    expect(chat.decided.size).toBe(1);
  });

  it('executes its own tools in its runs, and reports the changes', async () => {
    const chat = await opened();
    const documents = useChatDocuments();
    documents.importWorkflow(kFlow);
    chat.say('set steps', []);
    const { requestId } = lastSent();
    prompt(requestId, 'TOOL_CALLING', { toolCallId: 'c', toolName: 'workflow_node_set', toolArgs: '{}' });
    ask(requestId, 'c.show', 'set_workflow', { workflowJson: kChanged }, true);
    await shown();
    expect(lastSent()).toMatchObject({ data: { toolCallId: 'c.show', success: true, isClientTool: true } });
    expect(documents.changes).toMatchObject([{ node: '3', input: 'steps', before: '20', after: '30' }]);
    expect([...documents.changesOf.keys()]).toEqual([`${requestId} c`]);
    documents.undo();
    expect(documents.stored.workflow).toBe(kFlow);
  });

  it('leaves tools to the tab that began the run, until closed', async () => {
    await opened();
    prompt('other', 'STARTED');
    ask('other', 'c', 'get_workflow', {}, true);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(socket().sent).toEqual([]);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(lastSent()).toMatchObject({ data: { toolCallId: 'c', success: false } });
    ask('other', 'd', 'get_workflow', {}, true);
    prompt('other', 'TOOL_ANSWERED', { toolCallId: 'd', isAllow: true });
    await vi.advanceTimersByTimeAsync(4_000);
    expect(socket().sent).toHaveLength(1);
  });

  it('continues its own calls after a reload', async () => {
    const chat = await opened();
    chat.say('note it', []);
    const { requestId } = lastSent();
    chat.leave();
    setActivePinia(createPinia());
    await opened();
    prompt(requestId, 'STARTED');
    ask(requestId, 'c', 'take_note', { text: 'kept' }, true);
    await shown();
    expect(useChatDocuments().stored.notes).toMatchObject([{ text: 'kept' }]);
    expect((await keep.read('s')).notes).toHaveLength(1);
  });

  it('refuses the requested file when the chat is left', async () => {
    const chat = await opened();
    chat.say('read it', []);
    const { requestId } = lastSent();
    prompt(requestId, 'STARTED');
    ask(requestId, 'c', 'pick_file', {}, true);
    await shown();
    expect(useChatDocuments().fileRequests).toHaveLength(1);
    chat.leave();
    expect(useChatDocuments().fileRequests).toHaveLength(0);
  });

  it('stops the active run', async () => {
    const chat = await opened();
    chat.interrupt();
    expect(socket().sent).toEqual([]);
    prompt('r', 'STARTED');
    chat.interrupt();
    expect(lastSent()).toMatchObject({ type: 'INTERRUPT', requestId: 'r' });
  });

  it('shows a refused answer outside the chat', async () => {
    const chat = await opened();
    prompt('r', 'STARTED');
    socket().tell({ type: 'AGENT_PROMPT', requestId: 'r', data: { promptType: 'ERROR', message: 'answered already' } });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(chat.notice).toBe('answered already');
    expect(await shown()).toEqual([]);
  });

  it('shows nothing of another chat', async () => {
    const chat = await opened();
    socket().tell({ type: 'USER_MESSAGE', requestId: 'r1', content: 'hello', seq: 1 });
    useChatDocuments().importWorkflow(kFlow);
    await shown();
    await chat.open('other');
    expect(chat.view.items).toEqual([]);
    expect(useChatDocuments().stored.workflow).toBe('');
    await chat.open('s');
    expect(useChatDocuments().stored.workflow).toBe(kFlow);
  });

  it('continues with the next access token of a login without loss', async () => {
    let status = 200;
    useLogin().askBy(
      new HttpLogin((input) => {
        const data = {
          accessToken: (input as string).endsWith('login') ? 'first' : 'second',
          refreshToken: 'more',
          expiresIn: '86400',
          user: { id: '7' },
        };
        return Promise.resolve(new Response(JSON.stringify({ code: status, data }), { status }));
      }),
    );
    const chat = await opened();
    await useLogin().signIn('bo', 'secret', false);
    await chat.open('s');
    socket().onopen?.(new Event('open'));
    socket().tell({ type: 'USER_MESSAGE', requestId: 'r', content: 'hello', seq: 7, data: {} });
    socket().onclose?.(new CloseEvent('close', { code: 4401 }));
    expect(chat.line.phase).toBe('connecting');
    await vi.advanceTimersByTimeAsync(kOthersMs);
    const url = new URL(urls.at(-1) ?? '');
    expect([url.searchParams.get('token'), url.searchParams.get('after')]).toEqual(['second', '7']);
    socket().onopen?.(new Event('open'));
    expect(chat.line.phase).toBe('live');
    expect(await shown()).toHaveLength(1);
    status = 401;
    socket().onclose?.(new CloseEvent('close', { code: 4401 }));
    await vi.advanceTimersByTimeAsync(kOthersMs);
    expect(chat.line).toMatchObject({ phase: 'failed', reason: 'signedOut' });
  });
});
