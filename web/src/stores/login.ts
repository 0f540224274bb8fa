// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { defineStore } from 'pinia';
import { backoffMs } from '@/protocol/assistant_client';
import { HttpLogin } from '@/tokens/http_login';
import { ServerError } from '@/wire/wrapped_server';
import { useAccount } from './account';

const kEarlyMs = 30 * 60_000; // time before the end of an access token at which it is renewed
const kSpreadMs = 10 * 60_000; // random spread, so that only one of several tabs renews
const kLookMs = 30_000;
export const kOthersMs = 600; // time for another tab that has renewed the token to announce it
const kTurnMs = 5_000; // longest wait for another tab that renews; the browser may slow down its timers

// Message between tabs. Without the refresh token: tabs with the login have it.
interface Told {
  id: string;
  token: string;
  expiresAt: number;
  renewedAt: number;
}

// True for errors that a retry cannot change: the login has ended.
const isFinal = (error: unknown): boolean =>
  error instanceof ServerError && [400, 401, 403, 404].includes(error.status);

// Runs `renewal` while no other tab of this browser does, where there are locks: on pages of secure origins.
async function inTurn(renewal: () => Promise<boolean>): Promise<boolean> {
  if (!('locks' in navigator)) return renewal();
  let hasBegun = false;
  const begin = (): Promise<boolean> => {
    hasBegun = true;
    return renewal();
  };
  try {
    return await navigator.locks.request('parley.login', { signal: AbortSignal.timeout(kTurnMs) }, begin);
  } catch (error) {
    if (hasBegun) throw error;
    return renewal();
  }
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

// Signs users in with a password, and keeps them signed in: an access token ends after a day, and renewing it
// ends the previous one. The tabs of a browser share one login and announce renewals.
export const useLogin = defineStore('login', () => {
  const account = useAccount();
  const channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('parley.login');
  const earlyMs = kEarlyMs + Math.random() * kSpreadMs;
  let server = new HttpLogin();
  let renewing: Promise<boolean> | null = null;
  let over = ''; // a refresh token that is no longer valid

  function askBy(other: HttpLogin): void {
    server = other;
  }

  async function signIn(name: string, password: string, remember: boolean): Promise<void> {
    account.useLogin(await server.logIn(name, password), remember);
  }

  // Resolves with true if there is a token to replace `ended`. Retries until the server answers.
  function renew(ended: string): Promise<boolean> {
    if (account.token !== ended || account.login === null)
      return Promise.resolve(account.token !== null && account.token !== ended);
    renewing ??= inTurn(() => askForNext(ended)).finally(() => (renewing = null));
    return renewing;
  }

  async function askForNext(ended: string): Promise<boolean> {
    await wait(kOthersMs);
    for (let attempt = 0; account.token === ended && account.login !== null; attempt += 1) {
      const { id, refresh } = account.login;
      try {
        const access = await server.refresh(refresh);
        const renewedAt = Date.now();
        if (account.login?.id !== id) break;
        account.renewed(access, renewedAt);
        channel?.postMessage({ id, ...access, renewedAt } satisfies Told);
      } catch (error) {
        if (isFinal(error)) {
          over = refresh;
          return account.token !== null && account.token !== ended;
        }
        await wait(backoffMs(attempt, Math.random()));
      }
    }
    return account.token !== null && account.token !== ended;
  }

  function look(): void {
    const { login, token } = account;
    if (login === null || token === null || login.refresh === over) return;
    if (Date.now() > login.expiresAt - earlyMs) void renew(token);
  }

  // Keeps the login renewed until the returned function is called.
  function keep(): () => void {
    const timer = setInterval(look, kLookMs);
    look();
    return () => {
      clearInterval(timer);
    };
  }

  // Signs out here, and on the server if it is reachable.
  function signOut(): void {
    const { login, token } = account;
    account.forget();
    if (login !== null && token !== null) server.logOut(token).catch(() => undefined);
  }

  channel?.addEventListener('message', (event: MessageEvent<Told>) => {
    const { id, renewedAt, ...access } = event.data;
    if (account.login?.id === id) account.renewed(access, renewedAt);
  });

  return { askBy, signIn, renew, look, keep, signOut };
});
