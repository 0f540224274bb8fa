// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HttpNotify, NotifyError } from './http_notify';
import { bytesOfKey, deviceName, PushFailure, pushSupport, subscribeDevice } from './push_device';

const kKey = 'BAEC-_8';

interface FakeSubscription {
  options: { applicationServerKey: ArrayBuffer };
  unsubscribe: () => Promise<boolean>;
  toJSON: () => unknown;
}

function subscription(key: Uint8Array<ArrayBuffer>): FakeSubscription {
  return {
    options: { applicationServerKey: key.buffer },
    unsubscribe: vi.fn(() => Promise.resolve(true)),
    toJSON: () => ({ endpoint: 'https://push.example.org/1', keys: { p256dh: 'P', auth: 'A' } }),
  };
}

// A browser with a permission, a worker (or none) and a subscription (or none).
function browser(
  permission: NotificationPermission,
  worker: boolean,
  known: FakeSubscription | null = null,
): { subscribe: ReturnType<typeof vi.fn> } {
  const subscribe = vi.fn(() => Promise.resolve(subscription(bytesOfKey(kKey))));
  const registration = { pushManager: { getSubscription: () => Promise.resolve(known), subscribe } };
  vi.stubGlobal('isSecureContext', true);
  vi.stubGlobal('PushManager', () => undefined);
  vi.stubGlobal('Notification', { permission, requestPermission: () => Promise.resolve(permission) });
  vi.stubGlobal('navigator', {
    serviceWorker: { ready: worker ? Promise.resolve(registration) : new Promise(() => undefined) },
  });
  return { subscribe };
}

const problemOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => 'none',
    (error: unknown) => (error instanceof PushFailure ? error.problem : String(error)),
  );

describe('a device', () => {
  beforeEach(() => vi.unstubAllGlobals());
  afterEach(() => vi.unstubAllGlobals());

  it('is subscribed with the key of the server', async () => {
    const { subscribe } = browser('granted', true);
    const device = await subscribeDevice(kKey, 'Phone');
    expect(device).toEqual({ endpoint: 'https://push.example.org/1', keys: { p256dh: 'P', auth: 'A' }, name: 'Phone' });
    expect(subscribe).toHaveBeenCalledWith({ userVisibleOnly: true, applicationServerKey: bytesOfKey(kKey) });
  });

  it('keeps a subscription with the same key, and replaces another', async () => {
    const same = subscription(bytesOfKey(kKey));
    const first = browser('granted', true, same);
    await subscribeDevice(kKey, '');
    expect(first.subscribe).not.toHaveBeenCalled();
    const other = subscription(bytesOfKey('BAEC-_A'));
    const second = browser('granted', true, other);
    await subscribeDevice(kKey, '');
    expect(other.unsubscribe).toHaveBeenCalled();
    expect(second.subscribe).toHaveBeenCalled();
  });

  it('names the reason why it cannot be subscribed', async () => {
    browser('denied', true);
    expect(pushSupport()).toBe('denied');
    expect(await problemOf(subscribeDevice(kKey, ''))).toBe('denied');
    browser('granted', false);
    expect(await problemOf(subscribeDevice(kKey, '', 5))).toBe('no_worker');
    browser('granted', true).subscribe.mockRejectedValue(new Error('no service'));
    expect(await problemOf(subscribeDevice(kKey, ''))).toBe('refused');
    vi.stubGlobal('isSecureContext', false);
    expect(pushSupport()).toBe('insecure');
  });

  it('has a name that a person recognises', () => {
    expect(
      deviceName(
        'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Mobile Safari/537.36',
      ),
    ).toBe('Chrome, Android');
    expect(
      deviceName('Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605 Version/17.0 Safari/604.1'),
    ).toBe('Safari, iPhone');
    expect(deviceName('Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/126.0 Safari/537.36 Edg/126.0')).toBe(
      'Edge, Windows',
    );
    expect(deviceName('')).toBe('');
  });
});

describe('notifications over HTTP', () => {
  const server = (status: number, answer: unknown) => {
    const sent: string[] = [];
    const http = new HttpNotify('t', (input, init) => {
      sent.push(`${init?.method} ${input as string}`);
      return Promise.resolve(new Response(answer === null ? null : JSON.stringify(answer), { status }));
    });
    return { http, sent };
  };

  it('reads notifiers', async () => {
    const { http } = server(200, {
      notifiers: [
        {
          name: 'mail',
          kind: 'email',
          destination: 'mail.example.org',
          when: 'unseen',
          after_ms: 60000,
          delivered_at: 5,
          failed_at: null,
          failure: '',
          failures: 2,
          waiting: 1,
          planned: 0,
        },
      ],
    });
    expect(await http.notifiers()).toMatchObject([
      {
        name: 'mail',
        kind: 'email',
        when: 'unseen',
        afterMs: 60000,
        deliveredAt: 5,
        failedAt: null,
        failures: 2,
        waiting: 1,
      },
    ]);
  });

  it('encodes names and keys, and throws the sentence of the server', async () => {
    const { http, sent } = server(204, null);
    await http.testNotifier('a/b');
    await http.seen('k/1');
    expect(sent).toEqual(['POST /v1/notifiers/a%2Fb/test', 'POST /v1/interactions/k%2F1/seen']);
    await expect(server(503, { message: 'The password is wrong.' }).http.testNotifier('x')).rejects.toEqual(
      new NotifyError(503, 'The password is wrong.'),
    );
  });
});
