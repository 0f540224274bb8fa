// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The login of an agent to /mcp: the OAuth client of the official SDK, the real server, and a person whose
// browser is fetch().
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { auth, UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Home, parleyProgram, run, untilOut } from './lib/programs.js';
import { Ui } from './lib/ui.js';

const token = 'a-token-of-this-test';
const redirect = 'http://127.0.0.1:4711/callback';

async function startServer(home, more = []) {
  const server = run(
    parleyProgram(),
    ['serve', '--listen', '127.0.0.1:0', '--data', join(home.path, 'data'), '--token', token, ...more],
    home,
  );
  await untilOut(server, '\n');
  server.url = /ready (http:\/\/\S+)/.exec(server.out)[1];
  server.mcp = new URL(`${server.url}/mcp`);
  return server;
}

// What the SDK keeps of a login.
class Provider {
  redirectUrl = redirect;
  clientMetadata = {
    client_name: 'Agent of a test',
    redirect_uris: [redirect],
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  };
  opened; // the page that the SDK opened

  constructor(information) {
    this.information = information;
  }
  state() {
    return 'state of a test';
  }
  clientInformation() {
    return this.information;
  }
  saveClientInformation(information) {
    this.information = information;
  }
  tokens() {
    return this.kept;
  }
  saveTokens(tokens) {
    this.kept = tokens;
  }
  codeVerifier() {
    return this.verifier;
  }
  saveCodeVerifier(verifier) {
    this.verifier = verifier;
  }
  redirectToAuthorization(url) {
    this.opened = url;
  }
}

// Fills the form of the page and sends it; resolves with the address to which the browser is led.
async function decide(page, typed = token, decision = 'allow') {
  const shown = await fetch(page);
  assert.equal(shown.status, 200);
  const html = await shown.text();
  const form = /name="form" value="([^"]+)"/.exec(html)[1];
  const response = await fetch(new URL('/authorize', page), {
    method: 'POST',
    redirect: 'manual',
    headers: { Origin: page.origin },
    body: new URLSearchParams({ form, token: typed, decision }),
  });
  return { html, response, to: response.headers.has('location') ? new URL(response.headers.get('location')) : null };
}

const newClient = () => new Client({ name: 'test-agent', version: '1.0.0' });

// Logs in as agents do: the first connection is refused, the second one has a token.
async function logIn(server, provider) {
  const first = new StreamableHTTPClientTransport(server.mcp, { authProvider: provider });
  await assert.rejects(newClient().connect(first), UnauthorizedError);
  const { to } = await decide(provider.opened);
  assert.equal(to.searchParams.get('iss'), server.url);
  assert.equal(to.searchParams.get('state'), 'state of a test');
  await first.finishAuth(to.searchParams.get('code'));
  return connect(server, provider);
}

async function connect(server, provider) {
  const client = newClient();
  await client.connect(new StreamableHTTPClientTransport(server.mcp, { authProvider: provider }));
  return client;
}

const post = (server, path, fields) =>
  fetch(new URL(path, server.url), { method: 'POST', body: new URLSearchParams(fields) });

const initialize = (server, headers = {}) =>
  fetch(server.mcp, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
    }),
  });

// Resolves when the server refuses the headers. It reads changes about once a second.
async function untilRefused(server, headers) {
  const begin = Date.now();
  while ((await initialize(server, headers)).status !== 401) {
    assert.ok(Date.now() - begin < 120_000, 'the access has ended');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('the login of an agent', () => {
  let home;
  let server;
  const start = async (...more) => {
    server = await startServer(home, ['--mcp-oauth', 'true', '--mcp-oauth-clients', `test-agent ${redirect}`, ...more]);
  };

  beforeEach(() => {
    home = new Home();
  });
  afterEach(async () => {
    server.child.kill('SIGKILL');
    await server.exited;
    home.remove();
  });

  test('without the setting only tokens in the header count', async () => {
    server = await startServer(home);
    for (const path of ['oauth-protected-resource/mcp', 'oauth-protected-resource', 'oauth-authorization-server']) {
      assert.equal((await fetch(`${server.url}/.well-known/${path}`)).status, 404);
    }
    const refused = await initialize(server);
    assert.equal(refused.status, 401);
    assert.equal(refused.headers.get('www-authenticate'), 'Bearer realm="parley"');
  });

  test('a logged-in agent asks a person', async () => {
    await start();
    const client = await logIn(server, new Provider({ client_id: 'test-agent' }));
    const ui = await Ui.login(server.url, token);
    const asked = client.callTool({
      name: 'ask_question',
      arguments: { project_directory: '/p', question: 'Which colour?' },
    });
    ui.answer(await ui.question('Which colour?'), 'blue');
    assert.equal((await asked).content[0].text, 'blue');
    ui.close();
    await client.close();
  });

  test('an agent that registers itself logs in', async () => {
    await start('--mcp-oauth-registration', 'true');
    const provider = new Provider();
    const client = await logIn(server, provider);
    assert.match(provider.information.client_id, /^client-/);
    assert.equal((await client.listTools()).tools.length > 0, true);
    await client.close();
  });

  test('the page tells who asks and has no script', async () => {
    await start();
    const provider = new Provider({ client_id: 'test-agent' });
    assert.equal(await auth(provider, { serverUrl: server.mcp }), 'REDIRECT');
    const { html, response, to } = await decide(provider.opened, 'a wrong token');
    assert.match(html, /test-agent/);
    assert.match(html, /127\.0\.0\.1:4711/);
    assert.doesNotMatch(html, /<script/);
    assert.equal(response.status, 401);
    assert.equal(to, null);
    assert.doesNotMatch(await response.text(), /a wrong token/);
    assert.doesNotMatch(server.err, /a wrong token/);
    const denied = (await decide(provider.opened, '', 'deny')).to;
    assert.equal(denied.searchParams.get('error'), 'access_denied');
    assert.equal(denied.searchParams.get('iss'), server.url);
  });

  test('an access token counts at /mcp alone, and until it is renewed', async () => {
    await start();
    const provider = new Provider({ client_id: 'test-agent' });
    const client = await logIn(server, provider);
    const { access_token: old, refresh_token: refresh } = provider.kept;
    const bearer = (value) => ({ Authorization: `Bearer ${value}` });
    assert.equal((await fetch(`${server.url}/v1/me`, { headers: bearer(old) })).status, 401);
    assert.equal((await initialize(server, bearer(old))).status, 200);
    assert.equal(await auth(provider, { serverUrl: server.mcp }), 'AUTHORIZED');
    assert.notEqual(provider.kept.access_token, old);
    const refused = await initialize(server, bearer(old));
    assert.equal(refused.status, 401);
    assert.equal(
      refused.headers.get('www-authenticate'),
      `Bearer error="invalid_token", resource_metadata="${server.url}/.well-known/oauth-protected-resource/mcp", ` +
        'scope="parley:ask parley:read"',
    );
    await client.listTools(); // the session goes on
    const fields = { grant_type: 'refresh_token', refresh_token: refresh, client_id: 'test-agent' };
    const reused = await post(server, '/token', fields);
    assert.equal((await reused.json()).error, 'invalid_grant');
    assert.equal((await initialize(server, bearer(provider.kept.access_token))).status, 401);
    await client.close();
  });

  test('a missing scope is 403 with the scopes', async () => {
    await start();
    const provider = new Provider({ client_id: 'test-agent' });
    assert.equal(await auth(provider, { serverUrl: server.mcp, scope: 'parley:read' }), 'REDIRECT');
    const { to } = await decide(provider.opened);
    await auth(provider, { serverUrl: server.mcp, authorizationCode: to.searchParams.get('code') });
    assert.equal(provider.kept.scope, 'parley:read');
    const headers = { Authorization: `Bearer ${provider.kept.access_token}` };
    const session = (await initialize(server, headers)).headers.get('mcp-session-id');
    const refused = await fetch(server.mcp, {
      method: 'POST',
      headers: {
        ...headers,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'Mcp-Session-Id': session,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 2,
        method: 'tools/call',
        params: { name: 'ask_question', arguments: {} },
      }),
    });
    assert.equal(refused.status, 403);
    assert.match(refused.headers.get('www-authenticate'), /error="insufficient_scope".*scope="parley:ask parley:read"/);
  });

  test('an operator ends the logins of one program', async () => {
    await start();
    const provider = new Provider({ client_id: 'test-agent' });
    const client = await logIn(server, provider);
    const command = (...words) => run(parleyProgram(), ['token', ...words, '--data', join(home.path, 'data')], home);
    const listed = command('logins', '--json');
    assert.equal((await listed.exited).code, 0);
    assert.deepEqual(
      JSON.parse(listed.out).map((login) => login.client_id),
      ['test-agent'],
    );
    assert.equal((await command('logout', 'other').exited).code, 1);
    assert.equal((await command('logout', 'test-agent').exited).code, 0);
    await untilRefused(server, { Authorization: `Bearer ${provider.kept.access_token}` });
    await client.close();
  });

  test('the end of the Parley token ends the login, also after a restart', async () => {
    await start();
    const made = await fetch(`${server.url}/v1/tokens`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'person' }),
    });
    const person = (await made.json()).token;
    const provider = new Provider({ client_id: 'test-agent' });
    await auth(provider, { serverUrl: server.mcp });
    const { to } = await decide(provider.opened, person);
    await auth(provider, { serverUrl: server.mcp, authorizationCode: to.searchParams.get('code') });
    const bearer = { Authorization: `Bearer ${provider.kept.access_token}` };
    server.child.kill('SIGKILL');
    await server.exited;
    await start();
    assert.equal((await initialize(server, bearer)).status, 200);
    const removed = await fetch(`${server.url}/v1/tokens/person`, {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${token}` },
    });
    assert.equal(removed.ok, true);
    await untilRefused(server, bearer);
  });
});
