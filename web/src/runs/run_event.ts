// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { CallExplanation } from './explanation';

// The 24 events of a run and its reply, as this page reads them. Absent optional members are '' or null.
export type RunEvent =
  | { type: 'run_start'; runId: string; message: string; agent: string }
  | { type: 'node_enter'; id: string }
  | { type: 'node_exit'; id: string; error: string | null }
  | { type: 'message_chunk'; content: string; id: string }
  | { type: 'thought_chunk'; content: string; id: string }
  | { type: 'usage'; prompt: number; completion: number; total: number }
  | { type: 'values'; state: unknown }
  | { type: 'updates'; id: string; state: unknown }
  | { type: 'custom'; value: unknown }
  | { type: 'checkpoint'; checkpointId: string; timestamp: number | null; step: number; state: unknown; next: string }
  | { type: 'tot_expand'; candidates: string[] }
  | { type: 'tot_evaluate'; chosen: number; scores: number[] }
  | { type: 'tot_backtrack'; reason: string; toDepth: number }
  | { type: 'got_plan'; nodeCount: number; edgeCount: number; nodeIds: string[] }
  | { type: 'got_node_start'; id: string }
  | { type: 'got_node_complete'; id: string; summary: string }
  | { type: 'got_node_failed'; id: string; error: string }
  | { type: 'got_expand'; id: string; nodesAdded: number; edgesAdded: number }
  | { type: 'tool_call_chunk'; callId: string; name: string; delta: string }
  | { type: 'tool_call'; callId: string; name: string; arguments: unknown }
  | { type: 'tool_start'; callId: string; name: string }
  | { type: 'tool_output'; callId: string; name: string; content: string }
  | { type: 'tool_end'; callId: string; name: string; result: string; isError: boolean; raw: string | null }
  | { type: 'tool_approval'; callId: string; name: string; arguments: unknown; explanation: CallExplanation | null }
  | { type: 'reply'; reply: string; reasoning: string; error: string; stopReason: string }
  | { type: 'unknown'; name: string };

export type EventType = RunEvent['type'];

// One line of a stream: an event or the reply, with its envelope.
export interface Frame {
  session: string; // '': absent
  nodeId: string; // of the node's run: "run-think-0"; '': absent
  eventId: number | null;
  at: number | null; // Unix ms; only if times were requested
  event: RunEvent;
  raw: unknown; // the object as read
}

export const kEventTypes = [
  'run_start',
  'node_enter',
  'node_exit',
  'message_chunk',
  'thought_chunk',
  'usage',
  'values',
  'updates',
  'custom',
  'checkpoint',
  'tot_expand',
  'tot_evaluate',
  'tot_backtrack',
  'got_plan',
  'got_node_start',
  'got_node_complete',
  'got_node_failed',
  'got_expand',
  'tool_call_chunk',
  'tool_call',
  'tool_start',
  'tool_output',
  'tool_end',
  'tool_approval',
] as const satisfies readonly EventType[];

// Event types by their key in the single-key form; "Messages" has two of them.
export const kExportKeys: Readonly<Record<string, string>> = {
  RunStart: 'run_start',
  TaskStart: 'node_enter',
  TaskEnd: 'node_exit',
  Messages: 'message_chunk',
  MessageChunk: 'message_chunk',
  ThoughtChunk: 'thought_chunk',
  Usage: 'usage',
  Values: 'values',
  Updates: 'updates',
  Custom: 'custom',
  Checkpoint: 'checkpoint',
  TotExpand: 'tot_expand',
  TotEvaluate: 'tot_evaluate',
  TotBacktrack: 'tot_backtrack',
  GotPlan: 'got_plan',
  GotNodeStart: 'got_node_start',
  GotNodeComplete: 'got_node_complete',
  GotNodeFailed: 'got_node_failed',
  GotExpand: 'got_expand',
  ToolCallChunk: 'tool_call_chunk',
  ToolCall: 'tool_call',
  ToolStart: 'tool_start',
  ToolOutput: 'tool_output',
  ToolEnd: 'tool_end',
  ToolApproval: 'tool_approval',
};
