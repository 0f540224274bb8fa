// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import type { Item } from './item';
import { type AgentState, nextCommand, readSetup, seenAgents } from './setup_state';

const agents = (...states: AgentState[]) =>
  states.map((state, index) => ({ word: `agent${index}`, title: `Agent ${index}`, state, asks: null }));
const answering = (status: number, body: unknown) =>
  (() => Promise.resolve(new Response(JSON.stringify(body), { status }))) as typeof fetch;
const never = new AbortController().signal;

describe('state of the set-up', () => {
  it('is read, whatever a newer server adds', async () => {
    const body = {
      command: '/opt/parley setup',
      more: 1,
      agents: [
        { word: 'claude', title: 'Claude Code', state: 'absent', asks: 'page' },
        { word: 'x', title: 'X', state: 'unheard of', asks: 'sometimes' },
        {},
      ],
    };
    expect(await readSetup('t', never, answering(200, body))).toEqual({
      command: '/opt/parley setup',
      agents: [
        { word: 'claude', title: 'Claude Code', state: 'absent', asks: 'page' },
        { word: 'x', title: 'X', state: 'blocked', asks: null },
      ],
    });
    await expect(readSetup('t', never, answering(403, { message: 'no' }))).rejects.toMatchObject({ status: 403 });
  });

  it('names the command that is left', () => {
    const left = (...states: AgentState[]) => nextCommand({ command: 'parley setup', agents: agents(...states) });
    expect(left()).toBe('parley setup --all');
    expect(left('ready', 'absent')).toBe('parley setup agent1');
    expect(left('partly', 'absent', 'ready')).toBe('parley setup --all');
    expect(left('ready', 'blocked')).toBeNull();
  });

  it('tells when each agent has last asked, those of other computers too', () => {
    const item = (agent: string, openedAt: number): Item => ({
      key: `${agent}${openedAt}`,
      kind: 'question',
      prompt: { text: '', project: '', agent, model: '', client: '', timeoutS: 0, questions: [] },
      openedAt,
      deadline: 0,
      state: 'pending',
      outcome: null,
    });
    const found = [
      { word: 'claude', title: 'Claude Code', state: 'ready' as const, asks: 'always' as const },
      { word: 'codex', title: 'Codex CLI', state: 'absent' as const, asks: null },
    ];
    expect(
      seenAgents(found, [item('Claude Code', 3), item('claude code (till)', 7), item('Elsewhere', 5), item('', 9)]),
    ).toEqual([
      { title: 'Claude Code', state: 'ready', asks: 'always', seenAt: 7 },
      { title: 'Codex CLI', state: 'absent', asks: null, seenAt: 0 },
      { title: 'Elsewhere', state: null, asks: null, seenAt: 5 },
    ]);
  });
});
