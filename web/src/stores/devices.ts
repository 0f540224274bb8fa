// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { defineStore } from 'pinia';
import { computed, shallowRef, watch } from 'vue';
import { deviceGroups, type DeviceGroups } from '@/tokens/device_groups';
import { HttpTokens, type MadeToken, type Me, type NewToken, type TlsInfo, type Token } from '@/tokens/http_tokens';
import { useAccount } from './account';

export type TokenRoutes = Pick<HttpTokens, 'me' | 'list' | 'create' | 'rename' | 'revoke' | 'tls' | 'openTailnet'>;

// The token of this page and, with the right admin, all tokens of the server. Errors of its functions: TokensError.
export const useDevices = defineStore('devices', () => {
  const account = useAccount();
  const me = shallowRef<Me | null>(null); // null: not loaded
  const tokens = shallowRef<Token[] | null>(null); // null: not loaded, or not allowed
  const tls = shallowRef<TlsInfo | null>(null); // null: not loaded, or the server does not say
  const isAdmin = computed(() => me.value?.rights.includes('admin') === true);
  const groups = computed<DeviceGroups>(() =>
    me.value === null ? { here: [], elsewhere: [] } : deviceGroups(tokens.value ?? [], me.value),
  );
  let turn = 0; // answers to requests of an earlier account are dropped
  let routes: (token: string) => TokenRoutes = (token) => new HttpTokens(token);

  function readBy(make: (token: string) => TokenRoutes): void {
    routes = make;
  }

  const server = (): TokenRoutes => routes(account.token ?? '');

  async function refresh(): Promise<void> {
    const mine = turn;
    const found = await server().list();
    if (mine === turn) tokens.value = found;
  }

  async function load(): Promise<void> {
    const mine = turn;
    const [own, transport] = await Promise.all([
      server().me(),
      server()
        .tls()
        .catch(() => null),
    ]);
    if (mine !== turn) return;
    me.value = own;
    tls.value = transport;
    if (isAdmin.value) await refresh();
  }

  async function create(wanted: NewToken): Promise<MadeToken> {
    const made = await server().create(wanted);
    tokens.value = [made.token, ...(tokens.value ?? [])];
    return made;
  }

  async function rename(id: string, name: string): Promise<void> {
    const renamed = await server().rename(id, name);
    tokens.value = (tokens.value ?? []).map((token) => (token.id === id ? renamed : token));
    if (me.value?.tokenId === id) me.value = { ...me.value, name: renamed.name };
  }

  async function revoke(id: string): Promise<void> {
    await server().revoke(id);
    tokens.value = (tokens.value ?? []).filter((token) => token.id !== id);
  }

  async function openTailnet(): Promise<void> {
    const mine = turn;
    const opened = await server().openTailnet();
    if (mine === turn) tls.value = opened;
  }

  watch(
    () => account.owner,
    () => {
      turn += 1;
      me.value = null;
      tokens.value = null;
      tls.value = null;
    },
  );

  return { me, tokens, tls, isAdmin, groups, readBy, load, refresh, create, rename, revoke, openTailnet };
});
