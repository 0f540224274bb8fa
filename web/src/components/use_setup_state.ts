// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { onMounted, onScopeDispose, shallowRef } from 'vue';
import { readSetup, type SetupState } from '@/inbox/setup_state';
import { useAccount } from '@/stores/account';
import { ServerError } from '@/wire/wrapped_server';

const kEveryMs = 4000;

// The coding agents of the server's computer, read again while the page is shown. Null: not known, or not told to
// this token.
export function useSetupState() {
  const account = useAccount();
  const state = shallowRef<SetupState | null>(null);
  const ended = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function look(): Promise<void> {
    let again = true;
    try {
      if (!document.hidden && account.token !== null) state.value = await readSetup(account.token, ended.signal);
    } catch (error) {
      again = !(error instanceof ServerError && (error.status === 403 || error.status === 404));
    }
    if (again && !ended.signal.aborted) timer = setTimeout(() => void look(), kEveryMs);
  }

  onMounted(() => void look());
  onScopeDispose(() => {
    ended.abort();
    clearTimeout(timer);
  });
  return state;
}
