// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

export type ItemKind = 'question' | 'task_finish';

// `closed`: the outcome is unknown to this page.
export type ItemState = 'pending' | 'answered' | 'cancelled' | 'expired' | 'closed';

export interface Choice {
  label: string;
  description: string;
}

export interface StructuredQuestion {
  text: string;
  header: string;
  choices: Choice[];
  multiple: boolean;
  custom: boolean;
}

export interface Prompt {
  text: string;
  project: string;
  agent: string;
  model: string;
  client: string;
  timeoutS: number;
  questions: StructuredQuestion[];
}

export type ContentData = { base64: string } | { bytes: Uint8Array };

export interface AnswerContent {
  type: 'text' | 'image' | 'audio' | 'resource';
  text: string;
  mimeType: string;
  uri: string;
  data: ContentData | null;
}

export interface Outcome {
  isError: boolean;
  contents: AnswerContent[];
  reason: string;
  clientId: string;
  nickname: string; // of the token or device, as far as the server tells it
  channel: string; // the way of the answer, see docs/events.md; '': not known
  at: number; // Unix ms
}

// One request of an agent. Immutable: a new state is a new object.
export interface Item {
  key: string; // the protocol's request ID
  kind: ItemKind;
  prompt: Prompt;
  openedAt: number; // Unix ms
  deadline: number; // Unix ms; 0: unknown
  state: ItemState;
  outcome: Outcome | null;
}

// The texts of a prompt with one question, as its card shows them: its own, if that says something else, and the
// question's.
export function textsOf({ prompt }: Pick<Item, 'prompt'>): string[] {
  return [...new Set([prompt.text, prompt.questions[0]?.text ?? ''])].filter((text) => text !== '');
}

export interface Closing {
  key: string;
  state: Exclude<ItemState, 'pending'>;
  outcome: Outcome;
}

export type NoticeKind = 'done' | 'idle' | 'waiting' | 'failed';

// The kind of a notice, which has no asker that waits; null: not a notice. The server writes it into the key.
export function noticeKind({ key }: Pick<Item, 'key'>): NoticeKind | null {
  return (/^notice:(done|idle|waiting|failed):/.exec(key)?.[1] as NoticeKind | undefined) ?? null;
}

export function textContent(text: string): AnswerContent {
  return { type: 'text', text, mimeType: '', uri: '', data: null };
}

// The text of an answer, without attachments.
export function answerText(contents: readonly AnswerContent[]): string {
  return contents
    .filter((content) => content.type === 'text')
    .map((content) => content.text)
    .join('\n')
    .trim();
}

export function attachmentsOf(contents: readonly AnswerContent[]): AnswerContent[] {
  return contents.filter((content) => content.type !== 'text');
}
