// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { createRouter, createWebHashHistory, type Router, type RouteRecordRaw } from 'vue-router';
import { loadPageTexts } from './i18n';
import InboxPage from './pages/InboxPage.vue';
import { kConsoleAddresses, kHostAddresses, openHostPage, routesElsewhere } from './shell/addresses';

declare module 'vue-router' {
  interface RouteMeta {
    open?: boolean; // shown without a token; the page requests one if the server does
    bare?: boolean; // shown without the rail
  }
}

const routes: RouteRecordRaw[] = [
  { path: kConsoleAddresses.item, name: 'item', component: InboxPage },
  { path: kConsoleAddresses.inbox, name: 'inbox', component: InboxPage },
  { path: kConsoleAddresses.runs, name: 'runs', component: () => import('./pages/RunsPage.vue') },
  {
    path: kConsoleAddresses['run-file'],
    name: 'run-file',
    component: () => import('./pages/RunPage.vue'),
    meta: { open: true },
  },
  { path: kConsoleAddresses.run, name: 'run', component: () => import('./pages/RunPage.vue') },
  { path: kConsoleAddresses.chat, name: 'chat', component: () => import('./pages/ChatPage.vue') },
  {
    path: kConsoleAddresses['replay-file'],
    name: 'replay-file',
    component: () => import('./pages/ReplayPage.vue'),
    meta: { open: true },
  },
  {
    path: kConsoleAddresses.replay,
    name: 'replay',
    component: () => import('./pages/ReplayPage.vue'),
  },
  { path: kConsoleAddresses.studies, name: 'studies', component: () => import('./pages/StudiesPage.vue') },
  { path: kConsoleAddresses.people, name: 'people', component: () => import('./pages/PeoplePage.vue') },
  {
    path: kConsoleAddresses['settings-notifications'],
    name: 'settings-notifications',
    component: () => import('./pages/NotificationSettingsPage.vue'),
  },
  {
    path: kConsoleAddresses['settings-devices'],
    name: 'settings-devices',
    component: () => import('./pages/DevicesPage.vue'),
  },
  {
    path: kConsoleAddresses['settings-rules'],
    name: 'settings-rules',
    component: () => import('./pages/RulesPage.vue'),
  },
  { path: kConsoleAddresses.search, name: 'search', component: () => import('./pages/SearchPage.vue') },
  { path: kConsoleAddresses.statistics, name: 'statistics', component: () => import('./pages/StatisticsPage.vue') },
  { path: kConsoleAddresses.settings, name: 'settings', component: () => import('./pages/SettingsPage.vue') },
  ...routesElsewhere(kHostAddresses, openHostPage),
  {
    path: kConsoleAddresses.trust,
    name: 'trust',
    component: () => import('./pages/TrustPage.vue'),
    meta: { open: true, bare: true },
  },
  { path: '/:rest(.*)*', redirect: { name: 'inbox' } },
];

// Reads the address when called; the token must have been removed from it before.
export function createPageRouter(): Router {
  const router = createRouter({ history: createWebHashHistory(), routes });
  router.beforeEach(async ({ name }) => {
    if (name !== 'inbox' && name !== 'item') await loadPageTexts();
  });
  return router;
}
