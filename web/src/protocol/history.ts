// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { AnswerContent, Closing, Item, ItemState, StructuredQuestion } from '@/inbox/item';
import { textContent } from '@/inbox/item';

// A page of history from /v1. Invalid members are read as empty, so that one event cannot break the page.
export interface HistoryPage {
  epoch: string;
  firstSeq: number; // of the page's events; 0 for none
  lastSeq: number;
  more: boolean;
  events: HistoryEvent[];
  serverTime: number; // Unix ms from the Date header; 0: unknown
}

export type HistoryEvent =
  { seq: number; opened: Item; closed?: undefined } | { seq: number; closed: Closing; opened?: undefined };

export interface HistoryReader {
  session(): Promise<string>; // the session of the token's agents and people
  // The events with a seq below `before`, nearest first; null: the newest ones.
  page(session: string, before: number | null): Promise<HistoryPage>;
}

export class HistoryError extends Error {
  constructor(readonly status: number) {
    super(`history answered ${status}`);
  }
}

export const kHistoryPage = 50;
// A page ends behind the event that reaches this, so that a text of megabytes delays no other.
export const kHistoryPageBytes = 131_072;
const kAfterAll = Number.MAX_SAFE_INTEGER; // without `before` the server begins at the oldest
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

export function readPage(body: unknown, serverTime = 0): HistoryPage {
  const page = asObject(body);
  const events: HistoryEvent[] = [];
  const seqs: number[] = [];
  for (const value of asArray(page['events'])) {
    const event = asObject(value);
    const seq = asNumber(event['seq']);
    seqs.push(seq);
    if (event['type'] === 'interaction.opened') {
      const opened = readOpened(event['payload']);
      if (opened) events.push({ seq, opened });
    } else if (event['type'] === 'interaction.closed') {
      const closed = readClosed(event['payload']);
      if (closed) events.push({ seq, closed });
    }
  }
  return {
    epoch: String(page['epoch'] ?? ''),
    firstSeq: seqs.length > 0 ? Math.min(...seqs) : 0,
    lastSeq: seqs.length > 0 ? Math.max(...seqs) : 0,
    more: page['more'] === true,
    events,
    serverTime,
  };
}

export class HttpHistory implements HistoryReader {
  constructor(private readonly token: string) {}

  async session(): Promise<string> {
    return asText(asObject(await (await this.get('/v1/me')).json())['session']);
  }

  async page(session: string, before: number | null): Promise<HistoryPage> {
    const query = new URLSearchParams({
      limit: String(kHistoryPage),
      max_bytes: String(kHistoryPageBytes),
      types: 'interaction.opened,interaction.closed',
      before: String(before ?? kAfterAll),
    });
    const path = `/v1/sessions/${encodeURIComponent(session)}/events?${query.toString()}`;
    const response = await this.get(path);
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
