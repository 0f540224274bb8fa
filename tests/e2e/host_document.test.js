// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The host page is a document of its own at the console's address.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seed } from './lib/pages.js';
import { Participant } from './lib/participant.js';
import { staged } from './lib/stage.js';

const part = (page, name) => page.locator(`[data-test="${name}"]`);
const hashOf = (page) => page.evaluate(() => `${location.pathname}${location.search}${location.hash}`);
const scripts = (page) =>
  page.evaluate(() => [...document.querySelectorAll('script[type=module]')].map(({ src }) => new URL(src).pathname));

test(
  'a signed-in person goes from the console to the host page and back',
  staged(async (stage) => {
    const { study } = await seed(stage);
    const { page } = await stage.person();
    await page.goto(`${stage.server.url}/#/studies/${study}`);
    await part(page, 'host-button').first().click();
    await part(page, 'host-page').waitFor();
    assert.match((await scripts(page))[0], /^\/assets\/host-/);
    assert.equal(await hashOf(page), '/#/host');
    await page.locator('[data-test=strip][data-phase=online]').waitFor();
    await page.goBack();
    await part(page, 'host-button').first().waitFor();
    assert.match((await scripts(page))[0], /^\/assets\/index-/);
    await page.goForward();
    await part(page, 'host-page').waitFor();
    assert.equal(await hashOf(page), '/#/host');
    await part(page, 'nav-people').click();
    await page.waitForFunction(
      () => location.hash === '#/people' && document.querySelector('[data-test=host-page]') === null,
    );
    await part(page, 'nav-people').and(page.locator('[aria-current=page]')).waitFor();
    assert.equal(await hashOf(page), '/#/people');
    // An address that is typed, which changes only the part after "#".
    await page.goto(`${stage.server.url}/#/host/lab-1?dev=1`);
    await part(page, 'host-page').waitFor();
    assert.equal(await hashOf(page), '/#/host/lab-1?dev=1');
  }),
);

test(
  'a guest opens the host page without the scripts of the console',
  staged(async (stage) => {
    const guest = await Participant.open(stage.server, '#/host');
    try {
      await guest.part('host-page').waitFor();
      const loaded = await guest.page.evaluate(() =>
        performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname),
      );
      assert.deepEqual(
        loaded.filter((path) => /assets\/(console|App|connection|protobuf)-/.test(path)),
        [],
      );
      await guest.page.reload();
      await guest.part('host-page').waitFor();
      assert.equal(await hashOf(guest.page), '/#/host');
    } finally {
      await guest.close();
    }
  }),
);

test(
  'a link with a token opens the host page signed in and loses the token',
  staged(async (stage) => {
    const { page } = await stage.person(null);
    await page.goto(`${stage.server.url}/?token=${stage.server.token}#/host`);
    await part(page, 'host-page').waitFor();
    await page.locator('[data-test=strip][data-phase=online]').waitFor();
    assert.equal(await hashOf(page), '/#/host');
  }),
);
