// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { start } from '@/start';
import HostApp from './HostApp.vue';
import { setHostLanguage } from './i18n';
import { createHostRouter } from './router';

// The page's address is the console's: "/#/host/SESSION", not that of this document.
const { hash, search } = window.location;
window.history.replaceState(window.history.state, '', `../${search}${hash}`);
start(HostApp, createHostRouter, setHostLanguage);
