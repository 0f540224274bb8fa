// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// @vitest-environment jsdom
import { Quasar } from 'quasar';
import { afterEach, describe, expect, it } from 'vitest';
import { type App, type Component, createApp } from 'vue';
import { createPinia } from 'pinia';
import { i18n, setLanguage } from '@/i18n';
import ChoiceList from './ChoiceList.vue';
import ShortId from './ShortId.vue';
import TitleBar from './TitleBar.vue';
import VisibleText from './VisibleText.vue';

let app: App | null = null;

function show(component: Component, props: Record<string, unknown>): HTMLElement {
  const root = document.createElement('div');
  app = createApp(component, props);
  app.use(createPinia()).use(Quasar).use(i18n);
  app.component('RouterLink', { render: () => null });
  app.mount(root);
  return root;
}

afterEach(async () => {
  app?.unmount();
  await setLanguage('en');
});

describe('VisibleText', () => {
  it('marks and counts hidden characters', () => {
    const root = show(VisibleText, { text: 'a\u202eb\u200bc', says: true });
    expect([...root.querySelectorAll('mark')].map((mark) => mark.textContent)).toEqual(['U+202E', 'U+200B']);
    expect(root.querySelector('[data-test="hidden-note"]')?.textContent).toBe('2 hidden characters, shown as U+…');
  });

  it('marks hidden characters in Chinese too', async () => {
    await setLanguage('zh');
    const root = show(VisibleText, { text: 'a\u202eb', says: true });
    expect(root.querySelector('[data-test="hidden-note"]')?.textContent).toBe('含 1 个隐藏字符，已显示为 U+…');
  });

  it('leaves readable text unchanged', () => {
    const root = show(VisibleText, { text: '部署 مرحبا 👩‍💻 ❤️', says: true });
    expect(root.textContent).toBe('部署 مرحبا 👩‍💻 ❤️');
    expect(root.querySelector('mark, [data-test="hidden-note"]')).toBeNull();
  });
});

describe('every template', () => {
  it('writes out hidden characters of {{ }}', () => {
    expect(show(TitleBar, { title: 'run \u202etxt', subtitle: 'a\u2066b' }).textContent).toContain('run <U+202E>txt');
    app?.unmount();
    expect(show(ShortId, { id: 'a\u200bb' }).textContent).toContain('a<U+200B>b');
  });

  it('marks hidden characters in choices', () => {
    const question = {
      header: '',
      text: '',
      multiple: false,
      custom: false,
      choices: [{ label: 'yes\u202e', description: 'd\u2067' }],
    };
    const root = show(ChoiceList, { question, chosen: [], digits: false, marks: false, name: 'n' });
    expect([...root.querySelectorAll('mark')].map((mark) => mark.textContent)).toEqual(['U+202E', 'U+2067']);
  });
});
