// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Several waiting questions, one after the other; and what the inbox shows beside questions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settled } from './lib/pages.js';
import { until } from './lib/person.js';
import { staged } from './lib/stage.js';

const part = (page, name) => page.locator(`[data-test=${name}]`);
const kBefore = 'Merry Otter 20'; // a random name that an earlier version had stored

async function api(stage, path, body) {
  const answer = await fetch(`${stage.server.url}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { Authorization: `Bearer ${stage.server.token}`, 'Content-Type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  const text = await answer.text();
  assert.ok(answer.ok, text);
  return JSON.parse(text);
}
const ask = (stage, key, agent, project = '/src/till') =>
  api(stage, '/v1/interactions', {
    key,
    prompt: { text: `Question ${key}`, agent_name: agent, project_directory: project },
  });
const picture = async (page, name) =>
  process.env.PARLEY_PICTURES && page.screenshot({ path: `${process.env.PARLEY_PICTURES}/${name}.png` });

test(
  'only what waits is shown, until all is caught up',
  staged(async (stage) => {
    await stage.server.settle('An old matter', 'Done.');
    await ask(stage, 'one', 'Coder');
    const person = await stage.person();
    const { page } = person;
    await person.closedCard('An old matter').waitFor();
    await part(page, 'inbox-waiting').click();
    await person.closedCard('An old matter').waitFor({ state: 'detached' });
    assert.deepEqual(
      await part(page, 'conversation')
        .filter({ hasNotText: 'Everything' })
        .allInnerTexts()
        .then((all) => all.map((words) => words.split('\n')[0])),
      ['Coder'],
    );
    await picture(page, 'waiting-only');
    await page.reload();
    await page.locator('[data-card=one]').waitFor();
    assert.equal(await person.closedCard('An old matter').count(), 0, 'a reload keeps the choice');
    await person.answer('Question one', 'Yes.');
    await part(page, 'nothing-waits').waitFor();
    await part(page, 'setup-agents')
      .locator('li')
      .filter({ hasText: 'Coder' })
      .locator('[data-test=last-seen]')
      .filter({ hasText: 'Last seen' })
      .waitFor();
    await picture(page, 'caught-up');
    await part(page, 'show-all').click();
    await person.closedCard('An old matter').waitFor();
  }),
);

test(
  'the next question comes by itself after the last decision of a conversation',
  staged(async (stage) => {
    await ask(stage, 'here', 'Coder');
    await ask(stage, 'oldest', 'Tester', '/src/shop');
    await ask(stage, 'newest', 'Writer', '/src/book');
    const person = await stage.person();
    const { page } = person;
    await part(page, 'conversation').filter({ hasText: 'Coder' }).click();
    await page.locator('[data-card=oldest]').waitFor({ state: 'detached' });
    await person.answer('Question here', 'Yes.');
    await until(
      () =>
        page
          .locator('[data-card=oldest]')
          .evaluate((it) => it === document.activeElement)
          .catch(() => false),
      'the next one has the focus',
    );
    assert.equal(await page.locator('[data-card=newest]').count(), 0);
  }),
);

test(
  'an answer has the name of the token, and a nickname only if it was set',
  staged(async (stage) => {
    const token = await stage.server.createToken("Ann's phone");
    const whoAnswered = async (key) => {
      const headers = { Authorization: `Bearer ${token}` };
      return (await (await fetch(`${stage.server.url}/v1/interactions/${key}`, { headers })).json()).outcome.nickname;
    };
    const asked = async (key) => {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
      assert.equal(
        (
          await fetch(`${stage.server.url}/v1/interactions`, {
            method: 'POST',
            headers,
            body: JSON.stringify({ key, prompt: { text: `Question ${key}` } }),
          })
        ).status,
        201,
      );
    };
    const person = await stage.person(token);
    const { page } = person;
    await page.evaluate((nickname) => localStorage.setItem('parley.settings', JSON.stringify({ nickname })), kBefore);
    await page.reload();
    await person.untilOnline();
    await asked('first');
    await person.answer('Question first', 'Yes.');
    await page.locator('[data-card=first][data-state=answered]').waitFor();
    assert.equal(await whoAnswered('first'), "Ann's phone");
    await person.setNickname('Ann');
    await asked('second');
    await person.answer('Question second', 'Yes.');
    await page.locator('[data-card=second][data-state=answered]').waitFor();
    assert.equal(await whoAnswered('second'), 'Ann');
  }),
);

test(
  'the history says what was decided, by whose token and on which way',
  staged(async (stage) => {
    const { token } = await api(stage, '/v1/tokens', {
      name: "Ann's phone",
      rights: ['answer', 'read'],
      same_workspace: true,
    });
    const choices = ['Allow once', 'Always 1', 'Deny'].map((label) => ({
      label,
      description: label === 'Always 1' ? 'Bash(npm test), for all projects' : '',
    }));
    const decided = async (key, text) => {
      const prompt = {
        text: `Run ${key}?`,
        project_directory: '/src/till',
        agent_name: 'Coder',
        questions: [{ text: `Run ${key}?`, header: 'Bash', choices, custom: true }],
      };
      await api(stage, '/v1/interactions', { key, prompt });
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
      assert.equal(
        (
          await fetch(`${stage.server.url}/v1/interactions/${key}/answer`, {
            method: 'POST',
            headers,
            body: JSON.stringify({ text }),
          })
        ).status,
        200,
      );
    };
    await decided('one', 'Allow once');
    await decided('two', 'Always 1');
    await decided('three', 'Deny');
    const { page } = await stage.person();
    const card = (key) => page.locator(`[data-card=${key}]`);
    await card('one')
      .filter({ hasText: "Ann's phone · API" })
      .filter({ hasText: 'till · Coder' })
      .and(page.locator('[data-fate="card.allowed"]'))
      .waitFor();
    await card('two')
      .filter({ hasText: 'Bash(npm test), for all projects' })
      .and(page.locator('[data-fate="card.allowedAlways"]'))
      .waitFor();
    await card('three').filter({ hasText: 'Deny' }).and(page.locator('[data-fate="card.denied"]')).waitFor();
    await picture(page, 'decided');
  }),
);

test(
  'a page that is opened while the server is down says so, and opens when it is back',
  staged(async (stage) => {
    const person = await stage.person();
    const { page } = person;
    await page.waitForFunction(
      () => navigator.serviceWorker.controller !== null || navigator.serviceWorker.ready.then(() => true),
    );
    await settled(page);
    await page.reload();
    await person.untilOnline();
    await stage.server.kill();
    const tab = await person.newTab();
    await tab.goto(`${stage.server.url}/?token=${stage.server.token}`);
    await part(tab, 'no-server').waitFor();
    await picture(tab, 'no-server');
    await stage.server.start();
    await part(tab, 'empty').waitFor();
  }),
);

test(
  'an unknown address has a page in the style of the others',
  staged(async (stage) => {
    const { page } = await stage.person();
    const answer = await page.goto(`${stage.server.url}/no/such/page`);
    assert.equal(answer.status(), 404);
    assert.equal(await page.locator('h1').innerText(), 'Page not found');
    assert.equal(
      await page.locator('body').evaluate((it) => getComputedStyle(it).display),
      'grid',
      'the style is loaded',
    );
    await picture(page, 'not-found');
    await page.locator('a').click();
    await page.locator('[data-test=strip][data-phase=online]').waitFor();
  }),
);

test(
  'a session of a study that is not here says so',
  staged(async (stage) => {
    const { page } = await stage.person();
    await page.goto(`${stage.server.url}/#/studies/no-such-session`);
    await part(page, 'unknown-study').filter({ hasText: 'no-such-session' }).waitFor();
  }),
);

test(
  'an empty inbox shows the agents of the computer, as they are set up',
  staged(async (stage) => {
    const person = await stage.person();
    const { page } = person;
    let claude = 'absent';
    await page.route('**/v1/setup', (route) =>
      route.fulfill({
        json: {
          command: 'parley setup',
          agents: [
            { word: 'claude', title: 'Claude Code', state: claude, asks: claude === 'ready' ? 'always' : null },
            { word: 'codex', title: 'Codex CLI', state: 'ready', asks: 'somebody' },
          ],
        },
      }),
    );
    await page.reload();
    const row = page.locator('[data-test=setup-agents] li').first();
    await row.filter({ hasText: 'Not set up' }).waitFor();
    assert.equal(await row.locator('[data-test=asks]').count(), 0);
    await page
      .locator('[data-test=setup-agents] li')
      .nth(1)
      .filter({ hasText: 'Asks here if somebody is there' })
      .waitFor();
    await page.getByText('parley setup claude', { exact: true }).waitFor();
    await picture(page, 'empty-inbox');
    claude = 'ready';
    await row
      .filter({ hasText: 'Ready' })
      .filter({ hasText: 'Has not asked yet' })
      .filter({ hasText: 'Always asks here' })
      .waitFor();
    await page.setViewportSize({ width: 375, height: 812 });
    await picture(page, 'empty-inbox-phone');
    await part(page, 'setup-words').filter({ hasText: 'appears here by itself' }).waitFor();
    assert.equal(await page.getByText('parley setup').count(), 0, 'no command is left');
  }),
);

test(
  'the server tells who may administrate it of its agents, and nobody else',
  staged(async (stage) => {
    const at = (token) => fetch(`${stage.server.url}/v1/setup`, { headers: { Authorization: `Bearer ${token}` } });
    const { agents, command } = await (await at(stage.server.token)).json();
    assert.match(command, / setup$/);
    assert.ok(Array.isArray(agents));
    const { token } = await api(stage, '/v1/tokens', { name: 'phone', rights: ['answer', 'read'] });
    assert.equal((await at(token)).status, 403);
    const { page } = await stage.person(token);
    await page.getByText('parley setup --all').waitFor();
    assert.equal(await part(page, 'setup-agents').count(), 0);
  }),
);
