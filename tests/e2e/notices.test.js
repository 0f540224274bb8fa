// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Notices: cards that nobody waits for. They stay until they are dismissed or a newer one takes their place.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from './lib/person.js';
import { post } from './lib/reading.js';
import { staged } from './lib/stage.js';

const notice = (stage, kind, title, more = {}) =>
  post(stage.server, '/v1/notices', { kind, title, agent_name: 'Coder', project_directory: '/src/shop', ...more });
const card = (page, text) => page.locator('[data-test=notice-card]').filter({ hasText: text });

test(
  'a notice says what the agent does, is replaced, and is dismissed',
  staged(async (stage) => {
    const { page } = await stage.person();
    await notice(stage, 'waiting', 'Waits for a permission', { replace: 'session 1' });
    await card(page, 'Coder waits for you').getByText('Waits for a permission').waitFor();
    await notice(stage, 'failed', 'The build failed', { text: '`make` ended with **2**', replace: 'session 1' });
    const failed = card(page, 'Coder has failed');
    await failed.locator('strong', { hasText: '2' }).waitFor();
    await card(page, 'Coder waits for you').waitFor({ state: 'detached' });
    await page.locator('[data-test=closed-card]').getByText('Replaced by a newer one').waitFor();
    assert.equal(await failed.locator('[data-test=answer-field]').count(), 0, 'nobody reads an answer');

    await page.reload();
    await failed.waitFor();
    await page.evaluate(() => document.activeElement?.blur());
    await page.keyboard.press('j'); // chooses the card; Enter goes to its button
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page
      .locator('[data-test=closed-card]')
      .filter({ hasText: 'The build failed' })
      .getByText('Seen')
      .first()
      .waitFor();
    await until(async () => !/\d/.test(await page.title()), 'nothing waits');
  }),
);

test(
  'a notice outlives a kill of the server',
  staged(async (stage) => {
    const person = await stage.person();
    await notice(stage, 'done', 'All tests pass');
    await card(person.page, 'Coder is done').waitFor();
    await stage.server.kill();
    await stage.server.start();
    await person.untilOnline();
    await card(person.page, 'Coder is done').locator('[data-test=dismiss]').click();
    await card(person.page, 'Coder is done').waitFor({ state: 'detached' });
  }),
);
