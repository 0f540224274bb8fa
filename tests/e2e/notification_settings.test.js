// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The page of notifications in a real browser. The service worker and the push service of the browser are stand-ins: a
// browser without the internet has none.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useWholeBrowser } from './lib/browser.js';
import { PushBrowser, Receiver } from './lib/receivers.js';
import { Stage } from './lib/stage.js';

useWholeBrowser();

const kSecret = 'a-secret-of-the-webhook';

const hookSettings = (url, more = '') => `
[notify]
push_private_hosts = ["127.0.0.1"]
push_when = "at_once"

[[notify.webhook]]
name = "hook"
url = "${url}/in"
secret = "${kSecret}"
${more}
`;

// A test with a webhook's receiver and a push service.
const equipped = (more, play) => async () => {
  const stage = new Stage();
  const hook = await Receiver.start();
  const push = await PushBrowser.start();
  try {
    stage.server.configure(hookSettings(hook.url, more));
    await stage.server.start();
    await play(stage, { hook, push });
  } finally {
    await stage.end();
    await hook.end();
    await push.end();
  }
};

const ask = (server, key) =>
  fetch(`${server.url}/v1/interactions`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${server.token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ key, prompt: { text: `Question ${key}` } }),
  });

// Runs in the page before its scripts: a permission and a worker with the given subscription; null: no worker.
function standIn({ permission, subscription }) {
  Object.defineProperty(Notification, 'permission', { get: () => permission });
  Notification.requestPermission = () => Promise.resolve(permission);
  let known = null;
  const made = () => ({
    options: { applicationServerKey: null },
    toJSON: () => subscription,
    unsubscribe: () => {
      known = null;
      return Promise.resolve(true);
    },
  });
  const registration = {
    pushManager: {
      getSubscription: () => Promise.resolve(known),
      subscribe: () => Promise.resolve((known = made())),
    },
  };
  Object.defineProperty(navigator, 'serviceWorker', {
    value: {
      ready: subscription === null ? new Promise(() => {}) : Promise.resolve(registration),
      getRegistration: () => Promise.resolve(registration),
      register: () => Promise.resolve(registration),
      addEventListener: () => {},
    },
  });
}

async function openPage(stage, options) {
  const person = await stage.person();
  await person.page.addInitScript(standIn, options);
  await person.page.goto(`${stage.server.url}/#/settings`);
  await person.page.reload();
  await person.page.locator('[data-test=notifications-open]').click();
  await person.page.locator('[data-test=devices]').waitFor();
  return person.page;
}

test(
  'a device is added, tested and removed',
  equipped('', async (stage, { push }) => {
    const { name, ...subscription } = push.subscription();
    assert.ok(name);
    const page = await openPage(stage, { permission: 'granted', subscription });
    await page.locator('[data-test=no-device]').waitFor();
    await page.locator('[data-test=device-name]').fill('Desk');
    await page.locator('[data-test=device-add]').click();
    const device = page.locator('[data-test=device][data-own=true]').filter({ hasText: 'Desk' });
    await device.waitFor();
    await device.locator('[data-test=device-test]').click();
    await page.locator('[data-test=device-note]').filter({ hasText: 'has taken the test' }).waitFor();
    await push.request(0);
    await page.reload();
    await device.waitFor();
    await device.locator('[data-test=device-remove]').click();
    await page.locator('[data-test=no-device]').waitFor();
  }),
);

test(
  'a device that the push service no longer knows leaves the list',
  equipped('', async (stage, { push }) => {
    const { endpoint, keys } = push.subscription();
    const page = await openPage(stage, { permission: 'granted', subscription: { endpoint, keys } });
    await page.locator('[data-test=device-add]').click();
    await page.locator('[data-test=device]').waitFor();
    push.answers.push({ status: 410 });
    await page.locator('[data-test=device-test]').click();
    await page.locator('[data-test=device-failure]').filter({ hasText: '410' }).waitFor();
    await page.locator('[data-test=no-device]').waitFor();
  }),
);

test(
  'a page without permission or worker says what to do',
  equipped('', async (stage) => {
    const denied = await openPage(stage, { permission: 'denied', subscription: null });
    await denied.locator('[data-test=push-obstacle]').filter({ hasText: 'does not allow notifications' }).waitFor();
    assert.ok(await denied.locator('[data-test=device-add]').isDisabled());
    const absent = await openPage(stage, { permission: 'granted', subscription: null });
    await absent.locator('[data-test=device-name]').fill('Kept');
    await absent.locator('[data-test=device-add]').click();
    await absent.locator('[data-test=device-failure]').filter({ hasText: 'is not ready' }).waitFor();
    assert.equal(await absent.locator('[data-test=device-name]').inputValue(), 'Kept');
  }),
);

test(
  'notifiers show their last error, and are tested',
  equipped('', async (stage, { hook }) => {
    hook.answers.push({ status: 401 });
    await ask(stage.server, 'k1');
    await hook.request(0);
    const page = await openPage(stage, { permission: 'granted', subscription: null });
    const row = page.locator('[data-test=notifier][data-name=hook]');
    await row.locator('[data-test=notifier-error]').filter({ hasText: '127.0.0.1 answered 401.' }).waitFor();
    assert.equal(await row.getAttribute('data-fate'), 'failing');
    await row.locator('[data-test=notifier-test]').click();
    await page.locator('[data-test=notifier-note]').filter({ hasText: 'hook has delivered the test.' }).waitFor();
    assert.equal((await hook.json(1)).kind, 'test');
    hook.answers.push({ status: 403 });
    await row.locator('[data-test=notifier-test]').click();
    await page.locator('[data-test=notifier-failure]').filter({ hasText: 'answered 403' }).waitFor();
    await page.locator('[data-test=example-email]').click();
    await page.locator('[data-test=examples]').filter({ hasText: '[[notify.email]]' }).waitFor();
  }),
);

test(
  'a question that a person sees is not sent, another one is',
  equipped('when = "unseen"\nafter = "2s"', async (stage, { hook }) => {
    const person = await stage.person();
    const reported = person.page.waitForResponse((response) => response.url().endsWith('/v1/interactions/seen-1/seen'));
    await ask(stage.server, 'seen-1');
    await person.card('Question seen-1').waitFor();
    assert.equal((await reported).status(), 204);
    await person.page.goto('about:blank');
    await ask(stage.server, 'unseen-2');
    assert.equal((await hook.json(0)).key, 'unseen-2');
    assert.equal(hook.requests.length, 1, 'the first question was due before, and was not sent');
  }),
);

const kPhone = { width: 375, height: 812 };

// A phone that has answered one question.
async function answeredPhone(stage, options, viewport = kPhone) {
  const phone = await stage.person(undefined, viewport);
  await phone.page.addInitScript(standIn, options);
  await ask(stage.server, 'k1');
  await phone.page.reload();
  await phone.answer('Question k1', 'yes');
  return phone;
}

test(
  'a phone is offered notices after its first answer, and turns them on',
  equipped('', async (stage, { push }) => {
    const { endpoint, keys } = push.subscription();
    const { page } = await answeredPhone(stage, { permission: 'granted', subscription: { endpoint, keys } });
    await page.locator('[data-test=push-offer-on]').click();
    await page.locator('[data-test=push-offer][data-phase=on]').waitFor();
    await page.locator('[data-test=push-offer-close]').click();
    await page.locator('[data-test=push-offer]').waitFor({ state: 'detached' });
    await ask(stage.server, 'k2');
    await push.request(0);
  }),
);

test(
  '"Not now" is remembered on the phone',
  equipped('', async (stage, { push }) => {
    const { endpoint, keys } = push.subscription();
    const phone = await answeredPhone(stage, { permission: 'granted', subscription: { endpoint, keys } });
    const { page } = phone;
    await page.locator('[data-test=push-offer-not]').click();
    await page.locator('[data-test=push-offer]').waitFor({ state: 'detached' });
    await ask(stage.server, 'k2');
    const loaded = page.waitForResponse((response) => response.url().includes('PushOffer'));
    await page.reload();
    await phone.answer('Question k2', 'yes');
    await loaded;
    await page.waitForLoadState('networkidle');
    assert.equal(await page.locator('[data-test=push-offer]').count(), 0);
  }),
);

test(
  'a phone whose browser refuses says so',
  equipped('', async (stage) => {
    const { page } = await answeredPhone(stage, { permission: 'granted', subscription: null });
    await page.locator('[data-test=push-offer-on]').click();
    await page.locator('[data-test=push-offer-failure]').filter({ hasText: 'is not ready' }).waitFor();
    await page.locator('[data-test=push-offer-on]').waitFor();
  }),
);

test(
  'a wide screen is not asked',
  equipped('', async (stage, { push }) => {
    const { endpoint, keys } = push.subscription();
    const wide = await answeredPhone(
      stage,
      { permission: 'granted', subscription: { endpoint, keys } },
      { width: 1440, height: 900 },
    );
    await wide.closedCard('Question k1').waitFor();
    const loaded = await wide.page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
    assert.ok(!loaded.some((name) => name.includes('PushOffer')));
  }),
);
