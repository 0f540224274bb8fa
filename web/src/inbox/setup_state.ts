// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { asArray, asObject, asText } from '@/wire/json';
import { readDocument } from '@/wire/plain_server';
import { agentOf } from './conversations';
import type { Item } from './item';
import { sortTime } from './ledger';

export const kAgentStates = ['ready', 'partly', 'absent', 'blocked'] as const;
export type AgentState = (typeof kAgentStates)[number];
export const kAsks = ['always', 'somebody', 'page'] as const;
export type Asks = (typeof kAsks)[number];

// A coding agent of the server's computer.
export interface FoundAgent {
  word: string; // for the command
  title: string;
  state: AgentState;
  asks: Asks | null; // when its hooks ask; null: it has none
}

export interface SetupState {
  command: string; // "parley setup"
  agents: FoundAgent[];
}

function readAgent(value: unknown): FoundAgent {
  const agent = asObject(value);
  const state = asText(agent['state']);
  return {
    word: asText(agent['word']),
    title: asText(agent['title']),
    state: kAgentStates.find((it) => it === state) ?? 'blocked',
    asks: kAsks.find((it) => it === agent['asks']) ?? null,
  };
}

// Rejects with a ServerError: 403 without the right, 404 on a server that does not know its agents.
export async function readSetup(
  token: string,
  signal: AbortSignal,
  fetchIt: typeof fetch = (input, init) => fetch(input, init),
): Promise<SetupState> {
  const body = asObject(await readDocument('/v1/setup', token, fetchIt, signal));
  return {
    command: asText(body['command']) || 'parley setup',
    agents: asArray(body['agents'])
      .map(readAgent)
      .filter(({ title }) => title !== ''),
  };
}

// The command that is left to run; null: every agent is ready. `--all` sets up those that are found.
export function nextCommand({ agents, command }: SetupState): string | null {
  const open = agents.filter(({ state }) => state === 'absent' || state === 'partly');
  if (open.length === 1) return `${command} ${open[0]?.word ?? ''}`;
  return open.length > 0 || agents.length === 0 ? `${command} --all` : null;
}

// An agent of the list. `state`: null for one that has asked from elsewhere; `seenAt`: Unix ms, 0: it has asked
// nothing.
export interface SeenAgent {
  title: string;
  state: AgentState | null;
  asks: Asks | null;
  seenAt: number;
}

const kMaxSeen = 12;

// The agents that were found, and the others that have asked, the latest first. An agent names itself with its title
// and may add to it: "Claude Code (till)".
export function seenAgents(found: readonly FoundAgent[], items: readonly Item[]): SeenAgent[] {
  const seen = new Map<string, number>();
  for (const item of items) {
    const name = agentOf(item);
    if (name !== '') seen.set(name, Math.max(seen.get(name) ?? 0, sortTime(item)));
  }
  const named = (title: string) => [...seen].filter(([name]) => name.toLowerCase().startsWith(title.toLowerCase()));
  const here = found.map(({ asks, state, title }) => ({
    title,
    state,
    asks,
    seenAt: Math.max(0, ...named(title).map(([, at]) => at)),
  }));
  const known = new Set(found.flatMap(({ title }) => named(title).map(([name]) => name)));
  const others = [...seen]
    .filter(([name]) => !known.has(name))
    .map(([title, seenAt]) => ({ title, state: null, asks: null, seenAt }));
  return [...here, ...others.sort((a, b) => b.seenAt - a.seenAt)].slice(0, kMaxSeen);
}
