// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The state of the relay and of its agents for the host page.

export type ConnectionPhase =
  | 'connecting'
  | 'joined'
  | 'occupied' // another host is active in the session; next attempt at retryAt
  | 'waiting' // the connection is lost; next attempt at retryAt
  | 'replaced' // another host took over; final until takeOver() or start()
  | 'stopped';

export interface AgentPresence {
  id: string;
  name: string;
}

// connected: an agent is present. thinking: it has a message to answer, or is between two calls.
export type AgentActivity = 'absent' | 'connected' | 'thinking' | 'acting';

export interface AgentCall {
  toolName: string;
  reason: string; // '' if the agent gave none
  at: number;
  outcome: 'running' | 'ok' | 'refused';
  message: string; // reason of a refusal
}

export interface LogLine {
  number: number; // from 1
  at: number;
  direction: 'in' | 'out';
  type: string;
  size: number; // UTF-16 units
  text: string; // cut to kMaxLogText
}

export interface BridgeView {
  phase: ConnectionPhase;
  retryAt: number | null;
  problem: string | null; // reason of the relay for a refused join
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
