// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// What the host page shows of the relay and of the agents behind it.

export type ConnectionPhase =
  | 'connecting'
  | 'joined'
  | 'occupied' // another host is active in the session; tried again at retryAt
  | 'waiting' // the connection is lost; tried again at retryAt
  | 'replaced' // another host took over: stays so until takeOver() or start()
  | 'stopped';

export interface AgentPresence {
  id: string;
  name: string;
}

// connected: an agent is there. thinking: something was said to it, or it is between two acts.
export type AgentActivity = 'absent' | 'connected' | 'thinking' | 'acting';

export interface AgentCall {
  toolName: string;
  reason: string; // '' if the agent gave none
  at: number;
  outcome: 'running' | 'ok' | 'refused';
  message: string; // why it was refused
}

export interface LogLine {
  number: number; // counts up from 1
  at: number;
  direction: 'in' | 'out';
  type: string;
  size: number; // UTF-16 units
  text: string; // at most kMaxLogText of it
}

export interface BridgeView {
  phase: ConnectionPhase;
  retryAt: number | null;
  problem: string | null; // what the relay said when it did not let this host in
  sessionId: string;
  agents: readonly AgentPresence[];
  activity: AgentActivity;
  lastCall: AgentCall | null;
  sessionActive: boolean; // between session.start and session.end
  log: readonly LogLine[];
}

export const kMaxLogLines = 200;
export const kMaxLogText = 16_384;

export function withLogLine(
  log: readonly LogLine[],
  line: Omit<LogLine, 'number' | 'size'>,
  most: number,
): readonly LogLine[] {
  if (most === 0) return log;
  const number = (log.at(-1)?.number ?? 0) + 1;
  const entry = { number, ...line, size: line.text.length, text: line.text.slice(0, kMaxLogText) };
  return [...log, entry].slice(-most);
}

export function readPresence(payload: Record<string, unknown>): AgentPresence[] {
  const given = payload['agents'];
  if (!Array.isArray(given)) return [];
  return given.flatMap((agent: unknown) => {
    if (typeof agent !== 'object' || agent === null) return [];
    const { id, name } = agent as Record<string, unknown>;
    if (typeof id !== 'string') return [];
    return [{ id, name: typeof name === 'string' ? name : id }];
  });
}
