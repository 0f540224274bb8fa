// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { i18n, setLanguage } from '@/i18n';
import { stageEn } from '@/i18n/stage_en';
import type { Language } from '@/stores/settings';
import { hostEn } from './host_en';

i18n.global.mergeLocaleMessage('en', { host: hostEn, stage: stageEn });

// Sets the language of the page, with the texts of the host page. The console's Chinese texts hold those of a stage.
export async function setHostLanguage(language: Language): Promise<void> {
  const texts = language === 'zh' ? (await import('./host_zh')).hostZh : null;
  await setLanguage(language);
  if (texts) i18n.global.mergeLocaleMessage('zh', { host: texts });
}
