// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { defineStore } from 'pinia';
import { reactive, toRefs, watch } from 'vue';
import { friendlyNickname, validNickname } from '@/text/nickname';
import { localStore, readStored, writeStored } from './storage';

export type Language = 'en' | 'zh';
export type Theme = 'system' | 'light' | 'dark';

export interface Settings {
  nickname: string;
  language: Language;
  theme: Theme;
  notify: boolean;
  sound: boolean;
}

const kSettingsKey = 'parley.settings';

export function browserLanguage(languages: readonly string[]): Language {
  const first = languages.find((it) => /^(en|zh)\b/i.test(it));
  return first?.toLowerCase().startsWith('zh') ? 'zh' : 'en';
}

function initialSettings(): Settings {
  const stored = readStored<Partial<Settings>>(localStore(), kSettingsKey, {});
  const language =
    stored.language === 'en' || stored.language === 'zh'
      ? stored.language
      : browserLanguage(navigator.languages);
  const themes: readonly Theme[] = ['system', 'light', 'dark'];
  return {
    nickname: validNickname(stored.nickname ?? '') ?? friendlyNickname(language),
    language,
    theme: themes.find((theme) => theme === stored.theme) ?? 'system',
    notify: stored.notify === true,
    sound: stored.sound === true,
  };
}

// A person's settings on this device.
export const useSettings = defineStore('settings', () => {
  const settings = reactive(initialSettings());
  watch(
    settings,
    (value) => {
      writeStored(localStore(), kSettingsKey, value);
    },
    { immediate: true },
  );
  return toRefs(settings);
});
