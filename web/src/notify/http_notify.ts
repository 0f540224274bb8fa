// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { asArray, asNumber, asObject, asText } from '@/wire/json';

export const kNotifierKinds = ['ntfy', 'webhook', 'email'] as const;
export type NotifierKind = (typeof kNotifierKinds)[number] | 'push';
export type NotifyTime = 'at_once' | 'unseen' | 'deadline';

export interface Notifier {
  name: string;
  kind: NotifierKind;
  destination: string; // a host; empty for Web Push
  when: NotifyTime;
  afterMs: number;
  deliveredAt: number | null; // Unix ms
  failedAt: number | null;
  failure: string; // of the last attempt; empty: it succeeded
  failures: number; // since the start
  waiting: number;
  planned: number;
}

export interface Device {
  id: string;
  name: string;
  createdAt: number; // Unix ms
  deliveredAt: number | null;
  failure: string;
}

// A browser's subscription, in the form of PushSubscription.toJSON().
export interface DeviceInput {
  endpoint: string;
  keys: { p256dh: string; auth: string };
  name: string;
}

// An error with the server's message.
export class NotifyError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

function readKind(value: unknown): NotifierKind {
  const kind = asText(value);
  return kNotifierKinds.find((known) => known === kind) ?? 'push';
}

function readTime(value: unknown): NotifyTime {
  const when = asText(value);
  return when === 'unseen' || when === 'deadline' ? when : 'at_once';
}

function readNotifier(value: unknown): Notifier {
  const it = asObject(value);
  return {
    name: asText(it['name']),
    kind: readKind(it['kind']),
    destination: asText(it['destination']),
    when: readTime(it['when']),
    afterMs: asNumber(it['after_ms']) ?? 0,
    deliveredAt: asNumber(it['delivered_at']),
    failedAt: asNumber(it['failed_at']),
    failure: asText(it['failure']),
    failures: asNumber(it['failures']) ?? 0,
    waiting: asNumber(it['waiting']) ?? 0,
    planned: asNumber(it['planned']) ?? 0,
  };
}

function readDevice(value: unknown): Device {
  const it = asObject(value);
  return {
    id: asText(it['id']),
    name: asText(it['name']),
    createdAt: asNumber(it['created_at']) ?? 0,
    deliveredAt: asNumber(it['delivered_at']),
    failure: asText(it['failure']),
  };
}

// The routes of /v1 for notifications. The token is sent in a header, never in a URL.
export class HttpNotify {
  constructor(
    private readonly token: string,
    private readonly fetchIt: typeof fetch = (input, init) => fetch(input, init),
  ) {}

  async notifiers(): Promise<Notifier[]> {
    return asArray(asObject(await this.send('GET', '/v1/notifiers'))['notifiers']).map(readNotifier);
  }

  // Resolves when a test notice was delivered.
  async testNotifier(name: string): Promise<void> {
    await this.send('POST', `/v1/notifiers/${encodeURIComponent(name)}/test`);
  }

  // The server's public key, base64url.
  async pushKey(): Promise<string> {
    return asText(asObject(await this.send('GET', '/v1/push/key'))['key']);
  }

  async devices(): Promise<Device[]> {
    return asArray(asObject(await this.send('GET', '/v1/push/subscriptions'))['subscriptions']).map(readDevice);
  }

  async addDevice(device: DeviceInput): Promise<Device> {
    return readDevice(await this.send('POST', '/v1/push/subscriptions', device));
  }

  async removeDevice(id: string): Promise<void> {
    await this.send('DELETE', `/v1/push/subscriptions/${encodeURIComponent(id)}`);
  }

  async testDevice(id: string): Promise<void> {
    await this.send('POST', `/v1/push/subscriptions/${encodeURIComponent(id)}/test`);
  }

  // A person has seen the question: notifiers that wait for nobody to see it stay silent.
  async seen(key: string): Promise<void> {
    await this.send('POST', `/v1/interactions/${encodeURIComponent(key)}/seen`);
  }

  private async send(method: string, path: string, body?: unknown): Promise<unknown> {
    const headers: Record<string, string> = { Accept: 'application/json', Authorization: `Bearer ${this.token}` };
    const init: RequestInit = { method, headers };
    if (body !== undefined) {
      headers['Content-Type'] = 'application/json';
      init.body = JSON.stringify(body);
    }
    const answer = await this.fetchIt(path, init);
    const text = await answer.text();
    const json: unknown = text === '' ? null : JSON.parse(text);
    if (!answer.ok) throw new NotifyError(answer.status, asText(asObject(json)['message']) || `${answer.status}`);
    return json;
  }
}
