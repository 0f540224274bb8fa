// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The palette and the keys of the console.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settled } from './lib/pages.js';
import { until } from './lib/person.js';
import { ask } from './lib/runs.js';
import { staged } from './lib/stage.js';

const kPhone = { width: 375, height: 812 };
const palette = (page) => page.locator('[data-test=palette]');
const rows = (page) => page.locator('[data-test=palette-row]');
const chosen = (page) => page.locator('[data-test=palette-row][aria-selected=true]');
const isAt = (page, hash) => until(() => new URL(page.url()).hash.startsWith(hash), `the address is ${hash}`);

// Takes the focus out of any field, so that single keys count.
const leaveField = (page) => page.evaluate(() => document.activeElement?.blur());

async function openPalette(page) {
  // A key in the moment in which a former palette goes belongs to that one.
  await until(async () => {
    await page.keyboard.press('Control+k');
    return palette(page)
      .waitFor({ timeout: 3000 })
      .then(
        () => true,
        () => false,
      );
  }, 'the palette opens');
  await until(
    () => page.evaluate(() => document.activeElement?.getAttribute('role') === 'combobox'),
    'the field has the focus',
  );
}

async function closed(page) {
  await palette(page).waitFor({ state: 'detached' });
}

test(
  'the palette opens pages by keyboard, and the last ones come first',
  staged(async (stage) => {
    const { page } = await stage.person();
    await openPalette(page);
    await page.keyboard.type('sttngs');
    await chosen(page).filter({ hasText: 'Settings' }).waitFor();
    await page.keyboard.press('Enter');
    await isAt(page, '#/settings');
    await closed(page);
    await openPalette(page);
    assert.match(await rows(page).first().innerText(), /Settings/);
    assert.equal(await page.locator('#palette-of-recent').count(), 1);
    await page.keyboard.press('Escape');
    await closed(page);
  }),
);

test(
  'the palette is a combobox: the active option follows the keys',
  staged(async (stage) => {
    const { page } = await stage.person();
    await openPalette(page);
    const field = page.getByRole('combobox');
    const active = async () => page.locator(`[id="${await field.getAttribute('aria-activedescendant')}"]`);
    const first = await (await active()).innerText();
    await page.keyboard.press('ArrowDown');
    const second = await (await active()).innerText();
    assert.notEqual(first, second);
    assert.equal(await chosen(page).count(), 1);
    assert.equal(await (await active()).getAttribute('aria-selected'), 'true');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    const count = await rows(page).count();
    assert.equal(await field.getAttribute('aria-activedescendant'), `palette-${count - 1}`);
    await page.keyboard.type('zzzzzz');
    await page.locator('[data-test=palette-none]').waitFor();
  }),
);

test(
  'an open question is found by Chinese words and jumped to',
  staged(async (stage) => {
    const agent = await stage.agent();
    // Not answered: it ends with its agent.
    agent.ask('今天部署新的商店吗？').catch(() => undefined);
    agent.ask('Which colour has the roof?').catch(() => undefined);
    await until(async () => (await stage.server.pending()).length === 2, 'two questions wait');
    const { page } = await stage.person();
    await page.locator('[data-test=nav-settings]').click();
    await page.locator('[data-test=nickname]').waitFor();
    await openPalette(page);
    await page.keyboard.type('部署商店');
    await chosen(page).filter({ hasText: '今天部署新的商店吗' }).waitFor();
    assert.equal(await chosen(page).getAttribute('data-kind'), 'question');
    await page.keyboard.press('Enter');
    await isAt(page, '#/inbox');
    await until(
      async () =>
        page.evaluate(() => document.activeElement?.closest('[data-card]')?.textContent.includes('今天部署新的商店吗')),
      'the card of the question has the focus',
    );
  }),
);

test(
  'runs and chats are found, and the text goes to the search page',
  staged(async (stage) => {
    const created = await ask(stage.server, 'POST', '/api/v1/sessions', { title: 'A picture of the shop' });
    const { data } = await created.json();
    const { page } = await stage.person();
    await openPalette(page);
    await page.keyboard.type('picture shop');
    await chosen(page).filter({ hasText: 'A picture of the shop' }).waitFor();
    await page.keyboard.press('Enter');
    await isAt(page, `#/chat/${data}`);
    await closed(page);
    await openPalette(page);
    await page.keyboard.type('till xyz');
    await rows(page).last().filter({ hasText: 'till xyz' }).click();
    await isAt(page, '#/search?q=till');
    assert.equal(await page.locator('[data-test=search-text]').inputValue(), 'till xyz');
  }),
);

test(
  'actions: the theme, the language, signing out',
  staged(async (stage) => {
    const { page } = await stage.person();
    await openPalette(page);
    await page.keyboard.type('dark');
    await page.keyboard.press('Enter');
    await page.locator('html[data-theme=dark]').waitFor({ state: 'attached' });
    await closed(page);
    await openPalette(page);
    await page.keyboard.type('chinese');
    await page.keyboard.press('Enter');
    await page.locator('html[lang=zh-CN]').waitFor({ state: 'attached' });
    await closed(page);
    await openPalette(page);
    await page.keyboard.type('tuichu');
    await page.keyboard.press('Enter');
    await page.locator('[data-test=sign-in]').waitFor();
  }),
);

test(
  'everything is marked as read',
  staged(async (stage) => {
    const { page } = await stage.person();
    await page.locator('[data-test=nav-settings]').click();
    await page.locator('[data-test=nickname]').waitFor();
    const agent = await stage.agent();
    // Not answered: it ends with its agent.
    agent.ask('Which colour has the gate?').catch(() => undefined);
    await page.locator('[data-test=nav-inbox] .count').waitFor();
    await openPalette(page);
    await page.keyboard.type('mark everything');
    await chosen(page).filter({ hasText: 'Mark everything as read' }).waitFor();
    await page.keyboard.press('Enter');
    await closed(page);
    await openPalette(page);
    await page.keyboard.type('mark everything');
    await page.locator('[data-test=palette-none]').waitFor();
  }),
);

test(
  'g and a letter jump, / searches, ? lists the keys',
  staged(async (stage) => {
    const { page } = await stage.person();
    for (const [letter, hash] of [
      ['r', '#/runs'],
      ['c', '#/chat'],
      ['s', '#/studies'],
      ['p', '#/people'],
      ['t', '#/statistics'],
      [',', '#/settings'],
      ['i', '#/inbox'],
    ]) {
      await settled(page); // a page that opens may give a field the focus
      await leaveField(page);
      await page.keyboard.press('g');
      await page.keyboard.press(letter);
      await isAt(page, hash);
    }
    await settled(page);
    await leaveField(page);
    await page.keyboard.press('/');
    await isAt(page, '#/search');
    await until(
      () => page.evaluate(() => document.activeElement?.getAttribute('data-test') === 'search-text'),
      'the search field has the focus',
    );
    await leaveField(page);
    await page.keyboard.press('?');
    const sheet = page.locator('[data-test=keys]');
    await sheet.waitFor();
    assert.match(await sheet.locator('section').first().innerText(), /this page/i);
    for (const words of ['Everywhere', 'Inbox', 'Chat', 'Replay'])
      assert.match(await sheet.innerText(), new RegExp(words));
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
  }),
);

test(
  'single keys do nothing while a person types or composes',
  staged(async (stage) => {
    const agent = await stage.agent();
    agent.ask('Which colour has the door?').catch(() => undefined);
    const person = await stage.person();
    const { page } = person;
    const field = person.card('Which colour').locator('[data-test=answer-field]');
    await field.click();
    await page.keyboard.type('g r ? /');
    assert.equal(await field.inputValue(), 'g r ? /');
    assert.match(page.url(), /#\/inbox/);
    assert.equal(await page.locator('[data-test=keys]').count(), 0);
    await leaveField(page);
    await page.evaluate(() => {
      for (const key of ['g', 'r', '?'])
        document.body.dispatchEvent(
          new KeyboardEvent('keydown', { key, isComposing: true, bubbles: true, cancelable: true }),
        );
    });
    await page.keyboard.press('Control+k');
    await palette(page).waitFor();
    assert.match(page.url(), /#\/inbox/);
    assert.equal(await page.locator('[data-test=keys]').count(), 0);
    // Enter that ends a composition opens nothing.
    await page.locator('[data-test=palette-field]').fill('runs');
    await page.locator('[data-test=palette-field]').dispatchEvent('keydown', { key: 'Enter', isComposing: true });
    assert.equal(await palette(page).count(), 1);
    assert.match(page.url(), /#\/inbox/);
  }),
);

test(
  'on a phone the palette is a sheet at the bottom, opened by a button',
  staged(async (stage) => {
    const { page } = await stage.person(undefined, kPhone);
    await page.locator('[data-test=open-more]').click();
    await page.locator('[data-test=open-palette-phone]').click();
    await palette(page).waitFor();
    await until(async () => {
      const box = await palette(page).boundingBox();
      return box.x === 0 && box.width === kPhone.width && Math.round(box.y + box.height) === kPhone.height;
    }, 'the sheet lies at the bottom, as wide as the phone');
    await rows(page).filter({ hasText: 'Statistics' }).click();
    await isAt(page, '#/statistics');
  }),
);
