// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { ref, type Ref } from 'vue';
import { useDeviceWords } from './use_device_words';

export interface Attempt {
  busy: Ref<boolean>;
  failure: Ref<string>; // the sentence about the last attempt; empty: it succeeded
  attempt: (what: () => Promise<void>) => Promise<boolean>; // resolves with false if it failed
}

// Runs requests of a form and keeps the sentence about an error.
export function useAttempt(): Attempt {
  const { errorWords } = useDeviceWords();
  const busy = ref(false);
  const failure = ref('');

  async function attempt(what: () => Promise<void>): Promise<boolean> {
    busy.value = true;
    failure.value = '';
    try {
      await what();
      return true;
    } catch (error) {
      failure.value = errorWords(error);
      return false;
    } finally {
      busy.value = false;
    }
  }

  return { busy, failure, attempt };
}
