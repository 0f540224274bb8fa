// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { createI18n } from 'vue-i18n';
import type { Language } from '@/stores/settings';
import { en } from './en';

// Only the chosen language is loaded, and English as the fallback.
export const i18n = createI18n({
  legacy: false,
  locale: 'en' as Language,
  fallbackLocale: 'en',
  messages: { en } as Partial<Record<Language, typeof en>>,
  missingWarn: false,
  fallbackWarn: false,
});

export async function setLanguage(language: Language): Promise<void> {
  if (language === 'zh' && !i18n.global.availableLocales.includes('zh')) {
    i18n.global.setLocaleMessage('zh', (await import('./zh')).zh);
  }
  i18n.global.locale.value = language;
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
}
