// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { HttpLogin } from './http_login';

const server = (status: number, body: unknown) => {
  const asked: [string, RequestInit][] = [];
  const login = new HttpLogin(
    (input, init) => {
      asked.push([input as string, init ?? {}]);
      return Promise.resolve(new Response(JSON.stringify(body), { status }));
    },
    () => 1_000,
  );
  return { asked, login };
};

describe('logins over HTTP', () => {
  it('send name and password in the body, and read the token’s expiry', async () => {
    const { asked, login } = server(200, {
      code: 200,
      data: {
        accessToken: 'a',
        refreshToken: 'r',
        expiresIn: '86400',
        user: { id: '7', username: 'Bo', email: 'bo@example.org' },
      },
    });
    expect(await login.logIn('bo', 'secret')).toEqual({
      token: 'a',
      refresh: 'r',
      expiresAt: 86_401_000,
      userId: '7',
      user: 'Bo',
    });
    const [path, init] = asked[0] as [string, RequestInit];
    expect(path).toBe('/api/v1/auth/login');
    expect(init.body).toBe('{"email":"bo","password":"secret"}');
    expect(init.headers).not.toHaveProperty('Authorization');
  });

  it('get the next access token', async () => {
    const { asked, login } = server(200, { code: 200, data: { accessToken: 'b', expiresIn: 60 } });
    expect(await login.refresh('r')).toEqual({ token: 'b', expiresAt: 61_000 });
    expect(asked[0]?.[1].body).toBe('{"refreshToken":"r"}');
  });

  it('end with the access token', async () => {
    const { asked, login } = server(200, { code: 200, data: null });
    await login.logOut('a');
    expect(asked[0]?.[1].headers).toMatchObject({ Authorization: 'Bearer a' });
  });

  it('report errors of the server, and need a token in the answer', async () => {
    await expect(server(401, { code: 401, message: 'wrong' }).login.logIn('bo', 'x')).rejects.toMatchObject({
      status: 401,
      sentence: 'wrong',
    });
    await expect(server(200, { code: 200, data: {} }).login.refresh('r')).rejects.toMatchObject({ status: 502 });
  });
});
