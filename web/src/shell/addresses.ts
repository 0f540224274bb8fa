// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { RouteRecordRaw } from 'vue-router';

// The routes of the console by name.
export const kConsoleAddresses = {
  item: '/inbox/item/:item', // a permalink
  inbox: '/inbox/:conversation?',
  runs: '/runs',
  'run-file': '/runs/file', // a stream from a file; needs no server
  run: '/runs/:run',
  chat: '/chat/:session?',
  'replay-file': '/studies/file/replay', // a log from a file; needs no server
  replay: '/studies/:study/replay',
  studies: '/studies/:study?',
  people: '/people/:person?',
  'settings-notifications': '/settings/notifications',
  'settings-devices': '/settings/devices',
  'settings-rules': '/settings/rules',
  search: '/search',
  statistics: '/statistics',
  settings: '/settings',
  trust: '/trust', // for a phone that does not know the server's certificate yet
} as const;

// The routes of the host page, by name: a document of its own (host/index.html) at the same address as the console.
// public/to_host.js and openHostPage() load it; a reload of the address loads the console's document again.
export const kHostAddresses = {
  host: '/host/:session?',
  study: '/study/:study',
} as const;

// Routes of the other document: names and paths for links; opening one loads that document.
export function routesElsewhere(
  paths: Readonly<Record<string, string>>,
  open: (address: string) => void,
): RouteRecordRaw[] {
  return Object.entries(paths).map(([name, path]) => ({
    path,
    name,
    component: {},
    // Never resolved, so that this page stays as it is until the other one replaces it.
    beforeEnter: ({ fullPath }) => {
      open(fullPath);
      return new Promise<never>(() => undefined);
    },
  }));
}

export function openHostPage(address: string): void {
  const page = `host/index.html${window.location.search}#${address}`;
  // Typed into the address bar, the address has an entry in the history already.
  if (window.location.hash === `#${address}`) window.location.replace(page);
  else window.location.assign(page);
}

export function openConsole(address: string): void {
  window.location.hash = address;
  window.location.reload();
}
