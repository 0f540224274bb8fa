// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { asArray, asNumber, asObject, asText } from '@/wire/json';

// The rights that a token may have; see docs/security.md.
export const kRights = ['ask', 'answer', 'read', 'study', 'run', 'run-auto', 'admin'] as const;
export type Right = (typeof kRights)[number];
export const kUsualRights: readonly Right[] = ['ask', 'answer', 'read'];

export interface Token {
  id: string;
  name: string;
  rights: Right[];
  createdAt: number; // Unix ms
  expiresAt: number | null;
  revoked: boolean;
}

export interface Me {
  name: string;
  tokenId: string;
  rights: Right[];
}

// An error with the server's message.
export class TokensError extends Error {}

function readRights(value: unknown): Right[] {
  const given = new Set(asArray(value).map(asText));
  return kRights.filter((right) => given.has(right));
}

function readToken(value: unknown): Token {
  const token = asObject(value);
  return {
    id: asText(token['id']),
    name: asText(token['name']),
    rights: readRights(token['rights']),
    createdAt: asNumber(token['created_at']) ?? 0,
    expiresAt: asNumber(token['expires_at']),
    revoked: asNumber(token['revoked_at']) !== null,
  };
}

// The routes of /v1 for tokens. The token is sent in a header, never in a URL.
export class HttpTokens {
  constructor(
    private readonly token: string,
    private readonly fetchIt: typeof fetch = (input, init) => fetch(input, init),
  ) {}

  async me(): Promise<Me> {
    const me = asObject(await this.send('GET', '/v1/me'));
    return { name: asText(me['name']), tokenId: asText(me['token_id']), rights: readRights(me['rights']) };
  }

  // Valid and expired tokens, without revoked ones; newest first.
  async list(): Promise<Token[]> {
    const body = asObject(await this.send('GET', '/v1/tokens'));
    return asArray(body['tokens'])
      .map(readToken)
      .filter((token) => !token.revoked)
      .reverse();
  }

  // Returns the text of the new token, which cannot be read again. `expires`: "30d"; empty: never.
  async create(name: string, rights: readonly Right[], expires: string): Promise<string> {
    const body = { name, rights, ...(expires === '' ? {} : { expires }) };
    return asText(asObject(await this.send('POST', '/v1/tokens', body))['token']);
  }

  async revoke(id: string): Promise<void> {
    await this.send('DELETE', `/v1/tokens/${encodeURIComponent(id)}`);
  }

  private async send(method: string, path: string, body?: unknown): Promise<unknown> {
    const headers: Record<string, string> = { Accept: 'application/json', Authorization: `Bearer ${this.token}` };
    const init: RequestInit = { method, headers };
    if (body !== undefined) {
      headers['Content-Type'] = 'application/json';
      init.body = JSON.stringify(body);
    }
    const answer = await this.fetchIt(path, init);
    const text = await answer.text();
    const json: unknown = text === '' ? null : JSON.parse(text);
    if (!answer.ok) throw new TokensError(asText(asObject(json)['message']) || `${answer.status}`);
    return json;
  }
}
