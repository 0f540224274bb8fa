// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { HttpTokens, TokensError } from './http_tokens';

interface Sent {
  path: string;
  method: string;
  body: string;
}

function server(status: number, answer: unknown): { tokens: HttpTokens; sent: Sent[] } {
  const sent: Sent[] = [];
  const tokens = new HttpTokens('t', (input, init) => {
    sent.push({ path: input as string, method: init?.method ?? '', body: (init?.body as string | undefined) ?? '' });
    return Promise.resolve(new Response(answer === null ? null : JSON.stringify(answer), { status }));
  });
  return { tokens, sent };
}

describe('tokens over HTTP', () => {
  it('are listed unrevoked, newest first, with rights in order', async () => {
    const { tokens } = server(200, {
      tokens: [
        { id: '1', name: 'default', rights: ['admin', 'ask'], created_at: 1, expires_at: null, revoked_at: null },
        { id: '2', name: 'old', rights: ['ask'], created_at: 2, expires_at: null, revoked_at: 5 },
        { id: '3', name: 'phone', rights: ['read', 'nonsense'], created_at: 3, expires_at: 9, revoked_at: null },
      ],
    });
    const list = await tokens.list();
    expect(list.map((token) => token.name)).toEqual(['phone', 'default']);
    expect(list[0]?.rights).toEqual(['read']);
    expect(list[1]?.rights).toEqual(['ask', 'admin']);
  });

  it('are made with rights, and without a missing expiry', async () => {
    const { tokens, sent } = server(201, { token: 'prl_x' });
    expect(await tokens.create('phone', ['ask', 'read'], '')).toBe('prl_x');
    expect(JSON.parse(sent[0]?.body ?? '')).toEqual({ name: 'phone', rights: ['ask', 'read'] });
    await tokens.create('phone', ['ask'], '30d');
    expect(JSON.parse(sent[1]?.body ?? '')).toEqual({ name: 'phone', rights: ['ask'], expires: '30d' });
  });

  it('are revoked by id with any character', async () => {
    const { tokens, sent } = server(204, null);
    await tokens.revoke('a/b');
    expect(sent[0]).toEqual({ path: '/v1/tokens/a%2Fb', method: 'DELETE', body: '' });
  });

  it('fail in the words of the server', async () => {
    const { tokens } = server(403, { code: 'permission_denied', message: 'This token lacks the right "admin".' });
    await expect(tokens.list()).rejects.toThrow(new TokensError('This token lacks the right "admin".'));
  });
});
