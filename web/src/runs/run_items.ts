// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { CallExplanation } from './explanation';
import type { TaskState } from './got_dag';

// 'stopped': unfinished when the run ended or was resumed.
export type NodeState = 'running' | 'done' | 'failed' | 'stopped';
export type ToolPhase = 'writing' | 'called' | 'asking' | 'running' | 'done' | 'failed' | 'stopped';

export interface TokenUse {
  prompt: number;
  completion: number;
  total: number;
}

export interface SubAgent {
  key: string; // of its own fold
  name: string;
  running: boolean;
}

interface Place {
  key: string;
  frames: number[]; // indexes of its frames
  at: number | null;
  endAt: number | null;
  node: string; // name of the node in which it began
  nodeId: string;
}

export interface StartItem extends Place {
  is: 'start';
  message: string;
  agent: string;
  again: boolean; // the run was resumed
  inFlight: number; // number of tool calls in flight when it stopped
}

export interface NodeItem extends Place {
  is: 'node';
  number: number; // from 1
  state: NodeState;
  error: string;
  usage: TokenUse | null;
  step: number | null; // index in the history of states
  calls: string[]; // keys of the tool calls that were made in it or ran in it
  task: string; // task of the plan for which it ran; '': none
}

export interface TextItem extends Place {
  is: 'text' | 'thought';
  text: string;
  open: boolean; // may still grow
  takenBack: boolean; // void: the model was called again
}

export interface ToolItem extends Place {
  is: 'tool';
  callId: string;
  name: string;
  written: string; // its arguments as the model wrote them
  args: unknown; // undefined until the call is complete
  phase: ToolPhase;
  asked: boolean; // a person was asked
  explanation: CallExplanation | null; // of its command, for the person who is asked
  startAt: number | null; // when it began to run
  output: string;
  result: string;
  raw: string | null; // the whole result if `result` is cut
  agents: SubAgent[];
}

export interface ThoughtsItem extends Place {
  is: 'thoughts'; // an expansion of a tree of thoughts
  thoughts: number[];
  texts: string[];
  scores: (number | null)[];
  chosen: number | null;
}

export interface BacktrackItem extends Place {
  is: 'backtrack';
  reason: string;
  toDepth: number;
  thought: number | null; // the abandoned one
}

export interface PlanItem extends Place {
  is: 'plan';
  ids: string[];
  edges: number;
}

export interface TaskItem extends Place {
  is: 'task';
  id: string;
  description: string;
  state: TaskState;
  summary: string;
  error: string;
}

export interface ExpansionItem extends Place {
  is: 'expansion';
  id: string;
  nodes: number;
  edges: number;
}

export interface OtherItem extends Place {
  is: 'custom' | 'unknown';
  name: string;
  value: unknown;
}

export interface ReplyItem extends Place {
  is: 'reply';
  text: string;
  reasoning: string;
  error: string;
  stopReason: string;
  isStreamed: boolean; // the same text was streamed before
}

export type RunItem =
  | StartItem
  | NodeItem
  | TextItem
  | ToolItem
  | ThoughtsItem
  | BacktrackItem
  | PlanItem
  | TaskItem
  | ExpansionItem
  | OtherItem
  | ReplyItem;

export interface UsagePoint extends TokenUse {
  frame: number;
  item: string; // key of the node that reported it; '': none
  node: string;
  at: number | null;
}
