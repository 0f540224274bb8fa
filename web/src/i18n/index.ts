// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { Language } from '@/stores/settings';
import { en } from './en';
import { createI18n } from './translate';

// Only the chosen language is loaded, and English as the fallback: at first without the texts of most pages.
export const i18n = createI18n<Language>({ locale: 'en', fallbackLocale: 'en', messages: { en } });

let pages: Promise<void> | null = null;

// Loads the English texts of all pages besides the inbox; the other language has them already.
export async function loadPageTexts(): Promise<void> {
  pages ??= import('./en_pages').then(({ enPages }) => {
    i18n.global.mergeLocaleMessage('en', enPages);
  });
  try {
    await pages;
  } catch (error) {
    pages = null;
    throw error;
  }
}

export async function setLanguage(language: Language): Promise<void> {
  if (language === 'zh' && !i18n.global.availableLocales.includes('zh')) {
    i18n.global.setLocaleMessage('zh', (await import('./zh')).zh);
  }
  i18n.global.locale.value = language;
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
}
