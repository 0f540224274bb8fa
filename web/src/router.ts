// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { createRouter, createWebHashHistory } from 'vue-router';
import InboxPage from './pages/InboxPage.vue';

export const router = createRouter({
  history: createWebHashHistory(),
  routes: [
    { path: '/inbox/:conversation?', name: 'inbox', component: InboxPage },
    { path: '/people/:person?', name: 'people', component: () => import('./pages/PeoplePage.vue') },
    { path: '/settings', name: 'settings', component: () => import('./pages/SettingsPage.vue') },
    { path: '/:rest(.*)*', redirect: { name: 'inbox' } },
  ],
});
