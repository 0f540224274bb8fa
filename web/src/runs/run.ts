// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { asArray, asNumber, asObject, asText, asTime } from '@/wire/json';
import { messageText } from './parse';
import type { TokenUse } from './run_items';

export const kRunStates = ['running', 'waiting', 'finished', 'failed', 'cancelled', 'interrupted'] as const;
export type RunStateName = (typeof kRunStates)[number];

// A run in the server's list.
export interface Run {
  id: string;
  session: string;
  agent: string;
  kind: string;
  model: string;
  message: string;
  workingFolder: string;
  state: RunStateName;
  startedAt: number; // Unix ms
  endedAt: number | null;
  steps: number;
  reply: string;
  error: string;
  usage: TokenUse | null;
  forkedFrom: string;
}

export interface RunPage {
  runs: Run[];
  more: boolean;
}

export const isLive = (state: RunStateName): boolean => state === 'running' || state === 'waiting';

// True for states from which a run can be resumed at its last checkpoint.
export const canResume = (state: RunStateName): boolean =>
  state === 'interrupted' || state === 'failed' || state === 'cancelled';

export function readRun(value: unknown): Run | null {
  const it = asObject(value);
  const id = asText(it['id']);
  if (id === '') return null;
  return {
    id,
    session: asText(it['session_id']),
    agent: asText(it['agent']),
    kind: asText(it['kind']) || asText(it['agent']),
    model: asText(it['model']),
    message: messageText(it['message']),
    workingFolder: asText(it['working_folder']),
    state: kRunStates.find((state) => state === it['state']) ?? 'finished',
    startedAt: asTime(it['started_at']) ?? 0,
    endedAt: asTime(it['ended_at']),
    steps: asNumber(it['steps']) ?? 0,
    reply: asText(it['reply']),
    error: asText(it['error']),
    usage: readUse(it['usage']),
    forkedFrom: asText(it['forked_from']),
  };
}

function readUse(value: unknown): TokenUse | null {
  const it = asObject(value);
  const prompt = asNumber(it['prompt_tokens']);
  const completion = asNumber(it['completion_tokens']);
  if (prompt === null && completion === null) return null;
  return {
    prompt: prompt ?? 0,
    completion: completion ?? 0,
    total: asNumber(it['total_tokens']) ?? (prompt ?? 0) + (completion ?? 0),
  };
}

export function readRunPage(value: unknown): RunPage {
  const it = asObject(value);
  return {
    runs: asArray(it['runs'])
      .map(readRun)
      .filter((run) => run !== null),
    more: it['more'] === true,
  };
}

export interface ModelChoice {
  id: string;
  name: string;
  provider: string;
  demonstration: boolean;
}

export interface Models {
  models: ModelChoice[];
  failures: { provider: string; error: string }[];
  preset: string; // the default model
}

export function readModels(value: unknown): Models {
  const it = asObject(value);
  const models = asArray(it['models']).map((entry): ModelChoice => {
    const model = asObject(entry);
    const id = asText(model['id']);
    return {
      id,
      name: asText(model['name']) || id,
      provider: asText(model['provider']),
      demonstration: model['demonstration'] === true,
    };
  });
  const failures = asArray(it['failures']).map((entry) => ({
    provider: asText(asObject(entry)['provider']),
    error: asText(asObject(entry)['error']),
  }));
  return { models: models.filter(({ id }) => id !== ''), failures, preset: asText(it['default']) };
}

export interface AgentChoice {
  name: string;
  description: string;
  source: string;
  kind: string;
}

export function readAgents(value: unknown): AgentChoice[] {
  const agents = asArray(asObject(value)['agents']).map((entry): AgentChoice => {
    const it = asObject(entry);
    return {
      name: asText(it['name']),
      description: asText(it['description']),
      source: asText(it['source']),
      kind: asText(it['kind']),
    };
  });
  return agents.filter(({ name }) => name !== '');
}

export interface RunFilter {
  text: string;
  state: RunStateName | '' | 'live';
  agent: string;
}

export const kNoRunFilter: Readonly<RunFilter> = { text: '', state: '', agent: '' };

export function fittingRuns(runs: readonly Run[], filter: RunFilter): Run[] {
  const words = filter.text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return runs.filter((run) => {
    if (filter.state === 'live' ? !isLive(run.state) : filter.state !== '' && run.state !== filter.state) return false;
    if (filter.agent !== '' && run.agent !== filter.agent) return false;
    if (words.length === 0) return true;
    const text = [run.message, run.agent, run.model, run.id, run.session, run.workingFolder, run.error]
      .join(' ')
      .toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

// Merges a page into a list, newest first; runs with the same id are replaced.
export function withPage(list: readonly Run[], page: readonly Run[]): Run[] {
  const fresh = new Map(page.map((run) => [run.id, run]));
  const known = list.map((run) => {
    const now = fresh.get(run.id);
    fresh.delete(run.id);
    return now ?? run;
  });
  const all = [...fresh.values(), ...known];
  return all.sort((a, b) => b.startedAt - a.startedAt || (a.id < b.id ? 1 : -1));
}

// Removes deleted runs from a list: those in the range of a page that are not on it. `before`: the run after
// which the page begins; null: it begins with the newest.
export function withoutDeleted(list: readonly Run[], page: RunPage, before: Run | null): Run[] {
  const there = new Set(page.runs.map(({ id }) => id));
  const last = page.runs.at(-1);
  const isOlder = (run: Run, than: Run) =>
    run.startedAt < than.startedAt || (run.startedAt === than.startedAt && run.id < than.id);
  return list.filter((run) => {
    const isAbove = before !== null && !isOlder(run, before);
    const isBelow = page.more && (!last || isOlder(run, last));
    return isAbove || isBelow || there.has(run.id);
  });
}

export function firstLine(text: string): string {
  return (
    text
      .split('\n')
      .find((line) => line.trim() !== '')
      ?.trim() ?? ''
  );
}
