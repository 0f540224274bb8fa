// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { asArray, asNumber, asObject, asText, parsedJson } from '@/wire/json';

// The rights that a token may have; see docs/security.md.
export const kRights = ['ask', 'answer', 'read', 'study', 'run', 'run-auto', 'admin'] as const;
export type Right = (typeof kRights)[number];
export const kUsualRights: readonly Right[] = ['ask', 'answer', 'read'];

export interface Token {
  id: string;
  workspace: string; // id; tokens of one workspace share its inbox
  name: string;
  rights: Right[];
  createdAt: number; // Unix ms
  expiresAt: number | null;
  lastSeenAt: number | null; // to about a minute; null: never used
  revoked: boolean;
}

export interface Me {
  name: string;
  tokenId: string;
  workspace: string;
  rights: Right[];
}

export interface NewToken {
  name: string;
  rights: readonly Right[];
  expires?: string; // "30d" or "2027-01-31"; empty: never
  sameWorkspace?: boolean; // shares the workspace of the calling token
}

export interface MadeToken {
  text: string; // cannot be read again
  token: Token;
}

export interface TlsInfo {
  mode: 'off' | 'auto' | 'own'; // auto: a certificate of the server's own authority
  fingerprint: string; // empty: none
  expiresAt: number | null; // Unix ms
  authorityExpiresAt: number | null;
  origins: string[]; // addresses for other devices; empty: only this computer is served
  away: string; // the address that works from anywhere, the first of origins; empty: none
  port: number; // on which the server listens
  service: 'none' | 'user' | 'system'; // how it was started: by a person, or by systemd
}

// An error with the server's message. Status 0: the server is not reachable.
export class TokensError extends Error {
  constructor(
    message: string,
    readonly status = 0,
  ) {
    super(message);
  }
}

function readRights(value: unknown): Right[] {
  const given = new Set(asArray(value).map(asText));
  return kRights.filter((right) => given.has(right));
}

function readToken(value: unknown): Token {
  const token = asObject(value);
  return {
    id: asText(token['id']),
    workspace: asText(token['workspace']),
    name: asText(token['name']),
    rights: readRights(token['rights']),
    createdAt: asNumber(token['created_at']) ?? 0,
    expiresAt: asNumber(token['expires_at']),
    lastSeenAt: asNumber(token['last_seen_at']),
    revoked: asNumber(token['revoked_at']) !== null,
  };
}

// Only http and https addresses: an origin becomes part of a link.
function readOrigins(value: unknown): string[] {
  return asArray(value)
    .map((origin) => asText(origin).replace(/\/+$/, ''))
    .filter((origin) => /^https?:\/\/[^/?#\s]+$/.test(origin));
}

function readTls(value: unknown): TlsInfo {
  const tls = asObject(value);
  const mode = asText(tls['mode']);
  const service = asText(tls['service']);
  return {
    mode: mode === 'auto' || mode === 'own' ? mode : 'off',
    fingerprint: asText(tls['fingerprint']),
    expiresAt: asNumber(tls['expires_at']),
    authorityExpiresAt: asNumber(tls['authority_expires_at']),
    origins: readOrigins(tls['origins']),
    away: readOrigins([tls['away']])[0] ?? '',
    port: asNumber(tls['port']) ?? 0,
    service: service === 'user' || service === 'system' ? service : 'none',
  };
}

function sentenceOf(body: unknown): string {
  const error = asObject(body);
  return asText(error['message']) || asText(asObject(error['error'])['message']);
}

// The routes of /v1 for tokens. The token is sent in a header, never in a URL. Errors: TokensError.
export class HttpTokens {
  constructor(
    private readonly token: string,
    private readonly fetchIt: typeof fetch = (input, init) => fetch(input, init),
  ) {}

  async me(): Promise<Me> {
    const me = asObject(await this.send('GET', '/v1/me'));
    return {
      name: asText(me['name']),
      tokenId: asText(me['token_id']),
      workspace: asText(me['workspace']),
      rights: readRights(me['rights']),
    };
  }

  // Valid and expired tokens, without revoked ones; newest first.
  async list(): Promise<Token[]> {
    const body = asObject(await this.send('GET', '/v1/tokens'));
    return asArray(body['tokens'])
      .map(readToken)
      .filter((token) => !token.revoked)
      .reverse();
  }

  async create({ expires = '', name, rights, sameWorkspace = false }: NewToken): Promise<MadeToken> {
    const body = {
      name,
      rights,
      ...(expires === '' ? {} : { expires }),
      ...(sameWorkspace ? { same_workspace: true } : {}),
    };
    const made = await this.send('POST', '/v1/tokens', body);
    return { text: asText(asObject(made)['token']), token: readToken(made) };
  }

  async rename(id: string, name: string): Promise<Token> {
    return readToken(await this.send('PATCH', `/v1/tokens/${encodeURIComponent(id)}`, { name }));
  }

  async revoke(id: string): Promise<void> {
    await this.send('DELETE', `/v1/tokens/${encodeURIComponent(id)}`);
  }

  async tls(): Promise<TlsInfo> {
    return readTls(await this.send('GET', '/v1/tls'));
  }

  // Makes the server listen on its tailnet until it stops.
  async openTailnet(): Promise<TlsInfo> {
    return readTls(await this.send('POST', '/v1/tailnet'));
  }

  private async send(method: string, path: string, body?: unknown): Promise<unknown> {
    const headers: Record<string, string> = { Accept: 'application/json', Authorization: `Bearer ${this.token}` };
    const init: RequestInit = { method, headers, cache: 'no-store' };
    if (body !== undefined) {
      headers['Content-Type'] = 'application/json';
      init.body = JSON.stringify(body);
    }
    let answer: Response;
    let text: string;
    try {
      answer = await this.fetchIt(path, init);
      text = await answer.text();
    } catch {
      throw new TokensError('');
    }
    const json = parsedJson(text);
    if (!answer.ok) throw new TokensError(sentenceOf(json) || `${answer.status}`, answer.status);
    return json;
  }
}
