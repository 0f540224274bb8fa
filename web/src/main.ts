// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { createPinia } from 'pinia';
import { Dark, Notify, Quasar } from 'quasar';
import { createApp } from 'vue';
import App from './App.vue';
import { i18n, setLanguage } from './i18n';
import { createPageRouter } from './router';
import { useAccount } from './stores/account';
import { useSettings } from './stores/settings';
import './styles/quasar.sass';
import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/layout.css';

const app = createApp(App);
app.use(createPinia());
useAccount().takeFromAddress();
app.use(Quasar, { plugins: { Dark, Notify }, config: { dark: false } });
app.use(i18n);
const router = createPageRouter();
app.use(router);
// Mounts after the first route is resolved, which states whether the page needs a token.
// A page or texts that cannot be loaded leave the rest of the console usable.
void Promise.allSettled([setLanguage(useSettings().language), router.isReady()]).then(() => app.mount('#app'));
