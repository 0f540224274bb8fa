// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from './lib/person.js';
import { staged } from './lib/stage.js';

test(
  'a question is answered in the browser, and the agent is told',
  staged(async (stage) => {
    const person = await stage.person();
    const agent = await stage.agent();
    const answer = agent.ask('Shall the shop open on Sunday?');
    await person.card('Shall the shop open on Sunday?').waitFor();
    await person.answer('Shall the shop open on Sunday?', 'Yes, from ten to four.');
    assert.equal(await answer, 'Yes, from ten to four.');
    await person.closedCard('Shall the shop open on Sunday?').waitFor();
  }),
);

test(
  'a finished task is confirmed in the browser; the agent is told',
  staged(async (stage) => {
    const person = await stage.person();
    const agent = await stage.agent();
    const feedback = agent.finish('The till now prints receipts.');
    await person.taskCard('The till now prints receipts.').waitFor();
    await person.confirm('The till now prints receipts.', 'Thank you. The next one is the scale.');
    assert.equal(await feedback, 'Thank you. The next one is the scale.');
  }),
);

test(
  'two questions of one agent are answered in reverse order',
  staged(async (stage) => {
    const person = await stage.person();
    const agent = await stage.agent();
    const first = agent.ask('Which colour has the door?');
    await person.card('Which colour has the door?').waitFor();
    const second = agent.ask('Which colour has the roof?');
    await person.card('Which colour has the roof?').waitFor();
    await person.answer('Which colour has the roof?', 'red');
    assert.equal(await second, 'red');
    await person.answer('Which colour has the door?', 'green');
    assert.equal(await first, 'green');
  }),
);

test(
  'an unseen question waits until a page is opened',
  staged(async (stage) => {
    const agent = await stage.agent();
    const answer = agent.ask('Is anybody at home?');
    await until(async () => (await stage.server.pending()).length === 1, 'the question is pending');
    const person = await stage.person();
    await person.card('Is anybody at home?').waitFor();
    await person.answer('Is anybody at home?', 'I am back.');
    assert.equal(await answer, 'I am back.');
  }),
);

test(
  'the token leaves the address bar, and reloading keeps the open question',
  staged(async (stage) => {
    const person = await stage.person();
    const agent = await stage.agent();
    const answer = agent.ask('Still there after a reload?');
    await person.card('Still there after a reload?').waitFor();
    await until(() => !person.page.url().includes(stage.server.token), 'the token is not in the address');
    await person.page.reload();
    await person.untilOnline();
    await person.card('Still there after a reload?').waitFor();
    await person.answer('Still there after a reload?', 'Still here.');
    assert.equal(await answer, 'Still here.');
  }),
);

test(
  'text of an agent cannot run in the page',
  staged(async (stage) => {
    const person = await stage.person();
    const agent = await stage.agent();
    const question = 'Evil? <img src=x onerror="window.evil=1"> [click](javascript:window.evil=2) **bold**';
    const answer = agent.ask(question);
    await person.card('Evil?').waitFor();
    assert.equal(await person.card('Evil?').locator('strong').innerText(), 'bold');
    assert.equal(await person.page.evaluate(() => window.evil), undefined);
    assert.equal(await person.page.locator('[onerror], a[href^="javascript:"]').count(), 0);
    await person.answer('Evil?', 'no');
    assert.equal(await answer, 'no');
  }),
);

test(
  'the demo shows the loop without an agent',
  staged(async (stage) => {
    const person = await stage.person();
    await person.page.locator('[data-test=demo]').first().click();
    const card = person.page.locator('[data-test=question-card]').first();
    await card.waitFor();
    await card.locator('[data-test=answer-field]').first().fill('Nice.');
    await card.locator('[data-test=send]').click();
    await person.page.locator('[data-test=agent-received]').waitFor();
  }),
);
