// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The page of devices: a phone is added by its QR code, answers from the same inbox, and is renamed and revoked. The
// page of trust without a token.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import jsQR from 'jsqr';
import { kOrigin, nameOrigin } from './lib/pages.js';
import { ask } from './lib/runs.js';
import { Stage, staged } from './lib/stage.js';
import { TailnetServer } from './lib/tailscale.js';

const kPhone = { width: 375, height: 812 };
const part = (place, name) => place.locator(`[data-test=${name}]`);
const device = (page, name) => page.locator(`[data-test=token][data-name="${name}"]`);

async function openDevices(person) {
  await person.openSettings();
  await part(person.page, 'devices-open').click();
  await part(person.page, 'devices-here').waitFor();
}

// The text that the camera of a phone reads from the picture of the code on the screen.
async function scanned(page) {
  const picture = await part(page, 'qr-code').screenshot();
  const { data, height, width } = await page.evaluate(async (base64) => {
    const image = new Image();
    image.src = `data:image/png;base64,${base64}`;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const pen = canvas.getContext('2d');
    pen.drawImage(image, 0, 0);
    return {
      data: [...pen.getImageData(0, 0, image.width, image.height).data],
      height: image.height,
      width: image.width,
    };
  }, picture.toString('base64'));
  return jsQR(Uint8ClampedArray.from(data), width, height)?.data;
}

// Opens the page of devices and shows the code of a phone; returns its link on the address of the test's server.
async function showCode(stage, person, name) {
  await nameOrigin(person.page);
  await openDevices(person);
  await part(person.page, 'phone-name').fill(name);
  await part(person.page, 'phone-show').click();
  await part(person.page, 'qr-code').waitFor();
  const link = await scanned(person.page);
  assert.match(link, /^http:\/\/192\.168\.1\.5:22080\/#\/inbox\?token=prl_[\w-]+&keep=1$/);
  assert.equal(await part(person.page, 'pairing-link').locator('code').innerText(), link);
  return link.replace(kOrigin, stage.server.url);
}

// A browser of phone size that has opened the link of a code.
async function scanWithPhone(stage, link) {
  const phone = await stage.person(null, kPhone);
  await phone.page.goto('about:blank');
  await phone.page.goto(link);
  await phone.untilOnline();
  return phone;
}

test(
  'a phone scans the code, answers from the same inbox, and is revoked',
  staged(async (stage) => {
    const person = await stage.person();
    const link = await showCode(stage, person, 'Pocket');
    assert.equal(await device(person.page, 'Pocket').getAttribute('data-seen'), '');

    const phone = await scanWithPhone(stage, link);
    assert.doesNotMatch(phone.page.url(), /token|keep/, 'the address keeps no token');
    await part(person.page, 'pairing-connected').filter({ hasText: 'Pocket is connected' }).waitFor();
    assert.equal(await part(person.page, 'qr-code').count(), 0);
    assert.ok(
      Number(await device(person.page, 'Pocket').getAttribute('data-seen')) > 0,
      'the list says when it was seen',
    );
    await device(person.page, 'Pocket').locator('[data-test=device-seen]').waitFor();

    const agent = await stage.agent();
    const answer = agent.ask('Shall the shop open on Sunday?');
    await phone.card('Shall the shop open on Sunday?').waitFor();
    await person.openInbox();
    await person.card('Shall the shop open on Sunday?').waitFor();
    await phone.answer('Shall the shop open on Sunday?', 'From ten to four.');
    assert.equal(await answer, 'From ten to four.');
    await person.closedCard('Shall the shop open on Sunday?').waitFor();

    await openDevices(person);
    await device(person.page, 'Pocket').locator('[data-test=device-revoke]').click();
    await part(person.page, 'revoke-dialog').filter({ hasText: 'Revoke Pocket?' }).waitFor();
    await part(person.page, 'revoke-confirm').click();
    await device(person.page, 'Pocket').waitFor({ state: 'detached' });
    await part(phone.page, 'sign-in').waitFor();
    await part(phone.page, 'denied').waitFor();
    await phone.page.reload();
    await part(phone.page, 'sign-in').waitFor();
  }),
);

test(
  'a phone stays signed in in a new tab, and a code works twice',
  staged(async (stage) => {
    const person = await stage.person();
    const link = await showCode(stage, person, 'Pocket');
    const phone = await scanWithPhone(stage, link);
    // A new tab has no session storage: the token is kept on the device.
    const tab = await phone.newTab();
    await tab.goto(`${stage.server.url}/`);
    await tab.locator('[data-test=strip][data-phase=online]').waitFor();
    await part(person.page, 'pairing-connected').waitFor();
    await scanWithPhone(stage, link);
    const { tokens } = await (await ask(stage.server, 'GET', '/v1/tokens')).json();
    assert.equal(tokens.filter(({ name }) => name === 'Pocket').length, 1, 'both are the same device');
  }),
);

test(
  'a phone in a workspace of its own sees another inbox',
  staged(async (stage) => {
    const person = await stage.person();
    await nameOrigin(person.page);
    await openDevices(person);
    await part(person.page, 'phone-name').fill('Visitor');
    await part(person.page, 'phone-own').click();
    await part(person.page, 'phone-show').click();
    await part(person.page, 'qr-code').waitFor();
    const phone = await scanWithPhone(stage, (await scanned(person.page)).replace(kOrigin, stage.server.url));
    await part(person.page, 'pairing-connected').waitFor();
    await part(person.page, 'devices-elsewhere').locator('[data-name=Visitor]').waitFor();
    const agent = await stage.agent();
    agent.ask('A matter of the first inbox').catch(() => undefined); // ends with its agent
    await person.openInbox();
    await person.card('A matter of the first inbox').waitFor();
    assert.equal(await phone.card('A matter of the first inbox').count(), 0);
  }),
);

test(
  'a device is renamed in place: Enter saves, Escape cancels, a name that exists is refused',
  staged(async (stage) => {
    await ask(stage.server, 'POST', '/v1/tokens', { name: 'runner', rights: ['read'] });
    const person = await stage.person(await stage.server.createToken('desk'));
    const { page } = person;
    await openDevices(person);
    assert.equal(await part(page, 'own-device').count(), 1);
    await part(device(page, 'desk'), 'own-device').waitFor();
    const row = device(page, 'runner');
    await part(row, 'device-never').waitFor();

    await part(row, 'device-rename').click();
    await part(page, 'device-new-name').fill('other');
    await page.keyboard.press('Escape');
    await part(row, 'device-rename').waitFor();

    await part(row, 'device-rename').click();
    await part(page, 'device-new-name').fill('desk');
    await page.keyboard.press('Enter');
    await part(page, 'rename-failure').waitFor();
    await part(page, 'device-new-name').fill('night runner');
    await page.keyboard.press('Enter');
    await device(page, 'night runner').waitFor();
    const { tokens } = await (await ask(stage.server, 'GET', '/v1/tokens')).json();
    const names = tokens.map(({ name }) => name);
    assert.deepEqual(
      ['desk', 'night runner', 'other', 'runner'].filter((name) => names.includes(name)),
      ['desk', 'night runner'],
    );
  }),
);

test(
  'the code is hidden with the page, and shown again on request',
  staged(async (stage) => {
    const person = await stage.person();
    const { page } = person;
    await showCode(stage, person, 'Pocket');
    await page.evaluate(() => {
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => true });
      document.dispatchEvent(new Event('visibilitychange'));
    });
    await part(page, 'pairing-hidden').waitFor();
    assert.doesNotMatch(await page.content(), /prl_/, 'the page has no token in it');
    await page.evaluate(() => {
      delete document.hidden;
      document.dispatchEvent(new Event('visibilitychange'));
    });
    await part(page, 'pairing-again').click();
    await part(page, 'qr-code').waitFor();
    await person.openInbox();
    await openDevices(person);
    assert.equal(
      await part(page, 'add-phone').getAttribute('data-phase'),
      'idle',
      'a page that was left has forgotten it',
    );
  }),
);

test(
  'a server that listens on this computer only says how to change that',
  staged(async (stage) => {
    const person = await stage.person();
    await openDevices(person);
    await part(person.page, 'phone-loopback').filter({ hasText: 'Make it reachable above' }).waitFor();
    await part(person.page, 'reach-make').click();
    await part(person.page, 'reach-ways')
      .getByText(`parley serve --listen 127.0.0.1:${stage.server.port} --tailscale`, { exact: true })
      .waitFor();
  }),
);

test(
  'revoking the own token signs out',
  staged(async (stage) => {
    const person = await stage.person(await stage.server.createToken('laptop'));
    await openDevices(person);
    await device(person.page, 'laptop').locator('[data-test=device-revoke]').click();
    await part(person.page, 'revoke-dialog').filter({ hasText: 'signs you out' }).waitFor();
    await part(person.page, 'revoke-confirm').click();
    await part(person.page, 'sign-in').waitFor();
  }),
);

test(
  'a token without the right admin is told who may list devices',
  staged(async (stage) => {
    const made = await (
      await ask(stage.server, 'POST', '/v1/tokens', { name: 'reader', rights: ['answer', 'read'] })
    ).json();
    const person = await stage.person(made.token);
    await person.openSettings();
    await part(person.page, 'devices-open').click();
    await part(person.page, 'admin-only').waitFor();
    assert.equal(await part(person.page, 'own-rights').innerText(), 'Rights: answer, read');
    assert.equal(await part(person.page, 'token').count(), 0);
  }),
);

test(
  'the page of trust has its steps without a token, and the fingerprint with one',
  staged(async (stage) => {
    const stranger = await stage.person(null, kPhone, {
      userAgent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Safari/604.1',
    });
    await stranger.page.goto(`${stage.server.url}/#/trust`);
    await part(stranger.page, 'trust-page').waitFor();
    assert.equal(await part(stranger.page, 'trust-download').getAttribute('href'), '/ca.mobileconfig');
    await part(stranger.page, 'platform-android').click();
    assert.equal(await part(stranger.page, 'trust-download').getAttribute('href'), '/ca.crt');
    await part(stranger.page, 'trust-unknown').waitFor();
    assert.equal(await part(stranger.page, 'fingerprint').count(), 0);

    const person = await stage.person();
    await nameOrigin(person.page, { mode: 'auto' });
    await openDevices(person);
    await part(person.page, 'trust-open').click();
    await part(person.page, 'fingerprint').filter({ hasText: 'AA:BB:CC' }).waitFor();
    await nameOrigin(person.page, { mode: 'own' });
    await person.page.reload();
    await part(person.page, 'trust-nothing').waitFor();
    await part(person.page, 'trust-download').waitFor({ state: 'detached' });
  }),
);

// A stage whose server has the stand-in for Tailscale in its PATH, and was started without it.
const beside = (play) => async () => {
  const stage = new Stage();
  await stage.server.end();
  stage.server = new TailnetServer();
  stage.server.more = [];
  try {
    await stage.server.start();
    await play(stage);
  } finally {
    await stage.end();
  }
};

test(
  'a server of this computer alone is opened to the tailnet by one button, and the code has its address',
  beside(async (stage) => {
    const { server } = stage;
    const person = await stage.person();
    const { page } = person;
    await openDevices(person);
    const reach = part(page, 'reach');
    assert.equal(await reach.getAttribute('data-reach'), 'here');
    await part(page, 'phone-loopback').waitFor();
    await part(page, 'reach-make').click();
    await part(page, 'reach-near').click();
    await reach.getByText(`parley serve --listen 0.0.0.0:${server.port} --tls auto`, { exact: true }).waitFor();
    await part(page, 'reach-tailnet').click();
    server.tailscale.state({ CertDomains: null });
    await part(page, 'reach-open').click();
    await part(page, 'reach-failure').filter({ hasText: 'HTTPS is off in this tailnet' }).waitFor();
    server.tailscale.state({});
    await part(page, 'reach-open').click();
    await part(page, 'reach-address').filter({ hasText: server.away }).waitFor();
    await part(page, 'phone-show').click();
    const link = part(page, 'pairing-link').locator('code');
    await link.filter({ hasText: server.away }).waitFor();
    const text = await link.innerText();
    const token = /token=(prl_[\w-]+)/.exec(text)[1];
    const me = JSON.parse((await server.over('/v1/me', { headers: { Authorization: `Bearer ${token}` } })).body);
    assert.deepEqual([me.name, me.rights], ['Phone', ['ask', 'answer', 'read']]);
  }),
);
