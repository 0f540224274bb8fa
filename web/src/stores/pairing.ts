// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { defineStore } from 'pinia';
import { computed, ref, shallowRef } from 'vue';
import { scopeOf } from '@/pwa/register';
import { type NewToken, type Token, TokensError } from '@/tokens/http_tokens';
import { consoleAddress, pairingLink } from '@/tokens/pairing_link';
import { useDevices } from './devices';

export const kShownMs = 120_000; // how long a code is visible
export const kPollMs = 3000;

export type PairingPhase = 'idle' | 'shown' | 'hidden' | 'connected';

// One phone that is being added: its token, and the code with it until the phone has used it.
export const usePairing = defineStore('pairing', () => {
  const devices = useDevices();
  const phase = ref<PairingPhase>('idle');
  const device = shallowRef<Token | null>(null);
  const origin = ref('');
  const until = ref(0); // Unix ms; the code is hidden then
  const text = ref(''); // of the token; empty once the phone is connected
  const folder = scopeOf(window.location.pathname);
  const link = computed(() => (phase.value === 'shown' ? pairingLink(origin.value, folder, text.value) : ''));
  const trustPage = computed(() => consoleAddress(origin.value, folder, 'trust'));
  let hiding: ReturnType<typeof setTimeout> | undefined;
  let polling: ReturnType<typeof setInterval> | undefined;
  let isAsking = false;

  function stop(): void {
    clearTimeout(hiding);
    clearInterval(polling);
  }

  function end(): void {
    stop();
    phase.value = 'idle';
    device.value = null;
    text.value = '';
  }

  function hide(): void {
    if (phase.value !== 'shown') return;
    stop();
    phase.value = 'hidden';
  }

  // Shows the code, again if it was hidden.
  function show(): void {
    if (text.value === '') return;
    stop();
    phase.value = 'shown';
    until.value = Date.now() + kShownMs;
    hiding = setTimeout(hide, kShownMs);
    polling = setInterval(() => void look(), kPollMs);
  }

  async function start(wanted: NewToken, at: string): Promise<void> {
    end();
    const made = await devices.create(wanted);
    device.value = made.token;
    text.value = made.text;
    origin.value = at;
    show();
  }

  // Compares the device with the list of tokens: connected, renamed, or revoked.
  function compare(id: string): void {
    if (device.value?.id !== id) return;
    const found = devices.tokens?.find((token) => token.id === id);
    if (found === undefined) return end();
    device.value = found;
    if (found.lastSeenAt === null || phase.value === 'idle') return;
    stop();
    text.value = '';
    phase.value = 'connected';
  }

  // Asks whether the phone has used its token. A server that is not reachable is asked again by the next call.
  async function look(): Promise<void> {
    const id = device.value?.id;
    if (id === undefined || isAsking) return;
    isAsking = true;
    try {
      await devices.refresh();
      compare(id);
    } catch (error) {
      if (!(error instanceof TokensError)) throw error;
    } finally {
      isAsking = false;
    }
  }

  return { phase, device, until, link, trustPage, start, show, hide, look, end };
});
