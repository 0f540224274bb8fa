// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { defineStore } from 'pinia';
import { computed, ref, watch } from 'vue';
import { conversationId } from '@/inbox/conversations';
import { asObject, asText } from '@/wire/json';
import { useAccount } from './account';
import { useSettings } from './settings';
import { localStore, readStored, writeStored } from './storage';

// Asks the server for the name of a token. Empty: not to be had now.
export async function nameOfToken(token: string): Promise<string> {
  try {
    const response = await fetch('/v1/me', { headers: { Authorization: `Bearer ${token}` } });
    return response.ok ? asText(asObject(await response.json())['name']) : '';
  } catch {
    return '';
  }
}

// The name that others see beside this person's answers: the nickname that was set by hand, else the name of the
// user who has logged in, else that of the token, which its owner gave to the device.
export const useOwnName = defineStore('own_name', () => {
  const account = useAccount();
  const settings = useSettings();
  // The token itself is not stored here.
  const key = computed(() => (account.owner === null ? '' : `parley.name.${conversationId(account.owner, 'name')}`));
  const tokenName = ref('');
  const given = computed(() => account.login?.user || tokenName.value);
  const name = computed(() => settings.nickname || given.value);

  watch(
    key,
    (of) => {
      tokenName.value = of === '' ? '' : readStored<string>(localStore(), of, '');
    },
    { immediate: true, flush: 'sync' },
  );

  // Updates the name of the account's token.
  async function look(ask: (token: string) => Promise<string>): Promise<void> {
    const { login, owner, token } = account;
    if (token === null || login !== null) return;
    const found = await ask(token);
    if (found === '' || account.owner !== owner) return;
    tokenName.value = found;
    writeStored(localStore(), key.value, found);
  }

  return { name, given, look };
});
