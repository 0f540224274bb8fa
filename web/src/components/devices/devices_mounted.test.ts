// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// @vitest-environment jsdom
import { createPinia, setActivePinia } from 'pinia';
import { Notify, QBtn, Quasar } from 'quasar';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type App, type Component, createApp, h, nextTick } from 'vue';
import { i18n, loadPageTexts, setLanguage } from '@/i18n';
import DevicesPage from '@/pages/DevicesPage.vue';
import TrustPage from '@/pages/TrustPage.vue';
import { useAccount } from '@/stores/account';
import { useDevices } from '@/stores/devices';
import { usePairing } from '@/stores/pairing';
import { FakeTokens, storedToken } from '@/tokens/device_fixture';

const kOrigins = ['https://192.168.1.5:22080', 'https://host.local:22080'];
const kAuto = {
  mode: 'auto',
  fingerprint: 'AA:BB:CC',
  expires_at: 1_900_000_000_000,
  authority_expires_at: 2_000_000_000_000,
  origins: kOrigins,
  away: null,
  port: 22080,
  service: 'none',
};
let server: FakeTokens;
let app: App | null = null;
let root: HTMLElement;

// The element with a data-test attribute; fails if there is none.
function part(name: string, inside: ParentNode = document): HTMLElement {
  const found = inside.querySelector<HTMLElement>(`[data-test="${name}"]`);
  if (found === null) throw new Error(`no ${name} in ${root.textContent ?? ''}`);
  return found;
}

const has = (name: string) => document.querySelector(`[data-test="${name}"]`) !== null;
const row = (name: string) =>
  document.querySelector<HTMLElement>(`[data-test="token"][data-name="${name}"]`) ?? expect.fail(`no device ${name}`);

async function settle(): Promise<void> {
  for (let turn = 0; turn < 8; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    await nextTick();
  }
}

async function type(field: HTMLElement, words: string): Promise<void> {
  (field as HTMLInputElement).value = words;
  field.dispatchEvent(new Event('input', { bubbles: true }));
  await nextTick();
}

async function click(name: string, inside: ParentNode = document): Promise<void> {
  part(name, inside).click();
  await settle();
}

async function submit(name: string, inside: ParentNode = document): Promise<void> {
  part(name, inside)
    .closest('form')
    ?.dispatchEvent(new Event('submit', { cancelable: true, bubbles: true }));
  await settle();
}

async function show(page: Component): Promise<void> {
  root = document.body.appendChild(document.createElement('div'));
  app = createApp(page);
  app.use(Quasar, { plugins: { Notify } }).use(i18n);
  app.component('QBtn', QBtn);
  app.component('RouterLink', { render: () => h('a') });
  app.mount(root);
  await settle();
}

beforeEach(async () => {
  window.sessionStorage.clear();
  window.localStorage.clear();
  setActivePinia(createPinia());
  await loadPageTexts();
  server = new FakeTokens();
  server.tls = kAuto;
  vi.stubGlobal('fetch', server.fetch);
  useAccount().use('secret', false);
  useDevices().readBy(server.http);
});

afterEach(async () => {
  app?.unmount();
  document.body.replaceChildren();
  vi.unstubAllGlobals();
  await setLanguage('en');
});

describe('the page of devices', () => {
  it('groups devices by workspace with rights, times and the own mark', async () => {
    server.tokens.push(
      storedToken({
        id: 't2',
        name: 'Phone',
        workspace: 't1',
        last_seen_at: Date.now() - 5 * 60_000,
        expires_at: Date.now() + 90_000_000,
      }),
      storedToken({ id: 't3', name: 'agent', rights: ['ask', 'run-auto'], expires_at: 5_000 }),
    );
    await show(DevicesPage);
    const here = [...part('devices-here').querySelectorAll<HTMLElement>('[data-test="token"]')];
    expect(here.map(({ dataset }) => [dataset['name'], dataset['own']])).toEqual([
      ['default', 'true'],
      ['Phone', 'false'],
    ]);
    expect(part('device-rights', row('default')).textContent).toBe('Full access');
    expect(part('device-rights', row('Phone')).textContent).toBe('ask, answer, read');
    expect(part('device-seen', row('Phone')).textContent).toMatch(/5\s?m/);
    expect(row('Phone').textContent).toContain('Expires');
    expect(part('devices-elsewhere').textContent).toContain('ask, run agents without approval');
    expect(part('device-never', row('agent')).textContent).toBe('Never used');
    expect(row('agent').textContent).toContain('Expired');
    expect(document.querySelectorAll('[data-test="own-device"]')).toHaveLength(1);
  });

  it('renames with Enter, and not with Escape', async () => {
    server.tokens.push(storedToken({ id: 't2', name: 'Phone', workspace: 't1' }));
    await show(DevicesPage);
    await click('device-rename', row('Phone'));
    await type(part('device-new-name'), 'Tablet');
    part('device-new-name').dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
    await settle();
    expect([has('device-new-name'), server.tokens[1]?.name]).toEqual([false, 'Phone']);
    await click('device-rename', row('Phone'));
    await type(part('device-new-name'), 'default');
    await submit('device-new-name');
    expect(part('rename-failure').textContent).toBe('There is a token "default" already.');
    await type(part('device-new-name'), ' Tablet ');
    await submit('device-new-name');
    expect(server.tokens[1]?.name).toBe('Tablet');
    expect(document.activeElement).toBe(part('device-rename', row('Tablet')));
  });

  it('revokes after a question that names the device', async () => {
    server.tokens.push(storedToken({ id: 't2', name: 'Phone', workspace: 't1' }));
    await show(DevicesPage);
    await click('device-revoke', row('Phone'));
    expect(part('revoke-dialog').textContent).toContain('Revoke Phone?');
    expect(server.asked.some((each) => each.startsWith('DELETE'))).toBe(false);
    await submit('revoke-confirm');
    expect(server.asked).toContain('DELETE /v1/tokens/t2');
    expect(document.querySelector('[data-name="Phone"]')).toBeNull();
    expect(useAccount().token).toBe('secret');
  });

  it('signs out when the own token is revoked, and says so before', async () => {
    await show(DevicesPage);
    await click('device-revoke', row('default'));
    expect(part('revoke-dialog').textContent).toContain('signs you out');
    await submit('revoke-confirm');
    expect(useAccount().token).toBeNull();
  });

  it('says without the right admin who may list devices', async () => {
    server.find('default').rights = ['ask', 'read'];
    await show(DevicesPage);
    expect(part('own-rights').textContent).toBe('Rights: ask, read');
    expect(part('admin-only').textContent).toContain('right “admin”');
    expect([has('add-phone'), has('token'), has('new-token')]).toEqual([false, false, false]);
    expect(server.asked).not.toContain('GET /v1/tokens');
  });

  it('says in words that the server is not reachable, and tries again', async () => {
    server.isDown = true;
    await show(DevicesPage);
    expect(part('devices-failure').textContent).toContain('The server is not reachable.');
    server.isDown = false;
    part('devices-failure').querySelector('button')?.click();
    await settle();
    expect([has('devices-failure'), has('token')]).toEqual([false, true]);
  });

  it('makes a token and shows it once', async () => {
    await show(DevicesPage);
    await type(part('token-name'), 'runner');
    await submit('token-name');
    expect(part('token-made').textContent).toContain('prl_t2');
    expect(row('runner').closest('[data-test="devices-elsewhere"]')).not.toBeNull();
  });

  it('is in Chinese', async () => {
    await setLanguage('zh');
    await show(DevicesPage);
    expect(part('own-rights').textContent).toBe('完全访问');
    expect(root.textContent).toContain('添加手机');
  });
});

describe('adding a phone', () => {
  it('shows a code for the chosen address, then that the phone is connected', async () => {
    await show(DevicesPage);
    expect((part('phone-name') as HTMLInputElement).value).toBe('Phone');
    const address = part('phone-address') as HTMLSelectElement;
    expect([...address.options].map(({ value }) => value)).toEqual(kOrigins);
    address.value = kOrigins[1] ?? '';
    address.dispatchEvent(new Event('change'));
    await submit('phone-name');
    expect(part('pairing-link').textContent).toContain('https://host.local:22080/#/inbox?token=prl_t2&keep=1');
    expect(part('pairing-trust').textContent).toContain('https://host.local:22080/#/trust');
    expect(part('qr-code').querySelector('path')?.getAttribute('d')).toMatch(/^M\d/);
    expect(server.find('Phone')).toMatchObject({ workspace: 't1', rights: ['ask', 'answer', 'read'] });
    server.find('Phone').last_seen_at = Date.now();
    await usePairing().look();
    await settle();
    expect(part('pairing-connected').textContent).toContain('Phone is connected');
    expect(has('qr-code')).toBe(false);
    await click('pairing-another');
    expect((part('phone-name') as HTMLInputElement).value).toBe('Phone 2');
  });

  it('hides the code with the page, and shows it again on request', async () => {
    await show(DevicesPage);
    await submit('phone-name');
    vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
    document.dispatchEvent(new Event('visibilitychange'));
    await settle();
    expect([has('qr-code'), has('pairing-hidden'), root.innerHTML.includes('prl_t2')]).toEqual([false, true, false]);
    vi.spyOn(document, 'hidden', 'get').mockReturnValue(false);
    document.dispatchEvent(new Event('visibilitychange'));
    await settle();
    expect(has('pairing-hidden')).toBe(true);
    await click('pairing-again');
    expect(has('qr-code')).toBe(true);
  });

  it('forgets the code when the page is left', async () => {
    await show(DevicesPage);
    await submit('phone-name');
    app?.unmount();
    expect([usePairing().phase, usePairing().link]).toEqual(['idle', '']);
    usePairing().show();
    expect(usePairing().phase).toBe('idle');
  });

  it('in a workspace of its own makes a token that shares nothing', async () => {
    await show(DevicesPage);
    await click('phone-own');
    await submit('phone-name');
    expect(server.find('Phone').workspace).toBe('t2');
  });

  it('explains how to listen for phones', async () => {
    server.tls = { ...kAuto, mode: 'off', origins: [] };
    await show(DevicesPage);
    expect(part('phone-loopback').textContent).toContain('Make it reachable above');
    expect(has('phone-form')).toBe(false);
  });

  it('has the commands that make the server reachable, with its own port', async () => {
    server.tls = { ...kAuto, mode: 'off', origins: [], port: 9000, service: 'none' };
    await show(DevicesPage);
    expect(part('reach').dataset['reach']).toBe('here');
    await click('reach-make');
    expect(part('reach-ways').textContent).toContain('parley serve --listen 127.0.0.1:9000 --tailscale');
    await click('reach-near');
    expect(part('reach-ways').textContent).toContain('parley serve --listen 0.0.0.0:9000 --tls auto');
    expect(has('reach-open')).toBe(false);
  });

  it('opens the tailnet with one button, or says why not', async () => {
    server.tls = { ...kAuto, mode: 'off', origins: [] };
    await show(DevicesPage);
    await click('reach-make');
    server.tailnet = 'Tailscale is stopped. Connect with `sudo tailscale up`.';
    await click('reach-open');
    expect(part('reach-failure').textContent).toContain('sudo tailscale up');
    server.tailnet = 'https://desk.tail1234.ts.net:22080';
    await click('reach-open');
    expect(part('reach').dataset['reach']).toBe('away');
    expect(part('reach-address').textContent).toContain('https://desk.tail1234.ts.net:22080');
    expect(part('reach-address').textContent).toContain('parley serve --tailscale');
    expect(part('phone-address').textContent).toBe('https://desk.tail1234.ts.net:22080');
  });

  it('says what a phone lacks over http', async () => {
    server.tls = { ...kAuto, mode: 'off', origins: ['http://192.168.1.5:22080'] };
    await show(DevicesPage);
    expect(part('phone-address').textContent).toBe('http://192.168.1.5:22080');
    expect(part('phone-plain').textContent).toContain('no push notifications and no microphone');
  });
});

describe('the page of trust', () => {
  it('has three steps for each kind of device without a token', async () => {
    useAccount().forget();
    await show(TrustPage);
    expect(part('trust-page').dataset['platform']).toBe('computer');
    expect(part('trust-download').getAttribute('href')).toBe('/ca.crt');
    await click('platform-ios');
    expect(part('trust-download').getAttribute('href')).toBe('/ca.mobileconfig');
    expect(root.textContent).toContain('Certificate Trust Settings');
    await click('platform-android');
    expect(part('trust-download').getAttribute('href')).toBe('/ca.crt');
    expect(root.querySelectorAll('ol > li')).toHaveLength(3);
    expect([has('fingerprint'), has('trust-unknown'), server.asked.length]).toEqual([false, true, 0]);
  });

  it('shows the fingerprint with a token', async () => {
    await show(TrustPage);
    expect(part('fingerprint').textContent).toBe('AA:BB:CC');
    expect(has('trust-unknown')).toBe(false);
  });

  it.each([
    ['own', 'certificate of its owner'],
    ['off', 'speaks http'],
  ])('has nothing to do in mode %s', async (mode, words) => {
    server.tls = { ...kAuto, mode };
    await show(TrustPage);
    expect(part('trust-nothing').textContent).toContain(words);
    expect(has('trust-download')).toBe(false);
  });
});
