// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { defineStore } from 'pinia';
import { computed, ref, shallowRef } from 'vue';
import type { Access, IssuedLogin } from '@/tokens/http_login';
import { randomId } from '@/text/random_id';
import { localStore, readStored, sessionStore, writeStored } from './storage';

const kTokenKey = 'parley.token';
const kLoginKey = 'parley.login';

// Stored data of a login besides its access token.
export interface Login {
  id: string; // identifies the login among tabs
  refresh: string; // the refresh token
  userId: string;
  user: string;
  expiresAt: number; // of the access token; Unix ms
  renewedAt: number; // time of the access token; Unix ms
}

interface Credentials {
  token: string;
  login: Login | null; // null: a token without a login
}

function readCredentials(storage: Storage | undefined): Credentials | null {
  const token = readStored<string | null>(storage, kTokenKey, null);
  return token === null ? null : { token, login: readStored<Login | null>(storage, kLoginKey, null) };
}

// The credentials of this tab, or those of the device if another tab has renewed the same login.
function newest(tab: Credentials | null, device: Credentials | null): Credentials | null {
  if (!tab?.login || !device?.login || tab.login.id !== device.login.id) return tab ?? device;
  return device.login.renewedAt > tab.login.renewedAt ? device : tab;
}

export interface TokenInUrl {
  token: string | null;
  keep: boolean; // the link of a phone that was added: keep the token on the device
  cleaned: string; // the same address without the token
}

// Finds `token` in the query of an address or of its hash route, there with `keep`.
export function tokenInUrl(address: string): TokenInUrl {
  const url = new URL(address);
  let token = url.searchParams.get('token');
  url.searchParams.delete('token');
  let keep = false;
  const [path = '', query] = url.hash.split('?', 2);
  if (query !== undefined) {
    const inHash = new URLSearchParams(query);
    token = inHash.get('token') ?? token;
    inHash.delete('token');
    keep = inHash.get('keep') === '1';
    inHash.delete('keep');
    const rest = inHash.toString();
    url.hash = rest === '' ? path : `${path}?${rest}`;
  }
  return { token: token?.trim() || null, keep, cleaned: url.toString() };
}

// The credentials of this page: a token, or a login with its current access token. Stored in this tab; on this
// device only by choice.
export const useAccount = defineStore('account', () => {
  const onDevice = readCredentials(localStore());
  const known = newest(readCredentials(sessionStore()), onDevice);
  const remembered = ref(onDevice !== null);
  const token = ref(known?.token ?? null);
  const login = shallowRef(known?.login ?? null);
  // Identifies the workspace that the page shows; constant while the access tokens of a login change.
  const owner = computed(() => (login.value === null ? token.value : `user ${login.value.userId}`));

  function keep(to: Credentials | null, remember: boolean): void {
    token.value = to?.token ?? null;
    login.value = to?.login ?? null;
    remembered.value = remember;
    for (const [storage, stored] of [
      [sessionStore(), to],
      [localStore(), remember ? to : null],
    ] as const) {
      writeStored(storage, kTokenKey, stored?.token);
      writeStored(storage, kLoginKey, stored?.login);
    }
  }

  function use(value: string, remember = remembered.value): void {
    keep({ token: value, login: null }, remember);
  }

  function useLogin({ expiresAt, refresh, token: access, user, userId }: IssuedLogin, remember: boolean): void {
    keep(
      { token: access, login: { id: randomId(), refresh, userId, user, expiresAt, renewedAt: Date.now() } },
      remember,
    );
  }

  // Sets the next access token of the login, unless it is older than the current one.
  function renewed(access: Access, renewedAt: number): void {
    if (login.value === null || renewedAt <= login.value.renewedAt) return;
    keep({ token: access.token, login: { ...login.value, expiresAt: access.expiresAt, renewedAt } }, remembered.value);
  }

  function setRemembered(remember: boolean): void {
    if (token.value !== null) keep({ token: token.value, login: login.value }, remember);
  }

  // Takes the token out of the URL, so that the address bar and the history do not keep it.
  function takeFromAddress(): void {
    const found = tokenInUrl(window.location.href);
    if (found.token === null) return;
    window.history.replaceState(window.history.state, '', found.cleaned);
    if (found.keep || found.token !== token.value) use(found.token, found.keep || remembered.value);
  }

  function forget(): void {
    keep(null, false);
  }

  return { token, login, owner, remembered, use, useLogin, renewed, setRemembered, takeFromAddress, forget };
});
