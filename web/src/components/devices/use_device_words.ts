// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { useI18n } from 'vue-i18n';
import { kRights, type Right, TokensError } from '@/tokens/http_tokens';

export interface DeviceWords {
  rightsWords: (rights: readonly Right[]) => string;
  ownRights: (rights: readonly Right[]) => string; // as a sentence
  dayWords: (at: number) => string;
  errorWords: (error: unknown) => string;
}

// Rights, days and errors in the person's language.
export function useDeviceWords(): DeviceWords {
  const { locale, t } = useI18n();

  function rightsWords(rights: readonly Right[]): string {
    if (rights.length === kRights.length) return t('devices.allRights');
    return rights.map((right) => t(`devices.right.${right}`)).join(locale.value === 'zh' ? '、' : ', ');
  }

  function ownRights(rights: readonly Right[]): string {
    const words = rightsWords(rights);
    return rights.length === kRights.length ? words : t('devices.may', { rights: words });
  }

  function dayWords(at: number): string {
    return new Intl.DateTimeFormat(locale.value, { dateStyle: 'medium' }).format(at);
  }

  function errorWords(error: unknown): string {
    if (error instanceof TokensError && error.status === 0) return t('devices.unreachable');
    return error instanceof Error ? error.message : String(error);
  }

  return { rightsWords, ownRights, dayWords, errorWords };
}
