// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { localStore, readStored, writeStored } from '@/stores/storage';
import { type HttpNotify, NotifyError } from './http_notify';
import { deviceName, pushSupport, subscribeDevice } from './push_device';

// The id of this browser's device in the server's list; empty: it is not added.
const kOwnDevice = 'parley.push_device';
const kDeclined = 'parley.push_declined';

export function ownDevice(): string {
  return readStored(localStore(), kOwnDevice, '');
}

export function rememberDevice(id: string): void {
  writeStored(localStore(), kOwnDevice, id === '' ? null : id);
}

// The person said "Not now" on this device.
export function decline(): void {
  writeStored(localStore(), kDeclined, true);
}

// True if this browser could get notices and nobody has decided about it: it may ask, the server sends notices and does
// not have it (a device that its push service had forgotten is gone), and it was not declined. A server that cannot be
// asked offers nothing now.
export async function mayOffer(server: Pick<HttpNotify, 'pushKey' | 'devices'>): Promise<boolean> {
  const support = pushSupport();
  if ((support !== 'ask' && support !== 'yes') || readStored(localStore(), kDeclined, false)) return false;
  try {
    const own = ownDevice();
    if (own !== '' && (await server.devices()).some((device) => device.id === own)) return false;
    return (await server.pushKey()) !== '';
  } catch (error) {
    if (error instanceof NotifyError) return false;
    throw error;
  }
}

// Adds this browser under its usual name. Throws PushFailure and NotifyError.
export async function turnOn(server: Pick<HttpNotify, 'pushKey' | 'addDevice'>): Promise<void> {
  const key = await server.pushKey();
  const made = await server.addDevice(await subscribeDevice(key, deviceName(navigator.userAgent)));
  rememberDevice(made.id);
}
