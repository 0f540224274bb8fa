// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { createRouter, createWebHashHistory, type Router, type RouteRecordRaw } from 'vue-router';
import { kConsoleAddresses, kHostAddresses, openConsole, routesElsewhere } from '@/shell/addresses';
import HostPage from './pages/HostPage.vue';

const routes: RouteRecordRaw[] = [
  { path: kHostAddresses.host, name: 'host', component: HostPage, meta: { open: true } },
  {
    path: kHostAddresses.study,
    name: 'study',
    component: () => import('./pages/StudyPage.vue'),
    meta: { open: true, bare: true },
  },
  ...routesElsewhere({ ...kConsoleAddresses, rest: '/:rest(.*)*' }, openConsole),
];

// Reads the address when called; the token must have been removed from it before.
export function createHostRouter(): Router {
  return createRouter({ history: createWebHashHistory(), routes });
}
