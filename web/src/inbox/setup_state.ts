// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { asArray, asObject, asText } from '@/wire/json';
import { readDocument } from '@/wire/plain_server';

export const kAgentStates = ['ready', 'partly', 'absent', 'blocked'] as const;
export type AgentState = (typeof kAgentStates)[number];

// A coding agent of the server's computer.
export interface FoundAgent {
  word: string; // for the command
  title: string;
  state: AgentState;
}

export interface SetupState {
  command: string; // "parley setup"
  agents: FoundAgent[];
}

function readAgent(value: unknown): FoundAgent {
  const agent = asObject(value);
  const state = asText(agent['state']);
  return { word: asText(agent['word']), title: asText(agent['title']), state: kAgentStates.find((it) => it === state) ?? 'blocked' };
}

// Rejects with a ServerError: 403 without the right, 404 on a server that does not know its agents.
export async function readSetup(token: string, signal: AbortSignal, fetchIt: typeof fetch = (input, init) => fetch(input, init)): Promise<SetupState> {
  const body = asObject(await readDocument('/v1/setup', token, fetchIt, signal));
  return { command: asText(body['command']) || 'parley setup', agents: asArray(body['agents']).map(readAgent).filter(({ title }) => title !== '') };
}

// The command that is left to run; null: every agent is ready. `--all` sets up those that are found.
export function nextCommand({ agents, command }: SetupState): string | null {
  const open = agents.filter(({ state }) => state === 'absent' || state === 'partly');
  if (open.length === 1) return `${command} ${open[0]?.word ?? ''}`;
  return open.length > 0 || agents.length === 0 ? `${command} --all` : null;
}
