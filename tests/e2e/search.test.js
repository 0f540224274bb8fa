// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The search page, on the index of the real server.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atRest, newChat, say } from './lib/chat.js';
import { until } from './lib/person.js';
import { ended, folderOf, start } from './lib/runs.js';
import { staged } from './lib/stage.js';

const part = (page, name) => page.locator(`[data-test=${name}]`);
const results = (page) => part(page, 'result');
const query = (page) => new URLSearchParams(new URL(page.url()).hash.split('?')[1] ?? '');

async function openSearch(page, server, words = '') {
  await page.goto(`${server.url}/#/search${words}`);
  await part(page, 'search-page').waitFor();
}

// Searches until a result has the words: the index follows the events.
async function find(page, text, words) {
  await part(page, 'search-text').fill('');
  await until(async () => {
    await part(page, 'search-text').fill(text);
    await until(() => query(page).get('q') === text, 'the words are in the address');
    await page.locator('[data-test=search-page][data-phase=ready]').waitFor();
    if ((await results(page).filter({ hasText: words }).count()) > 0) return true;
    await part(page, 'search-text').fill('');
    await until(() => query(page).get('q') === null, 'the address is empty');
    return false;
  }, `"${text}" finds "${words}"`);
}

test(
  'questions and answers are found, Chinese too, with the words marked',
  staged(async (stage) => {
    await stage.server.settle('Shall the till open on Sunday?', 'From ten to four, said Grace.');
    await stage.server.settle('今天部署新的商店吗？', '明天再部署。');
    const { page } = await stage.person();
    await openSearch(page, stage.server);
    await find(page, 'till', 'Shall the till open');
    assert.ok((await results(page).first().locator('mark').allInnerTexts()).some((text) => /till/i.test(text)));
    assert.match(await results(page).first().innerText(), /Answered/);
    await find(page, 'Grace', 'Shall the till open');
    await find(page, '部署', '今天部署新的商店吗');
    const link = await results(page).first().getAttribute('href');
    assert.match(link, /^#\/inbox\/item\/.+/);
  }),
);

test(
  'filters narrow the results and live in the address',
  staged(async (stage) => {
    await stage.server.settle('Shall the till open on Sunday?', 'Yes.');
    const agent = await stage.agent();
    agent.ask('Shall the till open on Monday?', { agent_name: 'Coder' }).catch(() => undefined);
    await until(async () => (await stage.server.pending()).length === 1, 'one question waits');
    const { page } = await stage.person();
    await openSearch(page, stage.server);
    await find(page, 'till', 'on Monday');
    await until(async () => (await results(page).count()) === 2, 'both are found');
    await part(page, 'search-state').selectOption('pending');
    await until(async () => (await results(page).count()) === 1, 'only the open one is left');
    assert.match(await results(page).innerText(), /Monday/);
    assert.equal(query(page).get('state'), 'pending');
    await page.reload();
    await until(async () => (await results(page).count()) === 1, 'the address keeps the filter');
    assert.equal(await part(page, 'search-state').inputValue(), 'pending');
    await part(page, 'kind-run').click();
    await part(page, 'search-none').waitFor();
    await part(page, 'clear-filters').click();
    await until(async () => (await results(page).count()) === 2, 'without filters both are found');
    assert.equal(query(page).get('q'), 'till');
    await part(page, 'search-agent').fill('Coder');
    await until(
      async () => (await results(page).count()) === 1 && query(page).get('agent') === 'Coder',
      'only the question of Coder is left',
    );
  }),
);

test(
  'older results follow, page by page, each once',
  staged(async (stage) => {
    for (let at = 1; at <= 25; at += 1) await stage.server.settle(`Is drawer ${at} of the cupboard empty?`, 'Yes.');
    const { page } = await stage.person();
    await openSearch(page, stage.server);
    await find(page, 'cupboard', 'drawer 25');
    assert.equal(await results(page).count(), 20);
    await part(page, 'search-more').click();
    await until(async () => (await results(page).count()) === 25, 'all are shown');
    assert.equal(await part(page, 'search-more').count(), 0);
    const keys = await results(page).evaluateAll((links) => links.map((link) => link.dataset.key));
    assert.equal(new Set(keys).size, 25);
  }),
);

test(
  'runs and chats are found, and arrow keys move through the results',
  staged(async (stage) => {
    const folder = folderOf(stage, { 'notes.txt': 'The weathercock turns.\n' });
    const { page } = await stage.person();
    await start(page, { folder, message: 'read the file notes.txt about the weathercock' });
    await ended(page, 'finished');
    await newChat(page, stage.server);
    await say(page, 'Paint a weathercock in the rain');
    await atRest(page);
    await openSearch(page, stage.server);
    await find(page, 'weathercock', 'Paint a weathercock');
    await until(async () => (await results(page).count()) === 2, 'the run and the chat are found');
    assert.deepEqual((await results(page).evaluateAll((links) => links.map((link) => link.dataset.kind))).sort(), [
      'chat',
      'run',
    ]);
    await part(page, 'kind-run').click();
    await until(async () => (await results(page).count()) === 1, 'only the run is left');
    await part(page, 'search-text').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.locator('[data-test=run-page][data-state=finished]').waitFor();
    await page.goBack();
    await until(async () => (await results(page).count()) === 1, 'going back keeps the search');
    await part(page, 'kind-run').click();
    await part(page, 'kind-chat').click();
    await results(page).filter({ hasText: 'Paint a weathercock' }).click();
    await page.locator('[data-test=chat-page]').getByText('Paint a weathercock in the rain').first().waitFor();
  }),
);

test(
  'an empty search teaches, nothing found says so, a failure has its sentence',
  staged(async (stage) => {
    const { page } = await stage.person();
    await openSearch(page, stage.server);
    await page.locator('[data-test=search-page][data-phase=idle]').waitFor();
    assert.match(await page.locator('main').innerText(), /Type a few words/);
    await part(page, 'search-text').fill('nowhere-to-be-found');
    await part(page, 'search-none').waitFor();
    await page.route('**/v1/search?*', (route) => route.abort(), { times: 1 });
    await part(page, 'search-text').fill('another');
    await page.locator('[data-test=search-page][data-phase=failed]').waitFor();
    assert.match(await page.locator('main').innerText(), /not reachable/);
    await part(page, 'search-retry').click();
    await page.locator('[data-test=search-page][data-phase=ready]').waitFor();
  }),
);
