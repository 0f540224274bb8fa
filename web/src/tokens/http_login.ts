// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { asNumber, asObject, asText } from '@/wire/json';
import { ServerError, WrappedServer } from '@/wire/wrapped_server';

// An access token.
export interface Access {
  token: string;
  expiresAt: number; // Unix ms
}

export interface IssuedLogin extends Access {
  refresh: string; // gets the next access token
  userId: string;
  user: string; // the name
}

// True for the access token of a login; a link may have it without the rest of the login.
export const isAccessToken = (token: string): boolean => token.startsWith('prla_');

const kBase = '/api/v1/auth';
const kUsualSeconds = 3600; // default if the server does not state it

function readAccess(data: unknown, now: number): Access {
  const it = asObject(data);
  const token = asText(it['accessToken']);
  if (token === '') throw new ServerError(502, '');
  const seconds = Number(asText(it['expiresIn'])) || (asNumber(it['expiresIn']) ?? kUsualSeconds);
  return { token, expiresAt: now + seconds * 1000 };
}

// The logins of users (docs/chat-routes.md). Errors: ServerError.
export class HttpLogin {
  constructor(
    private readonly fetchIt?: typeof fetch,
    private readonly now: () => number = Date.now,
  ) {}

  async logIn(name: string, password: string): Promise<IssuedLogin> {
    const data = asObject(await this.ask('', 'login', { email: name, password }));
    const user = asObject(data['user']);
    return {
      ...readAccess(data, this.now()),
      refresh: asText(data['refreshToken']),
      userId: asText(user['id']),
      user: asText(user['username']) || asText(user['email']),
    };
  }

  // Ends the previous access token.
  async refresh(refreshToken: string): Promise<Access> {
    return readAccess(await this.ask('', 'refresh', { refreshToken }), this.now());
  }

  async logOut(token: string): Promise<void> {
    await this.ask(token, 'logout', {});
  }

  private ask(token: string, what: string, body: Record<string, string>): Promise<unknown> {
    return new WrappedServer(token, this.fetchIt).ask('POST', `${kBase}/${what}`, body);
  }
}
