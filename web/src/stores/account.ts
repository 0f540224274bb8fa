// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { defineStore } from 'pinia';
import { ref } from 'vue';
import { localStore, readStored, sessionStore, writeStored } from './storage';

const kTokenKey = 'parley.token';

export interface TokenInUrl {
  token: string | null;
  cleaned: string; // the same address without the token
}

// Finds `token` in the query of an address or of its hash route.
export function tokenInUrl(address: string): TokenInUrl {
  const url = new URL(address);
  let token = url.searchParams.get('token');
  url.searchParams.delete('token');
  const [path = '', query] = url.hash.split('?', 2);
  if (query !== undefined) {
    const inHash = new URLSearchParams(query);
    token = inHash.get('token') ?? token;
    inHash.delete('token');
    const rest = inHash.toString();
    url.hash = rest === '' ? path : `${path}?${rest}`;
  }
  return { token: token?.trim() || null, cleaned: url.toString() };
}

// The token this page logs in with. It lives in this tab; on this device only by choice.
export const useAccount = defineStore('account', () => {
  const remembered = ref(readStored<string | null>(localStore(), kTokenKey, null) !== null);
  const token = ref(
    readStored<string | null>(sessionStore(), kTokenKey, null) ??
      readStored<string | null>(localStore(), kTokenKey, null),
  );

  function use(value: string, remember = remembered.value): void {
    token.value = value;
    remembered.value = remember;
    writeStored(sessionStore(), kTokenKey, value);
    writeStored(localStore(), kTokenKey, remember ? value : null);
  }

  function setRemembered(remember: boolean): void {
    if (token.value !== null) use(token.value, remember);
  }

  // The address bar and the history keep no token.
  function takeFromAddress(): void {
    const found = tokenInUrl(window.location.href);
    if (found.token === null) return;
    window.history.replaceState(window.history.state, '', found.cleaned);
    use(found.token);
  }

  function forget(): void {
    token.value = null;
    remembered.value = false;
    writeStored(sessionStore(), kTokenKey, null);
    writeStored(localStore(), kTokenKey, null);
  }

  return { token, remembered, use, setRemembered, takeFromAddress, forget };
});
