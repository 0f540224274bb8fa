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
        {
          id: '1',
          workspace: '1',
          name: 'default',
          rights: ['admin', 'ask'],
          created_at: 1,
          expires_at: null,
          revoked_at: null,
          last_seen_at: 7,
        },
        {
          id: '2',
          workspace: '2',
          name: 'old',
          rights: ['ask'],
          created_at: 2,
          expires_at: null,
          revoked_at: 5,
          last_seen_at: null,
        },
        {
          id: '3',
          workspace: '1',
          name: 'phone',
          rights: ['read', 'nonsense'],
          created_at: 3,
          expires_at: 9,
          revoked_at: null,
          last_seen_at: null,
        },
      ],
    });
    const list = await tokens.list();
    expect(list.map(({ lastSeenAt, name, workspace }) => [name, workspace, lastSeenAt])).toEqual([
      ['phone', '1', null],
      ['default', '1', 7],
    ]);
    expect(list[0]?.rights).toEqual(['read']);
    expect(list[1]?.rights).toEqual(['ask', 'admin']);
  });

  it('are made with rights, and without a missing expiry or workspace', async () => {
    const { tokens, sent } = server(201, {
      token: 'prl_x',
      id: '4',
      workspace: '1',
      name: 'phone',
      rights: ['ask'],
      created_at: 5,
    });
    const made = await tokens.create({ name: 'phone', rights: ['ask', 'read'] });
    expect([made.text, made.token.id, made.token.lastSeenAt]).toEqual(['prl_x', '4', null]);
    expect(JSON.parse(sent[0]?.body ?? '')).toEqual({ name: 'phone', rights: ['ask', 'read'] });
    await tokens.create({ name: 'phone', rights: ['ask'], expires: '30d', sameWorkspace: true });
    expect(JSON.parse(sent[1]?.body ?? '')).toEqual({
      name: 'phone',
      rights: ['ask'],
      expires: '30d',
      same_workspace: true,
    });
  });

  it('are renamed by id', async () => {
    const { tokens, sent } = server(200, { id: '4', name: 'tablet', rights: [] });
    expect((await tokens.rename('4', 'tablet')).name).toBe('tablet');
    expect(sent[0]).toEqual({ path: '/v1/tokens/4', method: 'PATCH', body: '{"name":"tablet"}' });
  });

  it('are revoked by id with any character', async () => {
    const { tokens, sent } = server(204, null);
    await tokens.revoke('a/b');
    expect(sent[0]).toEqual({ path: '/v1/tokens/a%2Fb', method: 'DELETE', body: '' });
  });

  it('have an own one with its workspace', async () => {
    const { tokens } = server(200, { name: 'default', token_id: '1', workspace: 'w', rights: ['read'] });
    expect(await tokens.me()).toEqual({ name: 'default', tokenId: '1', workspace: 'w', rights: ['read'] });
  });

  it('fail in the words of the server', async () => {
    const { tokens } = server(403, { code: 'permission_denied', message: 'This token lacks the right "admin".' });
    await expect(tokens.list()).rejects.toMatchObject({ status: 403, message: 'This token lacks the right "admin".' });
    await expect(server(409, { error: { message: 'The name exists.' } }).tokens.rename('1', 'a')).rejects.toMatchObject(
      { status: 409, message: 'The name exists.' },
    );
  });

  it('fail with status 0 without a server, and with the status of a page that is not JSON', async () => {
    const cut = new HttpTokens('t', () => Promise.reject(new TypeError('Failed to fetch')));
    await expect(cut.me()).rejects.toEqual(new TokensError(''));
    const proxy = new HttpTokens('t', () => Promise.resolve(new Response('<html>Bad gateway</html>', { status: 502 })));
    await expect(proxy.me()).rejects.toMatchObject({ status: 502, message: '502' });
  });
});

describe('the transport of the server', () => {
  it('has origins that are addresses, and a known mode', async () => {
    const { tokens } = server(200, {
      mode: 'auto',
      fingerprint: 'AA:BB',
      expires_at: 5,
      authority_expires_at: 9,
      origins: ['https://192.168.1.5:22080', 'https://host.local:22080/', 'javascript:alert(1)', 'https://a/b', 7],
      away: 'https://192.168.1.5:22080',
      port: 22080,
      service: 'user',
    });
    expect(await tokens.tls()).toEqual({
      mode: 'auto',
      fingerprint: 'AA:BB',
      expiresAt: 5,
      authorityExpiresAt: 9,
      origins: ['https://192.168.1.5:22080', 'https://host.local:22080'],
      away: 'https://192.168.1.5:22080',
      port: 22080,
      service: 'user',
    });
    expect(await server(200, { mode: 'later' }).tokens.tls()).toEqual({
      mode: 'off',
      fingerprint: '',
      expiresAt: null,
      authorityExpiresAt: null,
      origins: [],
      away: '',
      port: 0,
      service: 'none',
    });
    expect(await server(200, { away: 'javascript:alert(1)', service: 'root' }).tokens.tls()).toMatchObject({
      away: '',
      service: 'none',
    });
  });
});
