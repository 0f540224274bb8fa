// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { computed } from 'vue';
import { describe, expect, it } from 'vitest';
import { createI18n, fill } from './translate';

const own = createI18n<'en' | 'zh'>({
  locale: 'en',
  fallbackLocale: 'en',
  messages: { en: { nav: { back: 'Back', to: 'To {place}' }, files: '{count} file | {count} files' } },
});
const { locale, t, te } = own.global;

describe('texts', () => {
  it('are found by their path, and filled', () => {
    expect(t('nav.back')).toBe('Back');
    expect(t('nav.to', { place: '{there}' })).toBe('To {there}');
    expect(t('nav.to')).toBe('To ');
  });

  it('have a form for one and a form for any other count', () => {
    expect([0, 1, 2].map((count) => t('files', { count }))).toEqual(['0 files', '1 file', '2 files']);
    expect(t('files', { count: '1,000' }, 1000)).toBe('1,000 files');
    expect(t('files', {}, 3)).toBe('3 files');
    expect(fill('{count} 个文件', { count: 2 })).toBe('2 个文件');
  });

  it('fall back to English, and to the key', () => {
    own.global.setLocaleMessage('zh', { nav: { back: '返回' } });
    const back = computed(() => t('nav.back'));
    expect(back.value).toBe('Back');
    locale.value = 'zh';
    expect(back.value).toBe('返回');
    expect(t('nav.to', { place: 'X' })).toBe('To X');
    expect(t('nav.nowhere')).toBe('nav.nowhere');
    expect([te('nav.back'), te('nav')]).toEqual([true, false]);
    locale.value = 'en';
  });

  it('can be added later', () => {
    const text = computed(() => t('runs.title'));
    expect(text.value).toBe('runs.title');
    own.global.mergeLocaleMessage('en', { runs: { title: 'Runs' } });
    expect([text.value, t('nav.back')]).toEqual(['Runs', 'Back']);
    expect(own.global.availableLocales).toEqual(['en', 'zh']);
  });
});
