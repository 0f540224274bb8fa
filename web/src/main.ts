// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import App from './App.vue';
import { setLanguage } from './i18n';
import { createPageRouter } from './router';
import { start } from './start';

// public/to_host.js sets this mark when the host page's document replaces this one.
if (document.documentElement.dataset['leaving'] === undefined) start(App, createPageRouter, setLanguage);
