// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Requests from pages of other sites to every route and socket of the server's table, with a valid
// token, which a page may have found in a link. The server sets no credentials that a browser sends by
// itself.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { changesState, isMessage, isSocket, pathOf, rows, send } from './lib/routes.js';
import { growth, Server } from './lib/server.js';

// "null" is the Origin of a sandboxed frame, a local file, and some redirects.
const kForeign = ['https://evil.example', 'null', 'http://127.0.0.1.evil.example', 'http://127.0.0.1:1', 'file://'];
const kRefusal = 'Pages of this Origin may not use this server';

describe('pages of other sites', () => {
  let server;
  const routes = rows().filter((row) => !isMessage(row));
  before(async () => {
    server = await Server.start({ flags: ['--log-requests=false'] });
  });
  after(() => server?.end());

  const ask = (row, headers) => {
    const path = `${pathOf(row)}?token=${server.token}`;
    return send(server, {
      method: row.method,
      path,
      token: server.token,
      headers,
      body: changesState(row) && row.method !== 'DELETE' ? {} : undefined,
    });
  };

  it('ChangingRoutesAndSockets_AreClosed', async () => {
    const closed = routes.filter((row) => changesState(row) || isSocket(row));
    assert.ok(closed.length > 60, `${closed.length} routes`);
    const before = await server.metrics();
    for (const row of closed) {
      for (const origin of kForeign) {
        const { status, headers, text } = await ask(row, { Origin: origin });
        const what = `${row.method} ${row.where} from ${origin}: ${status} ${text}`;
        assert.equal(status, 403, what);
        assert.ok(text.includes(kRefusal), what);
        assert.equal(headers['access-control-allow-origin'], undefined, what);
      }
    }
    const refused = growth(before, await server.metrics(), /^parley_http_rejected_total\{.*bad_origin/);
    assert.equal(refused, closed.length * kForeign.length, 'each is counted');
  });

  it('RoutesWithPreflight_AreClosed', async () => {
    for (const row of routes) {
      for (const origin of kForeign) {
        const wanted = {
          Origin: origin,
          'Access-Control-Request-Method': row.method === 'WS' ? 'GET' : row.method,
          'Access-Control-Request-Headers': 'authorization',
        };
        const { status, headers } = await send(server, {
          method: 'OPTIONS',
          path: pathOf(row),
          token: server.token,
          headers: wanted,
        });
        assert.equal(status, 403, `${row.method} ${row.where} from ${origin}`);
        assert.equal(headers['access-control-allow-origin'], undefined, row.where);
      }
    }
  });

  // A GET is answered; without CORS headers the browser hides the answer from the page.
  it('Answers_AreUnreadable_SetNoCookie', async () => {
    for (const row of routes.filter(({ method }) => method === 'GET')) {
      for (const origin of [...kForeign, undefined]) {
        const { headers } = await ask(row, origin === undefined ? {} : { Origin: origin });
        assert.equal(headers['access-control-allow-origin'], undefined, `${row.where} from ${origin}`);
        assert.equal(headers['access-control-allow-credentials'], undefined, row.where);
        assert.equal(headers['set-cookie'], undefined, row.where);
        assert.equal(headers['x-content-type-options'], 'nosniff', `${row.where}: a script of another site`);
      }
    }
  });

  // A login sets no credentials that a browser would send by itself, and cookies are ignored.
  it('Login_SetsNoCookie', async () => {
    const body = { email: 'alice@example.org', username: 'alice', password: 'correct horse 1', roles: ['USER'] };
    await send(server, { method: 'POST', path: '/api/v1/users', token: server.token, body });
    const login = await send(server, {
      method: 'POST',
      path: '/api/v1/auth/login',
      body: { email: 'alice', password: body.password },
    });
    const { accessToken, refreshToken } = JSON.parse(login.text).data;
    const refresh = await send(server, { method: 'POST', path: '/api/v1/auth/refresh', body: { refreshToken } });
    assert.equal(refresh.status, 200, refresh.text);
    for (const { headers } of [login, refresh]) assert.equal(headers['set-cookie'], undefined);
    const cookies = { Cookie: `token=${accessToken}; accessToken=${accessToken}; Authorization=Bearer ${accessToken}` };
    assert.equal((await send(server, { method: 'GET', path: '/api/v1/users/me', headers: cookies })).status, 401);
  });

  // The same requests from the server's own pages reach their routes: only the Origin was refused.
  it('OwnPages_GetIn', async () => {
    for (const row of routes.filter(({ where }) => where !== '/api/v1/auth/logout')) {
      const { status, headers, text } = await ask(row, { Origin: server.url });
      assert.ok(!text.includes(kRefusal), `${row.method} ${row.where}: ${status}`);
      if (!isSocket(row))
        assert.equal(headers['access-control-allow-origin'], server.url, `${row.method} ${row.where}`);
    }
    await server.serves();
  });
});
