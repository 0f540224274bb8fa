// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { createPinia } from 'pinia';
import { Dark, Notify, Quasar } from 'quasar';
import { type Component, createApp } from 'vue';
import type { Router } from 'vue-router';
import { i18n } from './i18n';
import { useAccount } from './stores/account';
import { type Language, useSettings } from './stores/settings';
import './styles/quasar.sass';
import './styles/tokens.css';
import './styles/base.css';
import './styles/quasar_parts.css';
import './styles/controls.css';
import './styles/boxes.css';
import './styles/spacing.css';
import './styles/sizes.css';
import './styles/surfaces.css';
import './styles/type.css';
import './styles/stage.css';
import './styles/code.css';
import './styles/markdown.css';

// Starts the app of a document: the console or the host page.
export function start(
  root: Component,
  createRouter: () => Router,
  setLanguage: (language: Language) => Promise<void>,
): void {
  const app = createApp(root);
  app.use(createPinia());
  useAccount().takeFromAddress();
  app.use(Quasar, { plugins: { Dark, Notify }, config: { dark: false } });
  app.use(i18n);
  const router = createRouter();
  app.use(router);
  // Mounts after the first route is resolved, which states whether the page needs a token.
  // A page or texts that cannot be loaded leave the rest of the console usable.
  void Promise.allSettled([setLanguage(useSettings().language), router.isReady()]).then(() => app.mount('#app'));
}
