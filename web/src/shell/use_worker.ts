// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { Notify } from 'quasar';
import { useI18n } from 'vue-i18n';
import type { Router } from 'vue-router';
import { startWorker } from '@/pwa/register';
import { useShell } from '@/stores/shell';

// Starts the service worker, which reports to the shell and opens pages. Returns a function that ends this.
export function useWorker(router: Router): () => void {
  const { t } = useI18n();
  return startWorker({
    open: (address) => void router.push(address),
    offer: useShell().offerUpdate,
    unreachable: () => Notify.create({ message: t('shell.search.unreachable'), timeout: 5000 }),
    broken: () => Notify.create({ message: t('shell.update.broken'), timeout: 8000 }),
  });
}
