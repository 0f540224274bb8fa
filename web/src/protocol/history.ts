// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { AnswerContent, Closing, Item, ItemState, StructuredQuestion } from '@/inbox/item';
import { textContent } from '@/inbox/item';

// A page of the inbox from /v1. Invalid members are read as empty, so that one question cannot break the page.
export interface HistoryPage {
  epoch: string;
  firstChange: number; // places of the page's questions, by their last change; 0 for none
  lastChange: number;
  more: boolean;
  entries: HistoryEntry[];
  serverTime: number; // Unix ms from the Date header; 0: unknown
}

export interface HistoryEntry {
  opened: Item;
  closed: Closing | null; // null: it waits
}

export interface HistoryReader {
  // The questions with a place below `before`, nearest first; null: the newest ones.
  page(before: number | null): Promise<HistoryPage>;
}

export class HistoryError extends Error {
  constructor(readonly status: number) {
    super(`history answered ${status}`);
  }
}

export const kHistoryPage = 50;
// A page ends with the question that reaches this, so that a text of megabytes delays no other.
export const kHistoryPageBytes = 131_072;
type Json = Record<string, unknown>;

function asObject(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function asArray(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function asNumber(value: unknown): number {
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : 0;
}

function readQuestion(value: unknown): StructuredQuestion {
  const question = asObject(value);
  return {
    text: asText(question['text']),
    header: asText(question['header']),
    choices: asArray(question['choices']).map((it) => {
      const choice = asObject(it);
      return { label: asText(choice['label']), description: asText(choice['description']) };
    }),
    multiple: question['multiple'] === true,
    custom: question['custom'] === true,
  };
}

// The question of a tool call that is to be allowed, as its card has it: src/model/session/approval.cpp,
// shown_approval().
function approvalQuestions(text: string, asked: StructuredQuestion[]): StructuredQuestion[] {
  const choices = [
    { label: 'Allow', description: 'The call is executed once.' },
    { label: 'Deny', description: 'The agent is told, and continues without the call.' },
  ];
  const [first = { text, header: 'Approval', choices, multiple: false, custom: true }, ...more] = asked;
  return more.length > 0 || text === '' ? [first, ...more] : [{ ...first, text }];
}

export function readOpened(payload: unknown): Item | null {
  const opened = asObject(payload);
  const key = asText(opened['key']);
  if (key === '') return null;
  const prompt = asObject(opened['prompt']);
  const asked = asArray(prompt['questions']).map(readQuestion);
  const questions = opened['kind'] === 'tool_approval' ? approvalQuestions(asText(prompt['text']), asked) : asked;
  return {
    key,
    kind: opened['kind'] === 'task_finish' ? 'task_finish' : 'question',
    prompt: {
      text: asText(prompt['text']) || (questions[0]?.text ?? ''),
      project: asText(prompt['project_directory']),
      agent: asText(prompt['agent_name']),
      model: asText(prompt['model_name']),
      client: asText(prompt['client_name']),
      timeoutS: asNumber(prompt['timeout_s']),
      questions,
    },
    openedAt: asNumber(opened['opened_at']),
    deadline: asNumber(opened['deadline']),
    state: 'pending',
    outcome: null,
  };
}

function readContent(value: unknown): AnswerContent | null {
  const content = asObject(value);
  const type = content['type'];
  if (type === 'text') return textContent(asText(content['text']));
  if (type !== 'image' && type !== 'audio' && type !== 'resource') return null;
  return {
    type,
    text: '',
    mimeType: asText(content['mime_type']),
    uri: asText(content['uri']),
    data: { base64: asText(content['data']) },
  };
}

const kStates: readonly string[] = ['answered', 'cancelled', 'expired'] satisfies ItemState[];

export function readClosed(payload: unknown): Closing | null {
  const closed = asObject(payload);
  const key = asText(closed['key']);
  const state = asText(closed['state']);
  if (key === '' || !kStates.includes(state)) return null;
  const answer = asObject(closed['answer']);
  const by = asObject(closed['by']); // absent in older events
  return {
    key,
    state: state as Closing['state'],
    outcome: {
      isError: answer['is_error'] === true,
      contents: asArray(answer['contents'])
        .map(readContent)
        .filter((content) => content !== null),
      reason: asText(closed['reason']),
      clientId: asText(closed['client_id']),
      nickname: asText(by['name']) || asText(closed['nickname']),
      channel: asText(by['channel']),
      at: asNumber(closed['at']),
    },
  };
}

function readEntry(value: unknown): HistoryEntry | null {
  const opened = readOpened(value);
  if (!opened) return null;
  const asked = asObject(value);
  return { opened, closed: readClosed({ ...asObject(asked['outcome']), key: opened.key, state: asked['state'] }) };
}

export function readPage(body: unknown, serverTime = 0): HistoryPage {
  const page = asObject(body);
  return {
    epoch: String(page['epoch'] ?? ''),
    firstChange: asNumber(page['first_change']),
    lastChange: asNumber(page['last_change']),
    more: page['more'] === true,
    entries: asArray(page['interactions'])
      .map(readEntry)
      .filter((entry) => entry !== null),
    serverTime,
  };
}

export class HttpHistory implements HistoryReader {
  constructor(private readonly token: string) {}

  async page(before: number | null): Promise<HistoryPage> {
    const query = new URLSearchParams({
      state: 'all',
      limit: String(kHistoryPage),
      max_bytes: String(kHistoryPageBytes),
      ...(before === null ? {} : { before: String(before) }),
    });
    const response = await this.get(`/v1/interactions?${query.toString()}`);
    return readPage(await response.json(), Date.parse(response.headers.get('Date') ?? '') || 0);
  }

  private async get(path: string): Promise<Response> {
    const response = await fetch(path, {
      headers: { Authorization: `Bearer ${this.token}`, Accept: 'application/json' },
      cache: 'no-store',
    });
    if (!response.ok) throw new HistoryError(response.status);
    return response;
  }
}
