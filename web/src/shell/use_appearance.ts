// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { Dark } from 'quasar';
import { onScopeDispose, watch } from 'vue';
import { type Language, useSettings } from '@/stores/settings';

// Applies the theme and the language of the settings to the page when they change; the theme at once.
export function useAppearance(setLanguage: (language: Language) => Promise<void>): void {
  const settings = useSettings();
  const systemDark = window.matchMedia('(prefers-color-scheme: dark)');

  function applyTheme(): void {
    const dark = settings.theme === 'system' ? systemDark.matches : settings.theme === 'dark';
    document.documentElement.dataset['theme'] = dark ? 'dark' : 'light';
    Dark.set(dark);
  }

  watch(() => settings.theme, applyTheme, { immediate: true });
  watch(() => settings.language, setLanguage);
  systemDark.addEventListener('change', applyTheme);
  onScopeDispose(() => {
    systemDark.removeEventListener('change', applyTheme);
  });
}
