// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { useI18n } from 'vue-i18n';
import { PushFailure } from '@/notify/push_device';

// The sentence about an error of Web Push.
export function usePushWords(): { sentence: (error: unknown) => string } {
  const { t } = useI18n();

  function sentence(error: unknown): string {
    if (error instanceof PushFailure) {
      if (error.problem === 'denied') return t('notify.device.denied');
      return error.problem === 'no_worker'
        ? t('notify.device.noWorker')
        : t('notify.device.refused', { reason: error.detail });
    }
    return error instanceof Error ? error.message : String(error);
  }

  return { sentence };
}
