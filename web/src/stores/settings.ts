// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { defineStore } from 'pinia';
import { reactive, toRefs, watch } from 'vue';
import { isMadeUp, validNickname } from '@/text/nickname';
import { localStore, readStored, writeStored } from './storage';

export type Language = 'en' | 'zh';
export type Theme = 'system' | 'light' | 'dark';

export interface Settings {
  nickname: string; // set by hand; empty: the name of the token or user
  language: Language;
  theme: Theme;
  notify: boolean;
  sound: boolean;
  questionVolume: number; // 0 to 100
  reportVolume: number; // of finished tasks
  autoSend: number; // seconds without a key after which a line of a chat is sent; 0: never
}

export const kAutoSends: readonly number[] = [0, 2, 5];

const kSettingsKey = 'parley.settings';

export function browserLanguage(languages: readonly string[]): Language {
  const first = languages.find((it) => /^(en|zh)\b/i.test(it));
  return first?.toLowerCase().startsWith('zh') ? 'zh' : 'en';
}

const kUsualVolume = 50;

function volumeOf(stored: unknown): number {
  return typeof stored === 'number' && stored >= 0 && stored <= 100 ? stored : kUsualVolume;
}

function initialSettings(): Settings {
  const stored = readStored<Partial<Settings>>(localStore(), kSettingsKey, {});
  const language =
    stored.language === 'en' || stored.language === 'zh' ? stored.language : browserLanguage(navigator.languages);
  const themes: readonly Theme[] = ['system', 'light', 'dark'];
  return {
    nickname: isMadeUp(stored.nickname ?? '') ? '' : (validNickname(stored.nickname ?? '') ?? ''),
    language,
    theme: themes.find((theme) => theme === stored.theme) ?? 'system',
    notify: stored.notify === true,
    sound: stored.sound === true,
    questionVolume: volumeOf(stored.questionVolume),
    reportVolume: volumeOf(stored.reportVolume),
    autoSend: kAutoSends.find((seconds) => seconds === stored.autoSend) ?? 0,
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
