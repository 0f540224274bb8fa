// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// One actor for each kind of token: who it is, and what its rights are.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

const kPassword = 'correct horse 1';
const kRedirect = 'http://127.0.0.1:4711/callback';
const kPatienceMs = 60_000;
const kPauseMs = 100;
export const kRights = ['ask', 'answer', 'read', 'study', 'run', 'run-auto', 'admin'];
// Flags of a server at which the agent of these tests may log in.
export const kLoginFlags = ['--mcp-oauth', 'true', '--mcp-oauth-clients', `test-agent ${kRedirect}`];

class Actor {
  rights = new Set();
  valid = true;
  ours = true; // of the workspace under test
  onlyMcp = false; // the token is valid at /mcp alone

  constructor(name, more) {
    Object.assign(this, { name }, more);
  }

  // True if the token counts as a guess at this path.
  isWrongAt(path) {
    return !this.valid || (this.onlyMcp && path !== '/mcp');
  }

  has(right) {
    return this.valid && this.ours && this.rights.has(right);
  }

  toString() {
    return this.name;
  }
}

// Logs an agent in, as a person with `token` allows it. Resolves with the answer of /token.
async function logIn(server, token) {
  const verifier = 'a-verifier-of-forty-three-characters-or-more';
  const resource = `${server.url}/mcp`;
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: 'test-agent',
    redirect_uri: kRedirect,
    state: 's',
    resource,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const html = await (await fetch(`${server.url}/authorize?${query}`)).text();
  const form = /name="form" value="([^"]+)"/.exec(html)[1];
  const back = await fetch(`${server.url}/authorize`, {
    method: 'POST',
    redirect: 'manual',
    headers: { Origin: server.url },
    body: new URLSearchParams({ form, token, decision: 'allow' }),
  });
  const code = new URL(back.headers.get('location')).searchParams.get('code');
  return takeTokens(server, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: kRedirect,
    code_verifier: verifier,
    resource,
  });
}

async function takeTokens(server, fields) {
  const answer = await fetch(`${server.url}/token`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: 'test-agent', ...fields }),
  });
  assert.equal(answer.status, 200);
  return answer.json();
}

// New tokens of a grant.
export const renewed = (server, tokens) =>
  takeTokens(server, { grant_type: 'refresh_token', refresh_token: tokens.refresh_token });

// {owner, asker, all}: the person with every right, the agent that asks and may only ask, and all other
// actors. `server` must have kLoginFlags.
export async function makeActors(server) {
  const make = async (by, name, rights, more) => {
    const made = await server.call('POST', '/v1/tokens', { name, rights, ...more }, by);
    assert.equal(made.status, 201, await made.clone().text());
    return (await made.json()).token;
  };
  const owner = new Actor('owner', { token: await make(server.token, 'owner', ['all']), rights: new Set(kRights) });
  const of = async (name, rights) =>
    new Actor(name, {
      token: await make(owner.token, name, rights, { same_workspace: true }),
      rights: new Set(rights),
    });
  const asker = await of('asker', ['ask']);
  const all = [
    new Actor('none', { token: '', valid: false }),
    new Actor('wrong', { token: 'prl_wrong-token-of-a-stranger', valid: false }),
  ];
  for (const right of kRights) all.push(await of(right, [right]));
  all.push(
    await of('ask and read', ['ask', 'read']),
    await of('usual', ['ask', 'answer', 'read']),
    await of('everything', kRights),
  );
  const revoked = await of('revoked', kRights);
  revoked.valid = false;
  assert.equal((await server.call('DELETE', '/v1/tokens/revoked', undefined, owner.token)).status, 204);
  const other = new Actor('another workspace', {
    token: await make(server.token, 'other', ['all']),
    ours: false,
    rights: new Set(kRights),
  });
  const tokens = await logIn(server, owner.token);
  const agent = new Actor('OAuth login', {
    token: tokens.access_token,
    tokens,
    onlyMcp: true,
    rights: new Set(['ask', 'read']),
  });
  server.addUser('bob', kPassword, 'owner');
  const user = new Actor('user login', {
    token: await userToken(server),
    rights: new Set(['ask', 'answer', 'read', 'run']),
  });
  return { owner, asker, all: [...all, revoked, other, agent, user] };
}

async function userToken(server) {
  for (const end = Date.now() + kPatienceMs; ; await pause(kPauseMs)) {
    const answer = await fetch(`${server.url}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: 'bob', password: kPassword }),
    });
    const { data } = await answer.json();
    if (data?.accessToken) return data.accessToken;
    assert.ok(Date.now() < end, 'the user can log in');
  }
}
