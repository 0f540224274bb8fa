// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { AgentActivity } from '../engine/bridge_view';

// State of the agents, derived from the envelopes of the connection to the relay. Pure functions.

export interface SeenAgent {
  id: string;
  name: string; // '': unknown
}

export interface Act {
  id: string;
  tool: string;
  params: unknown;
  reason: string; // '' if the agent gave none
  agent: string; // '': unknown
  at: number; // Unix ms
  state: 'running' | 'done' | 'refused';
  message: string; // reason of a refusal
}

export type DeclaredPhase = 'idle' | 'planning' | 'executing';

export interface AgentsView {
  agents: readonly SeenAgent[];
  acts: readonly Act[]; // the newest last
  declared: { phase: DeclaredPhase; agent: string } | null; // by agent.status
}

export const kEmptyView: AgentsView = {
  agents: [],
  acts: [],
  declared: null,
};
export const kMaxActs = 200;

type Json = Record<string, unknown>;

function asObject(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

// An id, which may be any JSON value, as text for a key.
function keyOf(id: unknown): string {
  return typeof id === 'string' ? id : JSON.stringify(id ?? null);
}

function readAgents(payload: Json): SeenAgent[] {
  const list = Array.isArray(payload['agents']) ? (payload['agents'] as unknown[]) : [];
  const named = list.map(asObject).map((it) => ({ id: asText(it['id']), name: asText(it['name']) }));
  const count = typeof payload['agentCount'] === 'number' ? payload['agentCount'] : named.length;
  while (named.length < Math.min(count, 64)) named.push({ id: `agent-${named.length + 1}`, name: '' });
  return named;
}

function agentOf(view: AgentsView, envelope: Json): string {
  const payload = asObject(envelope['payload']);
  const announcedName = asText(payload['agentName']) || asText(envelope['clientName']);
  if (announcedName !== '') return announcedName;
  const id = asText(envelope['clientId']);
  const known = view.agents.find((it) => it.id === id && id !== '');
  return known?.name ?? (view.agents.length === 1 ? (view.agents[0]?.name ?? '') : '');
}

function started(view: AgentsView, envelope: Json, at: number): AgentsView {
  const payload = asObject(envelope['payload']);
  const act: Act = {
    id: keyOf(envelope['id']),
    tool: asText(payload['toolName']),
    params: payload['params'],
    reason: asText(payload['reason']),
    agent: agentOf(view, envelope),
    at,
    state: 'running',
    message: '',
  };
  return { ...view, acts: [...view.acts, act].slice(-kMaxActs) };
}

function settled(view: AgentsView, envelope: Json, ok: boolean): AgentsView {
  const key = keyOf(envelope['replyTo']);
  const index = view.acts.findLastIndex((it) => it.id === key && it.state === 'running');
  const act = view.acts[index];
  if (!act) return view;
  const message = ok ? '' : asText(asObject(envelope['payload'])['message']);
  const acts = view.acts.with(index, { ...act, state: ok ? 'done' : 'refused', message });
  return { ...view, acts };
}

function received(view: AgentsView, envelope: Json, at: number): AgentsView {
  const payload = asObject(envelope['payload']);
  switch (envelope['type']) {
    case 'relay.presence': {
      const agents = readAgents(payload);
      const isEmpty = agents.length === 0;
      return {
        ...view,
        agents,
        declared: isEmpty ? null : view.declared,
      };
    }
    case 'tool.call':
      return started(view, envelope, at);
    case 'agent.status': {
      const phase = (['planning', 'executing'] as const).find((it) => it === payload['phase']) ?? 'idle';
      return { ...view, declared: { phase, agent: agentOf(view, envelope) } };
    }
    default:
      return view;
  }
}

function sent(view: AgentsView, envelope: Json): AgentsView {
  const payload = asObject(envelope['payload']);
  switch (envelope['type']) {
    case 'tool.result':
      return settled(view, envelope, payload['ok'] === true);
    case 'error':
      return settled(view, envelope, false);
    case 'session.ended':
      return { ...view, acts: [] };
    default:
      return view;
  }
}

export function withEnvelope(view: AgentsView, direction: 'in' | 'out', envelope: unknown, at: number): AgentsView {
  const read = asObject(envelope);
  return direction === 'in' ? received(view, read, at) : sent(view, read);
}

// The envelope of a log line. Of a cut line, which is one of this page and begins with type and replyTo, only a
// tool.result is read; it is a success, because refusals are never that long.
export function envelopeOf(line: { type: string; text: string; size: number }): unknown {
  try {
    if (line.size <= line.text.length) return JSON.parse(line.text);
    if (line.type !== 'tool.result') return null;
    const replyTo = /"replyTo":("(?:[^"\\]|\\.)*"|-?[\d.]+)/.exec(line.text)?.[1];
    return { type: line.type, replyTo: JSON.parse(replyTo ?? 'null'), payload: { ok: true } };
  } catch {
    return null;
  }
}

// The view without a connection: no agent is known, and running actions count as refused.
export function withoutLine(view: AgentsView): AgentsView {
  const acts = view.acts.map((it) => (it.state === 'running' ? { ...it, state: 'refused' as const } : it));
  return { ...view, acts, agents: [], declared: null };
}

// The phase for the indicator: acting if observed or declared, thinking if declared, otherwise the observed one.
export function phaseOf(view: AgentsView, seen: AgentActivity): AgentActivity {
  if (view.agents.length === 0 || seen === 'absent') return 'absent';
  if (seen === 'acting' || view.declared?.phase === 'executing') return 'acting';
  return view.declared?.phase === 'planning' ? 'thinking' : seen;
}

// The distinct names for the indicator; '': agents without a name.
export function agentNames(view: AgentsView): string[] {
  return [...new Set(view.agents.map((it) => it.name))];
}
