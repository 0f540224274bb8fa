// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { asObject, asText } from './json';
import { ServerError } from './wrapped_server';

// Reads a JSON document below /v1. The token is sent in a header, never in a URL. Rejects with a ServerError, or
// with an AbortError if `signal` is aborted.
export const readDocument = (
  path: string,
  token: string,
  fetchIt: typeof fetch,
  signal?: AbortSignal,
): Promise<unknown> => exchange(path, token, fetchIt, { ...(signal ? { signal } : {}) });

// The same for a request that changes something. An answer without a body is null.
export const sendDocument = (
  method: 'POST' | 'DELETE',
  path: string,
  token: string,
  fetchIt: typeof fetch,
  body?: unknown,
): Promise<unknown> =>
  exchange(path, token, fetchIt, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });

async function exchange(path: string, token: string, fetchIt: typeof fetch, init: RequestInit): Promise<unknown> {
  const headers = {
    Authorization: `Bearer ${token}`,
    Accept: 'application/json',
    ...(init.body === undefined ? {} : { 'Content-Type': 'application/json' }),
  };
  let response: Response;
  try {
    response = await fetchIt(path, { ...init, headers, cache: 'no-store' });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ServerError(0, '');
  }
  if (!response.ok) throw new ServerError(response.status, await sentenceOf(response));
  if (response.status === 204) return null;
  try {
    return (await response.json()) as unknown;
  } catch {
    throw new ServerError(502, '');
  }
}

// The server's sentence about an error; '': none.
async function sentenceOf(response: Response): Promise<string> {
  try {
    const body = asObject(await response.json());
    return asText(body['message']) || asText(asObject(body['error'])['message']) || asText(body['error']);
  } catch {
    return '';
  }
}
