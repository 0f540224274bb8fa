// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

// Access of this page to the booking backend, as a guest or with a token.
export type Access =
  | { kind: 'welcome' }
  | { kind: 'denied' } // a token is needed, or this one is not accepted
  | { kind: 'absent' } // the server offers no bookings
  | { kind: 'unreachable' };

export type Fetch = (input: string, init?: RequestInit) => Promise<Response>;

const kPatienceMs = 10_000;

export async function checkAccess(token: string | null, fetch: Fetch): Promise<Access> {
  const headers: Record<string, string> = { Accept: 'application/json' };
  if (token !== null) headers['Authorization'] = `Bearer ${token}`;
  try {
    const signal = AbortSignal.timeout(kPatienceMs);
    const { ok, status } = await fetch('/v1/booking/movies', { headers, cache: 'no-store', signal });
    if (ok) return { kind: 'welcome' };
    if (status === 401 || status === 403) return { kind: 'denied' };
    return { kind: status === 404 ? 'absent' : 'unreachable' };
  } catch {
    return { kind: 'unreachable' };
  }
}
