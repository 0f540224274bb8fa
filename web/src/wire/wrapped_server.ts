// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { asNumber, asObject, asText, type Json } from './json';

export class ServerError extends Error {
  constructor(
    readonly status: number, // 0: the server was not reached
    readonly sentence: string, // the server's sentence; '': none
  ) {
    super(sentence === '' ? `the server answered ${status}` : sentence);
  }
}

// Client of the routes below /api/v1, which answer with {code, message, data}. The token is sent in a header.
export class WrappedServer {
  constructor(
    private readonly token: string, // '': none
    private readonly fetchIt: typeof fetch = (input, init) => fetch(input, init),
  ) {}

  async send(method: string, path: string, body?: Json): Promise<Response> {
    const headers: Record<string, string> = this.token === '' ? {} : { Authorization: `Bearer ${this.token}` };
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    try {
      return await this.fetchIt(path, {
        method,
        headers,
        cache: 'no-store',
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    } catch {
      throw new ServerError(0, '');
    }
  }

  // Sends a request; resolves with the member `data` of the answer.
  async ask(method: string, path: string, body?: Json): Promise<unknown> {
    const response = await this.send(method, path, body);
    let answer: Json;
    try {
      answer = asObject(await response.json());
    } catch {
      throw new ServerError(response.ok ? 502 : response.status, '');
    }
    const code = asNumber(answer['code']);
    if (!response.ok || (code !== 200 && code !== 0)) throw new ServerError(response.status, asText(answer['message']));
    return answer['data'];
  }
}
