// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { createRouter, createWebHashHistory, type Router, type RouteRecordRaw } from 'vue-router';
import { loadPageTexts } from './i18n';
import InboxPage from './pages/InboxPage.vue';

declare module 'vue-router' {
  interface RouteMeta {
    open?: boolean; // shown without a token; the page requests one if the server does
    bare?: boolean; // shown without the rail
  }
}

const routes: RouteRecordRaw[] = [
  { path: '/inbox/item/:item', name: 'item', component: InboxPage }, // a permalink
  { path: '/inbox/:conversation?', name: 'inbox', component: InboxPage },
  { path: '/runs', name: 'runs', component: () => import('./pages/RunsPage.vue') },
  {
    path: '/runs/file', // a stream from a file; needs no server
    name: 'run-file',
    component: () => import('./pages/RunPage.vue'),
    meta: { open: true },
  },
  { path: '/runs/:run', name: 'run', component: () => import('./pages/RunPage.vue') },
  { path: '/chat/:session?', name: 'chat', component: () => import('./pages/ChatPage.vue') },
  {
    path: '/studies/file/replay', // a log from a file; needs no server
    name: 'replay-file',
    component: () => import('./pages/ReplayPage.vue'),
    meta: { open: true },
  },
  {
    path: '/studies/:study/replay',
    name: 'replay',
    component: () => import('./pages/ReplayPage.vue'),
  },
  { path: '/studies/:study?', name: 'studies', component: () => import('./pages/StudiesPage.vue') },
  { path: '/people/:person?', name: 'people', component: () => import('./pages/PeoplePage.vue') },
  {
    path: '/settings/notifications',
    name: 'settings-notifications',
    component: () => import('./pages/NotificationSettingsPage.vue'),
  },
  {
    path: '/settings/devices',
    name: 'settings-devices',
    component: () => import('./pages/DevicesPage.vue'),
  },
  { path: '/settings/rules', name: 'settings-rules', component: () => import('./pages/RulesPage.vue') },
  { path: '/search', name: 'search', component: () => import('./pages/SearchPage.vue') },
  { path: '/statistics', name: 'statistics', component: () => import('./pages/StatisticsPage.vue') },
  { path: '/settings', name: 'settings', component: () => import('./pages/SettingsPage.vue') },
  { path: '/host/:session?', name: 'host', component: () => import('./pages/HostPage.vue'), meta: { open: true } },
  {
    path: '/study/:study',
    name: 'study',
    component: () => import('./pages/study/StudyPage.vue'),
    meta: { open: true, bare: true },
  },
  {
    path: '/trust', // for a phone that does not know the server's certificate yet
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
