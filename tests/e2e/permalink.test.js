// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { staged } from './lib/stage.js';

const kPhone = { width: 375, height: 740 };

// Asks and answers so many questions, "Old question 0?" first. The question is its key.
async function seed(server, count) {
  for (let number = 0; number < count; number += 1) await server.settle(`Old question ${number}?`, `Answer ${number}`);
}

async function keyOf(server, question) {
  const headers = { Authorization: `Bearer ${server.token}` };
  const { interactions } = await (await fetch(`${server.url}/v1/interactions?state=pending`, { headers })).json();
  return interactions.find((it) => it.prompt.text === question).key;
}

const linkTo = (stage, key) => `${stage.server.url}/#/inbox/item/${encodeURIComponent(key)}`;

test(
  'a link to an old question loads the history and unfolds it',
  staged(async (stage) => {
    await seed(stage.server, 260);
    const person = await stage.person();
    await person.page.goto(linkTo(stage, 'Old question 3?'));
    const card = person.closedCard('Old question 3?');
    await card.locator('[aria-expanded=true]').waitFor();
    await card.getByText('Answer 3', { exact: true }).last().waitFor();
    assert.ok(await card.evaluate((it) => it.getBoundingClientRect().top >= 0));
    // Another link in the same page.
    await person.page.goto(linkTo(stage, 'Old question 250?'));
    await person.closedCard('Old question 250?').locator('[aria-expanded=true]').waitFor();
  }),
);

test(
  'a question copies its link, and the link opens it elsewhere',
  staged(async (stage) => {
    await seed(stage.server, 2);
    const person = await stage.person(undefined, undefined, { permissions: ['clipboard-read', 'clipboard-write'] });
    await person.page.goto(linkTo(stage, 'Old question 1?'));
    await person.closedCard('Old question 1?').getByRole('button', { name: 'Copy link' }).click();
    const link = await person.page.evaluate(() => navigator.clipboard.readText());
    assert.equal(link, linkTo(stage, 'Old question 1?'));
  }),
);

test(
  'a link to an open question activates it; one to no question says so',
  staged(async (stage) => {
    const person = await stage.person();
    const agent = await stage.agent();
    const first = agent.ask('The first of two?');
    await person.card('The first of two?').waitFor();
    const second = agent.ask('The second of two?');
    await person.card('The second of two?').waitFor();
    await person.page.goto(linkTo(stage, await keyOf(stage.server, 'The second of two?')));
    await person.page.locator('[data-test=question-card].active').filter({ hasText: 'The second of two?' }).waitFor();
    await person.page.goto(linkTo(stage, 'nothing'));
    await person.page.locator('[data-test=permalink]').filter({ hasText: 'is not here' }).waitFor();
    await person.answer('The first of two?', 'one');
    await person.answer('The second of two?', 'two');
    assert.deepEqual([await first, await second], ['one', 'two']);
  }),
);

test(
  'on a phone what waits is shown first, and the list is one step back',
  staged(async (stage) => {
    const agent = await stage.agent();
    const answer = agent.ask('Shown first?');
    const person = await stage.person(undefined, kPhone);
    await person.card('Shown first?').waitFor();
    await person.page.getByRole('link', { name: 'Back' }).click();
    await person.page.locator('[data-test=conversation]').first().waitFor();
    await person.page.goBack();
    await person.answer('Shown first?', 'Yes.');
    assert.equal(await answer, 'Yes.');
  }),
);
