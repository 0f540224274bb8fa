// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// @vitest-environment jsdom
import { createPinia, setActivePinia } from 'pinia';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeTokens, storedToken } from '@/tokens/device_fixture';
import { useAccount } from './account';
import { useDevices } from './devices';
import { kPollMs, kShownMs, usePairing } from './pairing';

const kPhone = { name: 'Phone', rights: ['ask', 'answer', 'read'], sameWorkspace: true } as const;
const kOrigin = 'https://192.168.1.5:22080';
let server: FakeTokens;

beforeEach(async () => {
  vi.useFakeTimers();
  window.sessionStorage.clear();
  window.localStorage.clear();
  setActivePinia(createPinia());
  server = new FakeTokens();
  useAccount().use('secret', false);
  useDevices().readBy(server.http);
  await useDevices().load();
});

afterEach(() => {
  usePairing().end();
  vi.useRealTimers();
});

const lists = () => server.asked.filter((each) => each === 'GET /v1/tokens').length;

describe('devices', () => {
  it('are loaded with the own rights and the transport', () => {
    const devices = useDevices();
    expect([devices.isAdmin, devices.me?.name, devices.tls?.mode, devices.groups.here.length]).toEqual([
      true,
      'default',
      'off',
      1,
    ]);
  });

  it('are loaded from a server that does not say its transport', async () => {
    server.tls = null;
    await useDevices().load();
    expect([useDevices().tls, useDevices().me?.name]).toEqual([null, 'default']);
  });

  it('are not listed without the right admin', async () => {
    server.find('default').rights = ['read'];
    server.asked = [];
    setActivePinia(createPinia());
    useDevices().readBy(server.http);
    await useDevices().load();
    expect([useDevices().isAdmin, useDevices().tokens, lists()]).toEqual([false, null, 0]);
  });

  it('are renamed and revoked in place', async () => {
    const devices = useDevices();
    const { token } = await devices.create(kPhone);
    await devices.rename(token.id, 'Tablet');
    expect(devices.groups.here.map(({ name }) => name)).toEqual(['default', 'Tablet']);
    await expect(devices.rename(token.id, 'default')).rejects.toMatchObject({ status: 409 });
    await devices.revoke(token.id);
    expect(devices.groups.here.map(({ name }) => name)).toEqual(['default']);
  });

  it('of an earlier account are dropped', async () => {
    const devices = useDevices();
    const late = devices.load();
    useAccount().use('other', false);
    await late;
    expect([devices.me, devices.tokens, devices.tls]).toEqual([null, null, null]);
  });
});

describe('a phone that is added', () => {
  it('has a link in the shared workspace until it connects', async () => {
    const pairing = usePairing();
    await pairing.start(kPhone, kOrigin);
    expect([pairing.phase, pairing.link]).toEqual(['shown', `${kOrigin}/#/inbox?token=prl_t2&keep=1`]);
    expect(server.find('Phone').workspace).toBe('t1');
    await vi.advanceTimersByTimeAsync(2 * kPollMs);
    expect(pairing.phase).toBe('shown');
    server.find('Phone').last_seen_at = 5_000;
    await vi.advanceTimersByTimeAsync(kPollMs);
    expect([pairing.phase, pairing.link, pairing.device?.lastSeenAt]).toEqual(['connected', '', 5_000]);
    const asked = lists();
    await vi.advanceTimersByTimeAsync(kShownMs);
    expect([lists(), pairing.phase]).toEqual([asked, 'connected']);
  });

  it('has a code that is hidden after two minutes, and asks no more', async () => {
    const pairing = usePairing();
    await pairing.start(kPhone, kOrigin);
    await vi.advanceTimersByTimeAsync(kShownMs);
    expect([pairing.phase, pairing.link]).toEqual(['hidden', '']);
    const asked = lists();
    await vi.advanceTimersByTimeAsync(kShownMs);
    expect(lists()).toBe(asked);
    pairing.show();
    expect(pairing.link).toContain('prl_t2');
    await vi.advanceTimersByTimeAsync(kShownMs - 1);
    expect(pairing.phase).toBe('shown');
  });

  it('that connected while the code was hidden is found by the next look', async () => {
    const pairing = usePairing();
    await pairing.start(kPhone, kOrigin);
    pairing.hide();
    server.find('Phone').last_seen_at = 5_000;
    await pairing.look();
    expect(pairing.phase).toBe('connected');
    pairing.show();
    expect([pairing.phase, pairing.link]).toEqual(['connected', '']);
  });

  it('survives a server that is away for a while', async () => {
    const pairing = usePairing();
    await pairing.start(kPhone, kOrigin);
    server.isDown = true;
    await vi.advanceTimersByTimeAsync(3 * kPollMs);
    expect(pairing.phase).toBe('shown');
    server.isDown = false;
    server.find('Phone').last_seen_at = 5_000;
    await vi.advanceTimersByTimeAsync(kPollMs);
    expect(pairing.phase).toBe('connected');
  });

  it('loses its code when it is revoked', async () => {
    const pairing = usePairing();
    await pairing.start(kPhone, kOrigin);
    server.find('Phone').revoked_at = 4_000;
    await vi.advanceTimersByTimeAsync(kPollMs);
    expect([pairing.phase, pairing.device]).toEqual(['idle', null]);
  });

  it('with a name that exists is refused in the words of the server', async () => {
    server.tokens.push(storedToken({ id: 't2', name: 'Phone' }));
    await expect(usePairing().start(kPhone, kOrigin)).rejects.toMatchObject({
      status: 409,
      message: 'There is a token "Phone" already.',
    });
    expect(usePairing().phase).toBe('idle');
  });
});
