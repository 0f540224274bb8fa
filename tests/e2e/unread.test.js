// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Unread marks: what the person has not seen on this device.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from './lib/person.js';
import { post } from './lib/reading.js';
import { staged } from './lib/stage.js';

const ask = (stage, key, project) =>
  post(stage.server, '/v1/interactions', {
    key,
    prompt: { text: `${key}?`, project_directory: `/src/${project}`, agent_name: project },
  });
const answer = (stage, key) => post(stage.server, `/v1/interactions/${key}/answer`, { text: `${key}!` });

const entry = (person, name) => person.page.locator('[data-test=conversation]').filter({ hasText: name });
const mark = (person, name) => entry(person, name).locator('[data-test=unread]');
const line = (person) => person.page.locator('[data-test=new-line]');

// Puts the page in the background, or back.
async function setVisible(person, visible) {
  await person.page.evaluate(
    (state) => {
      Object.defineProperty(document, 'visibilityState', { value: state, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    },
    visible ? 'visible' : 'hidden',
  );
}

async function begun(stage) {
  await ask(stage, 'shop-0', 'shop');
  await answer(stage, 'shop-0');
  await ask(stage, 'bank-0', 'bank');
  await answer(stage, 'bank-0');
  const person = await stage.person();
  await person.closedCard('bank-0').waitFor();
  await entry(person, 'shop').click();
  await person.closedCard('bank-0').waitFor({ state: 'detached' });
  return person;
}

test(
  'a conversation that is not in view counts what is new, until it is seen',
  staged(async (stage) => {
    const person = await begun(stage);
    assert.equal(
      await person.page.locator('[data-test=unread]').count(),
      0,
      'the first visit begins with everything read',
    );
    await ask(stage, 'bank-1', 'bank');
    await ask(stage, 'bank-2', 'bank');
    await mark(person, 'bank').filter({ hasText: '2 new' }).waitFor();
    await person.page.reload();
    await mark(person, 'bank').filter({ hasText: '2 new' }).waitFor();
    await entry(person, 'bank').click();
    await line(person).waitFor();
    assert.equal(await line(person).evaluate((it) => it.nextElementSibling.dataset.card), 'bank-1');
    await mark(person, 'bank').waitFor({ state: 'detached' });
    await line(person).waitFor();
    await person.page.reload();
    await person.card('bank-1').waitFor();
    assert.equal(await person.page.locator('[data-test=unread]').count(), 0, 'read is kept on the device');
  }),
);

test(
  'what arrives while the page is in the background is new',
  staged(async (stage) => {
    const person = await begun(stage);
    await setVisible(person, false);
    await ask(stage, 'shop-1', 'shop');
    await person.card('shop-1').waitFor();
    await mark(person, 'shop').filter({ hasText: '1 new' }).waitFor();
    await line(person).waitFor();
    await setVisible(person, true);
    await mark(person, 'shop').waitFor({ state: 'detached' });
    await line(person).waitFor();
  }),
);

test(
  'an answer of others is new, an own one is not',
  staged(async (stage) => {
    const person = await begun(stage);
    await ask(stage, 'shop-1', 'shop');
    await ask(stage, 'shop-2', 'shop');
    await person.card('shop-2').waitFor();
    await mark(person, 'shop').waitFor({ state: 'detached' });
    await setVisible(person, false);
    await person.answer('shop-1', 'Mine.');
    await person.closedCard('shop-1').waitFor();
    await answer(stage, 'shop-2');
    await person.closedCard('shop-2').waitFor();
    await mark(person, 'shop').filter({ hasText: '1 new' }).waitFor();
  }),
);

test(
  'everything is marked as read at once',
  staged(async (stage) => {
    const person = await begun(stage);
    await ask(stage, 'bank-1', 'bank');
    await ask(stage, 'desk-1', 'desk');
    await mark(person, 'bank').waitFor();
    await mark(person, 'desk').waitFor();
    await entry(person, 'Everything').filter({ hasText: '2 new' }).waitFor();
    await setVisible(person, false);
    await entry(person, 'Everything').click();
    await line(person).waitFor();
    await person.page.locator('[data-test=thread-menu]').click();
    await person.page.locator('[data-test=mark-read]').click();
    await until(async () => (await person.page.locator('[data-test=unread]').count()) === 0, 'no marks are left');
    await line(person).waitFor({ state: 'detached' });
  }),
);

test(
  'marks belong to one token, and the token is not stored with them',
  staged(async (stage) => {
    const other = await stage.server.createToken('other');
    const person = await begun(stage);
    await ask(stage, 'bank-1', 'bank');
    await mark(person, 'bank').waitFor();
    const stored = await person.page.evaluate(() =>
      Object.entries(localStorage).filter(([key]) => key.startsWith('parley.read.')),
    );
    assert.equal(stored.length, 1);
    assert.ok(!JSON.stringify(stored).includes(stage.server.token));
    await person.page.goto('about:blank');
    await person.page.goto(`${stage.server.url}/?token=${other}`);
    await person.untilOnline();
    assert.equal(await person.page.locator('[data-test=unread]').count(), 0);
  }),
);
