// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { ServerError } from '@/wire/wrapped_server';
import { makeRule, type Proposal, readRules, revokeRule } from './rules';

const kProposal: Proposal = {
  agent: 'claude',
  title: 'Claude Code',
  command: 'make',
  rule: 'Bash(make)',
  file: '/f',
  allowed: 5,
  lastAt: 0,
};

function answering(status: number, body: unknown) {
  const sent: { path: string; init: RequestInit }[] = [];
  const fetchIt: typeof fetch = (input, init = {}) => {
    sent.push({ path: input as string, init });
    return Promise.resolve(new Response(status === 204 ? null : JSON.stringify(body), { status }));
  };
  return { sent, fetchIt };
}

describe('The rules of agents', () => {
  it('are read with their uses', async () => {
    const at = '2026-11-28T08:00:00.000Z';
    const rule = {
      id: 'r',
      title: 'Claude Code',
      command: 'make',
      rule: 'Bash(make)',
      file: '/f',
      made_at: at,
      by: 'laptop',
      present: true,
      uses: { count: 2, last: [{ at, directory: '/src' }] },
    };
    const { fetchIt } = answering(200, { rules: [rule, {}], proposals: [{ ...kProposal, last_at: at }] });
    const { proposals, rules } = await readRules('secret', fetchIt);
    expect(rules[0]).toEqual({
      id: 'r',
      title: 'Claude Code',
      command: 'make',
      rule: 'Bash(make)',
      file: '/f',
      by: 'laptop',
      madeAt: Date.parse(at),
      present: true,
      uses: 2,
      last: [{ at: Date.parse(at), directory: '/src' }],
    });
    expect(rules[1]).toMatchObject({ id: '', present: false, uses: 0, last: [] });
    expect(proposals).toEqual([{ ...kProposal, lastAt: Date.parse(at) }]);
  });

  it('are made as they were shown, with the token in a header', async () => {
    const { fetchIt, sent } = answering(201, {});
    await makeRule('secret', kProposal, fetchIt);
    expect(JSON.parse(sent[0]?.init.body as string)).toEqual({
      agent: 'claude',
      command: 'make',
      rule: 'Bash(make)',
      file: '/f',
    });
    expect(sent[0]?.init).toMatchObject({
      method: 'POST',
      headers: { Authorization: 'Bearer secret', 'Content-Type': 'application/json' },
    });
  });

  it('are revoked by id; a refusal has the sentence of the server', async () => {
    const revoking = answering(204, null);
    await revokeRule('secret', 'a/b', revoking.fetchIt);
    expect(revoking.sent[0]?.path).toBe('/v1/rules/a%2Fb');
    const refused = revokeRule('secret', 'x', answering(404, { message: 'There is no rule with this id.' }).fetchIt);
    await expect(refused).rejects.toEqual(new ServerError(404, 'There is no rule with this id.'));
  });
});
