// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { Notices } from './notices';
import { PageCache, type ShellFiles } from './page_cache';
import { kFilesMessage, kSkipMessage } from './messages';
import type { FetchLater, Later, MessageLater, NotificationLater, PushLater, WorkerScope } from './worker_scope';

// The service worker; scripts/worker.mjs bundles it into dist/sw.js.
declare const __SHELL_FILES__: ShellFiles;

const own = self as unknown as WorkerScope &
  EventTarget & { navigator: Navigator; Notification?: { maxActions?: number } };
const scope: WorkerScope = {
  registration: own.registration,
  clients: own.clients,
  caches: own.caches,
  maxActions: own.Notification?.maxActions ?? 0,
  language: own.navigator.language,
  fetch: (input, init) => fetch(input, init),
  skipWaiting: () => own.skipWaiting(),
};
const cache = new PageCache(scope, __SHELL_FILES__);
const notices = new Notices(scope);

function on<T extends Later>(name: string, handle: (event: T) => void): void {
  own.addEventListener(name, handle as unknown as EventListener);
}

on<Later>('install', (event) => {
  event.waitUntil(cache.install());
});
on<Later>('activate', (event) => {
  event.waitUntil(cache.activate());
});
on<FetchLater>('fetch', (event) => {
  const answer = cache.answer(event.request);
  if (answer) event.respondWith(answer);
});
on<PushLater>('push', (event) => {
  event.waitUntil(notices.push(event.data?.text() ?? ''));
});
on<NotificationLater>('notificationclick', (event) => {
  event.waitUntil(notices.click(event.notification, event.action));
});
on<MessageLater>('message', (event) => {
  if (event.data === kSkipMessage) event.waitUntil(scope.skipWaiting());
  if (event.data === kFilesMessage) event.ports[0]?.postMessage([...__SHELL_FILES__.assets, ...__SHELL_FILES__.others]);
});
