// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { explanationOf, kInteractionMember } from '@/runs/explanation';
import { asArray, asNumber, asObject, asText, parsedJson } from '@/wire/json';
import { commandOf } from './commands';
import { attachmentsOf, type ChatFrame, type NamedPart } from './frames';
import { type Activity, type CallItem, type ChatItem, isOver, type Todo, type Usage } from './items';
import { kNoOutput, writeTerminal } from './terminal';

type Without<T> = T extends unknown ? Omit<T, 'key' | 'requestId' | 'at'> : never;

const kNested = '.show'; // suffix of the id of a nested call, which shows the change of its parent

// Folds the frames of a session into the items of the thread. A changed item is a new object. No clock,
// no I/O: the same frames give the same items.
export class ChatFold {
  private list: ChatItem[] = [];
  private made = 0;
  private terminal = ''; // the call whose output is being received
  private summing = false;
  private held: ChatFrame | null = null;

  lastSeq = 0;
  running = ''; // requestId of the current run; '': none
  activity: Activity | null = null;
  usage: Usage | null = null;

  get items(): readonly ChatItem[] {
    return this.list;
  }

  // Calls that wait for an answer, oldest first.
  get asking(): CallItem[] {
    return this.list.filter((it): it is CallItem => it.is === 'call' && it.phase === 'asking');
  }

  // Call ids are unique in one run only, hence the requestId.
  call(requestId: string, callId: string): CallItem | null {
    const at = this.findCall(requestId, callId);
    return at < 0 ? null : (this.list[at] as CallItem);
  }

  // Adds a message that was handed to the connection, before the server confirms it.
  sent(requestId: string, text: string, attachments: readonly NamedPart[], order: boolean, at: number): void {
    this.add({ is: 'user', text, attachments, order, state: 'sending', problem: '' }, requestId, at);
  }

  // Marks a message that the server did not accept.
  unsent(requestId: string, problem: string): void {
    const at = this.findUser(requestId);
    const item = this.list[at];
    if (item?.is === 'user' && item.state === 'sending') this.put(at, { ...item, state: 'failed', problem });
  }

  forget(key: string): void {
    this.list = this.list.filter((it) => it.key !== key);
  }

  take(frame: ChatFrame): void {
    this.settleHeld(frame);
    if (frame.seq > this.lastSeq) this.lastSeq = frame.seq;
    switch (frame.type) {
      case 'USER_MESSAGE':
        return this.onUser(frame);
      case 'AGENT_STREAM':
        return this.onStream(frame);
      case 'AGENT_COMPLETE':
      case 'AGENT_TOKEN_USAGE':
        return this.onUsage(frame);
      case 'AGENT_TOOL_CALL_REQUEST':
        return this.onRequest(frame);
      case 'AGENT_PROMPT':
        return this.onPrompt(frame, asText(frame.data['promptType']), asText(frame.data['message']));
      default:
    }
  }

  // Takes the text of an ERROR about a message to a run, not about the run itself; '': none.
  takeNotice(): string {
    const words = asText(this.held?.data['message']);
    this.held = null;
    return words;
  }

  get hasNotice(): boolean {
    return this.held !== null;
  }

  // --- messages ---

  private onUser(frame: ChatFrame): void {
    const attachments = attachmentsOf(frame.data);
    const order = commandOf(frame.content) !== null;
    const at = this.findUser(frame.requestId);
    const known = this.list[at];
    if (known?.is === 'user') this.put(at, { ...known, text: frame.content, state: 'sent', problem: '' });
    else
      this.add(
        { is: 'user', text: frame.content, attachments, order, state: 'sent', problem: '' },
        frame.requestId,
        frame.at,
      );
    this.begin(frame.requestId);
  }

  private onStream(frame: ChatFrame): void {
    if (frame.content === '') return;
    if (this.terminal !== '') {
      this.change(frame.requestId, this.terminal, (call) => ({
        ...call,
        output: writeTerminal(call.output, frame.content),
      }));
      return;
    }
    this.activity = null;
    const at = this.list.length - 1;
    const last = this.list[at];
    if (last?.is === 'text' && last.streaming && last.requestId === frame.requestId)
      this.put(at, { ...last, text: last.text + frame.content });
    else this.add({ is: 'text', text: frame.content, streaming: true }, frame.requestId, frame.at);
  }

  private onUsage({ data, requestId, type }: ChatFrame): void {
    if (type === 'AGENT_COMPLETE') this.endText(requestId);
    const used = asNumber(data['totalTokens']);
    if (used === null) return;
    const limit = asNumber(data['maxTokens']) ?? this.usage?.limit ?? 0;
    this.usage = {
      used,
      limit,
      input: asNumber(data['inputTokens']) ?? 0,
      output: asNumber(data['outputTokens']) ?? 0,
    };
  }

  // --- prompts ---

  private onPrompt(frame: ChatFrame, type: string, message: string): void {
    switch (type) {
      case 'STARTED':
        return this.begin(frame.requestId);
      case 'THINKING':
        this.begin(frame.requestId);
        this.activity = 'thinking';
        return;
      case 'SUMMARY':
        this.activity = 'summary';
        this.summing = true;
        return;
      case 'SUMMARY_COMPLETE':
        this.activity = null;
        return;
      case 'TOOL_CALLING':
        return this.onCalling(frame);
      case 'TOOL_COMPLETE':
        this.activity = null;
        return;
      case 'TOOL_RESULT':
        return this.onResult(frame);
      case 'TOOL_ANSWERED':
        return this.onAnswered(frame);
      case 'TERMINAL_OUTPUT_START':
        this.terminal = asText(frame.data['toolCallId']) || this.newestCall();
        return;
      case 'TERMINAL_OUTPUT_END':
        this.terminal = '';
        return;
      default:
        return this.onWord(frame, type, message);
    }
  }

  private onWord(frame: ChatFrame, type: string, message: string): void {
    const { at, requestId } = frame;
    switch (type) {
      case 'TODO_WRITE':
        return this.onTodo(frame, message);
      case 'STATUS_UPDATE':
        return this.onStatus(frame, message);
      case 'AGENT_MESSAGE_BLOCK':
        this.activity = null;
        this.add({ is: 'block', text: message, summary: this.summing }, requestId, at);
        this.summing = false;
        return;
      case 'CLEAR':
        this.list = [];
        return;
      case 'REPLACED':
        return this.replace(asText(frame.data['replaces']), requestId);
      case 'REPLAY_CUT':
        this.add({ is: 'gap' }, requestId, at);
        return;
      case 'INTERRUPTED':
        this.end(requestId);
        this.add({ is: 'interrupted' }, requestId, at);
        return;
      case 'ERROR':
        return this.onError(frame, message);
      case 'COMPLETE':
        return this.end(requestId, frame.data['waits'] === true);
      default:
    }
  }

  private onError(frame: ChatFrame, message: string): void {
    const at = this.findUser(frame.requestId);
    const item = this.list[at];
    if (item?.is === 'user' && item.state === 'sending') {
      this.put(at, { ...item, state: 'failed', problem: message });
    } else if (frame.seq === 0 && (frame.requestId === '' || frame.requestId === this.running)) {
      this.held = frame;
    } else {
      this.fail(frame);
    }
  }

  // An error without an event belongs to the run only if the end of the run follows at once.
  private settleHeld(next: ChatFrame): void {
    const frame = this.held;
    if (!frame || frame.requestId === '' || next.requestId !== frame.requestId) return;
    const ends = next.type === 'AGENT_COMPLETE' || asText(next.data['promptType']) === 'COMPLETE';
    if (!ends) return;
    this.held = null;
    this.fail(frame);
  }

  private fail({ at, data, requestId }: ChatFrame): void {
    this.endText(requestId);
    this.activity = null;
    this.add({ is: 'error', text: asText(data['message']) }, requestId, at);
  }

  private onTodo({ at, requestId }: ChatFrame, message: string): void {
    const known: readonly string[] = ['pending', 'in_progress', 'completed'];
    const todos = asArray(parsedJson(message)).map((it): Todo => {
      const status = asText(asObject(it)['status']);
      return {
        content: asText(asObject(it)['content']),
        status: known.includes(status) ? (status as Todo['status']) : 'pending',
      };
    });
    const before = this.list.findLastIndex((it) => it.is === 'todo' && it.requestId === requestId);
    const item = this.list[before];
    if (item?.is === 'todo') this.put(before, { ...item, todos });
    else this.add({ is: 'todo', todos }, requestId, at);
  }

  private onStatus({ at, requestId }: ChatFrame, message: string): void {
    const status = asObject(parsedJson(message));
    this.endText(requestId);
    this.add(
      { is: 'status', title: asText(status['title']), text: asText(status['message']), phase: asText(status['phase']) },
      requestId,
      at,
    );
  }

  // --- calls ---

  private onCalling(frame: ChatFrame): void {
    this.activity = 'tools';
    this.endText(frame.requestId);
    const callId = asText(frame.data['toolCallId']);
    const known = this.call(frame.requestId, callId);
    if (callId !== '' && (!known || isOver(known))) this.addCall(frame, callId, 'running');
  }

  private onRequest(frame: ChatFrame): void {
    const callId = asText(frame.data['toolCallId']);
    if (callId === '') return;
    this.begin(frame.requestId);
    this.endText(frame.requestId);
    const isClient = frame.data['isClientTool'] === true;
    const phase = isClient ? 'running' : 'asking';
    if (this.findCall(frame.requestId, callId) >= 0) {
      this.change(frame.requestId, callId, (call) =>
        isOver(call)
          ? call
          : {
              ...call,
              isClient,
              phase,
              args: asText(frame.data['toolArgs']) || call.args,
              explanation: explanationOf(frame.data),
              interaction: asText(frame.data[kInteractionMember]),
            },
      );
    } else if (!callId.endsWith(kNested) || this.findCall(frame.requestId, callId.slice(0, -kNested.length)) < 0) {
      this.addCall(frame, callId, phase);
    }
  }

  private addCall({ at, content, data, requestId }: ChatFrame, callId: string, phase: CallItem['phase']): void {
    const name = asText(data['toolName']) || content;
    const isClient = data['isClientTool'] === true;
    this.add(
      {
        is: 'call',
        callId,
        name,
        args: asText(data['toolArgs']),
        isClient,
        explanation: explanationOf(data),
        interaction: asText(data[kInteractionMember]),
        phase,
        result: '',
        durationMs: null,
        answer: null,
        output: kNoOutput,
      },
      requestId,
      at,
    );
  }

  // Also for a call that has ended: replayed frames have the answer, if the server knows it. A request
  // that was withdrawn or expired was not denied.
  private onAnswered({ data, requestId }: ChatFrame): void {
    const allow = data['isAllow'] === true;
    const by = asText(data['by']);
    const isAnswer = allow || ['', 'answered'].includes(asText(data['state']));
    this.change(requestId, asText(data['toolCallId']), (call) => {
      if (!isAnswer) return { ...call, phase: call.phase === 'asking' ? 'running' : call.phase };
      const isDenied = !allow && (!isOver(call) || call.phase === 'failed');
      return { ...call, answer: { allow, by }, phase: isDenied ? 'denied' : isOver(call) ? call.phase : 'running' };
    });
  }

  private onResult({ data, requestId }: ChatFrame): void {
    const ok = data['success'] === true;
    const callId = asText(data['toolCallId']);
    if (callId === this.terminal) this.terminal = '';
    this.change(this.requestOf(requestId, callId), callId, (call) => {
      const denied = !ok && call.answer?.allow === false;
      return {
        ...call,
        phase: ok ? 'done' : denied ? 'denied' : 'failed',
        result: asText(data['result']),
        durationMs: asNumber(data['durationMs']),
      };
    });
  }

  private newestCall(): string {
    const found = this.list.findLast((it) => it.is === 'call' && it.phase === 'running');
    return found?.is === 'call' ? found.callId : '';
  }

  private findCall(requestId: string, callId: string): number {
    return this.list.findLastIndex((it) => it.is === 'call' && it.callId === callId && it.requestId === requestId);
  }

  // The request of a call that has not ended; its result may come under a later one.
  private requestOf(requestId: string, callId: string): string {
    if (this.findCall(requestId, callId) >= 0) return requestId;
    return this.list.findLast((it) => it.is === 'call' && it.callId === callId && !isOver(it))?.requestId ?? requestId;
  }

  private findUser(requestId: string): number {
    return requestId === '' ? -1 : this.list.findLastIndex((it) => it.is === 'user' && it.requestId === requestId);
  }

  private change(requestId: string, callId: string, how: (call: CallItem) => CallItem): void {
    const at = this.findCall(requestId, callId);
    if (at >= 0) this.put(at, how(this.list[at] as CallItem));
  }

  // --- runs ---

  private begin(requestId: string): void {
    if (requestId === '' || this.running === requestId) return;
    this.running = requestId;
    const at = this.findUser(requestId);
    const item = this.list[at];
    if (item?.is === 'user' && item.state !== 'sent') this.put(at, { ...item, state: 'sent', problem: '' });
  }

  // `waits`: only the turn ends, with a question of the agent; its call goes on under the request of the answer.
  private end(requestId: string, waits = false): void {
    this.endText(requestId);
    this.terminal = '';
    if (this.running !== requestId) return;
    this.running = '';
    this.activity = null;
    this.summing = false;
    if (waits) return;
    this.list.forEach((item, at) => {
      if (item.is === 'call' && item.requestId === requestId && !isOver(item))
        this.put(at, { ...item, phase: 'stopped' });
    });
  }

  private endText(requestId: string): void {
    const at = this.list.length - 1;
    const last = this.list[at];
    if (last?.is === 'text' && last.streaming && last.requestId === requestId)
      this.put(at, { ...last, streaming: false });
  }

  private replace(replaces: string, requestId: string): void {
    const from = this.list.findIndex((it) => it.requestId === replaces);
    if (replaces === '' || from < 0) return;
    this.list = this.list.filter((it, at) => at < from || it.requestId === requestId);
  }

  private add(item: Without<ChatItem>, requestId: string, at: number): void {
    const known = item.is === 'user' || item.is === 'call';
    this.made += 1;
    const own = item.is === 'call' ? item.callId : requestId;
    const key = known ? `${item.is} ${own} ${this.made}` : `${item.is} ${this.made}`;
    this.list.push({ ...item, key, requestId, at } as ChatItem);
  }

  private put(at: number, item: ChatItem): void {
    this.list[at] = item;
  }
}
