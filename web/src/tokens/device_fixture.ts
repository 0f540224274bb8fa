// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// A server with tokens for tests. Its errors and answers are those of /v1.
import { HttpTokens } from './http_tokens';

export interface StoredToken {
  id: string;
  workspace: string;
  name: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  last_seen_at: number | null;
  rights: string[];
}

const kAll = ['ask', 'answer', 'read', 'study', 'run', 'run-auto', 'admin'];

export function storedToken(more: Partial<StoredToken> & { id: string }): StoredToken {
  return {
    workspace: more.id,
    name: more.id,
    created_at: 1_000,
    expires_at: null,
    revoked_at: null,
    last_seen_at: null,
    rights: ['ask', 'answer', 'read'],
    ...more,
  };
}

// The calling token is `t1`, an administrator.
export class FakeTokens {
  tokens: StoredToken[] = [storedToken({ id: 't1', name: 'default', rights: kAll, last_seen_at: 2_000 })];
  tls: unknown = {
    mode: 'off',
    fingerprint: null,
    expires_at: null,
    authority_expires_at: null,
    origins: [],
    away: null,
    port: 22080,
    service: 'none',
  };
  tailnet = ''; // the address after POST /v1/tailnet; other text: its error
  asked: string[] = []; // "METHOD /path body"
  isDown = false;

  readonly fetch: typeof fetch = (input, init) => {
    const [path, method, body] = [input as string, init?.method ?? 'GET', (init?.body as string | undefined) ?? ''];
    this.asked.push(`${method} ${path} ${body}`.trim());
    if (this.isDown) return Promise.reject(new TypeError('Failed to fetch'));
    const [status, answer] = this.answer(
      method,
      path,
      body === '' ? {} : (JSON.parse(body) as Record<string, unknown>),
    );
    return Promise.resolve(new Response(answer === null ? null : JSON.stringify(answer), { status }));
  };

  readonly http = (): HttpTokens => new HttpTokens('secret', this.fetch);

  find(name: string): StoredToken {
    const found = this.tokens.find((token) => token.name === name);
    if (found === undefined) throw new Error(`no token ${name}`);
    return found;
  }

  private answer(method: string, path: string, body: Record<string, unknown>): [number, unknown] {
    const own = this.tokens[0];
    if (path === '/v1/me')
      return [200, { name: own?.name, token_id: own?.id, workspace: own?.workspace, rights: own?.rights }];
    if (path === '/v1/tls') return this.tls === null ? [404, { message: 'No such route.' }] : [200, this.tls];
    if (!own?.rights.includes('admin')) return [403, { message: 'This token lacks the right "admin".' }];
    if (path === '/v1/tailnet') return this.openTailnet();
    if (path === '/v1/tokens' && method === 'GET') return [200, { tokens: this.tokens }];
    if ('name' in body && this.tokens.some(({ name }) => name === body['name']))
      return [409, { message: `There is a token "${String(body['name'])}" already.` }];
    if (method === 'POST') return this.create(body);
    const id = decodeURIComponent(path.slice('/v1/tokens/'.length));
    const token = this.tokens.find((each) => each.id === id);
    if (token === undefined) return [404, { message: 'No such token.' }];
    if (method === 'PATCH') token.name = String(body['name']);
    else token.revoked_at = 3_000;
    return method === 'PATCH' ? [200, token] : [204, null];
  }

  private openTailnet(): [number, unknown] {
    if (!this.tailnet.startsWith('https:')) return [400, { message: this.tailnet }];
    this.tls = { ...(this.tls as object), origins: [this.tailnet], away: this.tailnet };
    return [200, this.tls];
  }

  private create(body: Record<string, unknown>): [number, unknown] {
    const id = `t${this.tokens.length + 1}`;
    const made = storedToken({
      id,
      name: String(body['name']),
      rights: body['rights'] as string[],
      workspace: body['same_workspace'] === true ? (this.tokens[0]?.workspace ?? '') : id,
    });
    this.tokens.push(made);
    return [201, { token: `prl_${id}`, ...made }];
  }
}
