// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { asArray, asNumber, asObject, asText, asTime } from '@/wire/json';
import { readDocument, sendDocument } from '@/wire/plain_server';

// A rule in the settings of an agent that was made here.
export interface Rule {
  id: string;
  title: string; // of the agent
  command: string;
  rule: string; // as the settings have it
  file: string;
  madeAt: number; // Unix ms
  by: string;
  present: boolean; // false: the settings do not have it any more
  uses: number;
  last: { at: number; directory: string }[]; // the latest uses
}

// A command for which a rule is proposed.
export interface Proposal {
  agent: string; // its word
  title: string;
  command: string;
  rule: string;
  file: string;
  allowed: number; // times
  lastAt: number;
}

export interface Rules {
  rules: Rule[];
  proposals: Proposal[];
}

const timeOf = (value: unknown): number => asTime(value) ?? 0;

function readRule(value: unknown): Rule {
  const rule = asObject(value);
  const uses = asObject(rule['uses']);
  return {
    id: asText(rule['id']),
    title: asText(rule['title']),
    command: asText(rule['command']),
    rule: asText(rule['rule']),
    file: asText(rule['file']),
    madeAt: timeOf(rule['made_at']),
    by: asText(rule['by']),
    present: rule['present'] === true,
    uses: asNumber(uses['count']) ?? 0,
    last: asArray(uses['last']).map((use) => ({
      at: timeOf(asObject(use)['at']),
      directory: asText(asObject(use)['directory']),
    })),
  };
}

function readProposal(value: unknown): Proposal {
  const proposal = asObject(value);
  return {
    agent: asText(proposal['agent']),
    title: asText(proposal['title']),
    command: asText(proposal['command']),
    rule: asText(proposal['rule']),
    file: asText(proposal['file']),
    allowed: asNumber(proposal['allowed']) ?? 0,
    lastAt: timeOf(proposal['last_at']),
  };
}

const usual: typeof fetch = (input, init) => fetch(input, init);

// All reject with a ServerError: 403 without the right admin, 404 on a server that keeps no rules.
export async function readRules(token: string, fetchIt = usual): Promise<Rules> {
  const body = asObject(await readDocument('/v1/rules', token, fetchIt));
  return { rules: asArray(body['rules']).map(readRule), proposals: asArray(body['proposals']).map(readProposal) };
}

// Writes what the proposal shows, or nothing: 409 if the server would write something else now.
export async function makeRule(
  token: string,
  { agent, command, file, rule }: Proposal,
  fetchIt = usual,
): Promise<void> {
  await sendDocument('POST', '/v1/rules', token, fetchIt, { agent, command, rule, file });
}

export async function revokeRule(token: string, id: string, fetchIt = usual): Promise<void> {
  await sendDocument('DELETE', `/v1/rules/${encodeURIComponent(id)}`, token, fetchIt);
}
