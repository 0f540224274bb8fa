// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { CallExplanation } from '@/runs/explanation';
import type { NamedPart } from './frames';
import type { Terminal } from './terminal';

interface Base {
  key: string;
  requestId: string;
  at: number; // Unix ms; 0: unknown
}

export interface UserItem extends Base {
  is: 'user';
  text: string;
  attachments: readonly NamedPart[];
  order: boolean; // a command
  state: 'sending' | 'sent' | 'failed';
  problem: string; // reason why the server refused it
}

export interface TextItem extends Base {
  is: 'text';
  text: string;
  streaming: boolean;
}

export type CallPhase = 'running' | 'asking' | 'done' | 'failed' | 'denied' | 'stopped';

export interface CallItem extends Base {
  is: 'call';
  callId: string;
  name: string;
  args: string; // JSON text
  isClient: boolean;
  explanation: CallExplanation | null; // of its command, for the person who is asked
  interaction: string; // key of the question whether it may run; '': none, or not told
  phase: CallPhase;
  result: string;
  durationMs: number | null;
  answer: { allow: boolean; by: string } | null; // by a person or a rule
  output: Terminal;
}

export interface StatusItem extends Base {
  is: 'status';
  title: string;
  text: string;
  phase: string; // discovery, planning, execution, summary
}

export interface Todo {
  content: string;
  status: 'pending' | 'in_progress' | 'completed';
}

export interface TodoItem extends Base {
  is: 'todo';
  todos: readonly Todo[];
}

export interface BlockItem extends Base {
  is: 'block';
  text: string;
  summary: boolean;
}

export interface ErrorItem extends Base {
  is: 'error';
  text: string;
}

export interface InterruptedItem extends Base {
  is: 'interrupted';
}

// Marks the place of omitted older messages.
export interface GapItem extends Base {
  is: 'gap';
}

export type ChatItem =
  UserItem | TextItem | CallItem | StatusItem | TodoItem | BlockItem | ErrorItem | InterruptedItem | GapItem;

export interface Usage {
  used: number;
  limit: number; // 0: unknown
  input: number;
  output: number;
}

export type Activity = 'thinking' | 'tools' | 'summary';

// Tools whose calls are shown as a card of their own kind.
const kOwnCard: readonly string[] = ['todo_write', 'status_update'];

export const isShown = (item: ChatItem): boolean =>
  item.is !== 'call' || !kOwnCard.includes(item.name) || (item.phase !== 'done' && item.phase !== 'running');

// Key of the data that this browser keeps for a call.
export const callKey = ({ callId, requestId }: Pick<CallItem, 'requestId' | 'callId'>): string =>
  `${requestId} ${callId}`;

const kOver: readonly CallPhase[] = ['done', 'failed', 'denied', 'stopped'];

export const isOver = (call: Pick<CallItem, 'phase'>): boolean => kOver.includes(call.phase);
