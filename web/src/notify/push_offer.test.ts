// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Device, NotifyError } from './http_notify';
import { decline, mayOffer, ownDevice, rememberDevice } from './push_offer';

function browser(permission: NotificationPermission): void {
  vi.stubGlobal('isSecureContext', true);
  vi.stubGlobal('PushManager', () => undefined);
  vi.stubGlobal('Notification', { permission });
  vi.stubGlobal('navigator', { serviceWorker: {} });
}

const device = (id: string): Device => ({ id, name: '', createdAt: 1, deliveredAt: null, failure: '' });
const server = (devices: Device[] = [], key: () => Promise<string> = () => Promise.resolve('KEY')) => ({
  pushKey: key,
  devices: () => Promise.resolve(devices),
});

describe('the offer of notices', () => {
  beforeEach(() => {
    localStorage.clear();
    browser('default');
  });
  afterEach(() => vi.unstubAllGlobals());

  it('is made to a browser that may ask and is not added', async () => {
    expect(await mayOffer(server())).toBe(true);
    browser('granted');
    expect(await mayOffer(server())).toBe(true);
  });

  it('is not made where notices cannot be', async () => {
    browser('denied');
    expect(await mayOffer(server())).toBe(false);
    browser('default');
    vi.stubGlobal('isSecureContext', false);
    expect(await mayOffer(server())).toBe(false);
  });

  it('is not made again after "Not now"', async () => {
    decline();
    expect(await mayOffer(server())).toBe(false);
  });

  it('is not made to a device of the list, and again to one that is gone', async () => {
    rememberDevice('d1');
    expect(ownDevice()).toBe('d1');
    expect(await mayOffer(server([device('d1')]))).toBe(false);
    expect(await mayOffer(server([device('d2')]))).toBe(true);
  });

  it('is not made by a server without Web Push', async () => {
    expect(await mayOffer(server([], () => Promise.reject(new NotifyError(404, 'off'))))).toBe(false);
  });
});
