// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { type AgentState, nextCommand, readSetup } from './setup_state';

const agents = (...states: AgentState[]) => states.map((state, index) => ({ word: `agent${index}`, title: `Agent ${index}`, state }));
const answering = (status: number, body: unknown) => (() => Promise.resolve(new Response(JSON.stringify(body), { status }))) as typeof fetch;
const never = new AbortController().signal;

describe('state of the set-up', () => {
  it('is read, whatever a newer server adds', async () => {
    const body = { command: '/opt/parley setup', more: 1, agents: [{ word: 'claude', title: 'Claude Code', state: 'absent' }, { word: 'x', title: 'X', state: 'unheard of' }, {}] };
    expect(await readSetup('t', never, answering(200, body))).toEqual({
      command: '/opt/parley setup',
      agents: [{ word: 'claude', title: 'Claude Code', state: 'absent' }, { word: 'x', title: 'X', state: 'blocked' }],
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
});
