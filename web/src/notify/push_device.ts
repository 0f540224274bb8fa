// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { DeviceInput } from './http_notify';

// The ability of this browser to show notices while the page is closed.
export type PushSupport = 'yes' | 'ask' | 'denied' | 'insecure' | 'unsupported';

// Time limit for the start of the service worker.
const kWorkerPatienceMs = 8_000;

export type PushProblem = 'denied' | 'no_worker' | 'refused';

// A reason for which the page has a sentence.
export class PushFailure extends Error {
  constructor(
    readonly problem: PushProblem,
    readonly detail = '',
  ) {
    super(problem);
  }
}

export function pushSupport(): PushSupport {
  if (!window.isSecureContext) return 'insecure';
  const api = (window as { Notification?: typeof Notification }).Notification;
  if (!api || !('PushManager' in window) || !('serviceWorker' in navigator)) return 'unsupported';
  if (api.permission === 'granted') return 'yes';
  return api.permission === 'denied' ? 'denied' : 'ask';
}

export function bytesOfKey(key: string): Uint8Array<ArrayBuffer> {
  const text = atob(key.replace(/-/g, '+').replace(/_/g, '/'));
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

// `navigator.serviceWorker.ready` waits for ever if no worker is registered.
async function readyWorker(patienceMs: number): Promise<ServiceWorkerRegistration> {
  let timer = 0;
  const late = new Promise<never>((_, reject) => {
    timer = window.setTimeout(() => reject(new PushFailure('no_worker')), patienceMs);
  });
  try {
    return await Promise.race([navigator.serviceWorker.ready, late]);
  } finally {
    window.clearTimeout(timer);
  }
}

function sameBytes(a: ArrayBuffer | null, b: Uint8Array): boolean {
  if (a === null || a.byteLength !== b.byteLength) return false;
  const left = new Uint8Array(a);
  return b.every((byte, index) => byte === left[index]);
}

// Subscribes this browser with the server's key; asks the person first if the browser wants it. A subscription
// with another key, of another server at this address, is replaced. Throws PushFailure.
export async function subscribeDevice(key: string, name: string, patienceMs = kWorkerPatienceMs): Promise<DeviceInput> {
  if (pushSupport() === 'ask') await Notification.requestPermission();
  if (pushSupport() !== 'yes') throw new PushFailure('denied');
  const { pushManager } = await readyWorker(patienceMs);
  const bytes = bytesOfKey(key);
  try {
    let subscription = await pushManager.getSubscription();
    if (subscription !== null && !sameBytes(subscription.options.applicationServerKey, bytes)) {
      await subscription.unsubscribe();
      subscription = null;
    }
    subscription ??= await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytes });
    const { endpoint, keys } = subscription.toJSON();
    return { endpoint: endpoint ?? '', keys: { p256dh: keys?.['p256dh'] ?? '', auth: keys?.['auth'] ?? '' }, name };
  } catch (error) {
    throw new PushFailure('refused', error instanceof Error ? error.message : String(error));
  }
}

// Ends this browser's subscription, if it has one.
export async function unsubscribeDevice(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  const registration = await navigator.serviceWorker.getRegistration();
  const subscription = await registration?.pushManager.getSubscription();
  await subscription?.unsubscribe();
}

const kBrowsers: readonly [RegExp, string][] = [
  [/\bEdg\w*\//, 'Edge'],
  [/\bFirefox\//, 'Firefox'],
  [/\bOPR\//, 'Opera'],
  [/\bChrom(e|ium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const kSystems: readonly [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'Mac'],
  [/\bLinux\b/, 'Linux'],
];

// A name for a device that the person may change: "Chrome, Android".
export function deviceName(userAgent: string): string {
  const first = (list: readonly [RegExp, string][]) => list.find(([form]) => form.test(userAgent))?.[1];
  return [first(kBrowsers), first(kSystems)].filter((part) => part !== undefined).join(', ');
}
