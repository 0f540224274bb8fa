// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { staged } from './lib/stage.js';

test(
  'one of two browsers answers, and the other is told',
  staged(async (stage) => {
    const ann = await stage.person();
    const bob = await stage.person();
    await ann.onlineUser().waitFor();
    const agent = await stage.agent();
    const answer = agent.ask('Who is faster?');
    await ann.card('Who is faster?').waitFor();
    await bob.card('Who is faster?').waitFor();
    await ann.answer('Who is faster?', 'Ann was faster.');
    assert.equal(await answer, 'Ann was faster.');
    await bob.closedCard('Who is faster?').waitFor();
    assert.match(await bob.closedCard('Who is faster?').innerText(), /Ann was faster\./);
    assert.equal(await bob.card('Who is faster?').count(), 0);
  }),
);

test(
  'others see who writes an answer, until it is given',
  staged(async (stage) => {
    const ann = await stage.person();
    const bob = await stage.person();
    await ann.onlineUser().waitFor();
    const agent = await stage.agent();
    const answer = agent.ask('Who writes?');
    await bob.card('Who writes?').waitFor();
    const line = bob.card('Who writes?').locator('[data-test=answering]');
    assert.equal(await line.innerText(), '');
    await ann.card('Who writes?').locator('[data-test=answer-field]').fill('I am');
    await line.filter({ hasText: 'is writing an answer' }).waitFor();
    assert.equal(await ann.card('Who writes?').locator('[data-test=answering]').innerText(), '');
    await bob.answer('Who writes?', 'Bob was faster.');
    assert.equal(await answer, 'Bob was faster.');
    await bob.closedCard('Who writes?').waitFor();
  }),
);

test(
  'a click on a nickname in the title bar opens a chat',
  staged(async (stage) => {
    const ann = await stage.person();
    const bob = await stage.person();
    await ann.onlineUser().click();
    // The Enter that accepts the candidate of an input method must not send the message.
    await ann.compose('From the phone');
    assert.equal(await ann.chatLine('From the phone').count(), 0);
    await ann.say('From the phone to the computer.');
    await bob.onlineUser().click();
    await bob.chatLine('From the phone to the computer.').waitFor();
    await bob.say('It has arrived.');
    await ann.chatLine('It has arrived.').waitFor();
  }),
);

test(
  'two tokens see nothing of each other',
  staged(async (stage) => {
    const secondToken = await stage.server.createToken('second');
    const first = await stage.person();
    const second = await stage.person(secondToken);
    const agent = await stage.agent();
    const other = await stage.agent(secondToken);

    const answer = agent.ask('A matter of the first house');
    await first.card('A matter of the first house').waitFor();
    const otherAnswer = other.ask('A matter of the second house');
    await second.card('A matter of the second house').waitFor();

    // A message to the wrong page would have arrived before the ones that both pages show now.
    assert.equal(await second.page.getByText('first house').count(), 0);
    assert.equal(await first.page.getByText('second house').count(), 0);
    assert.equal(await first.onlineUser().count(), 0);
    assert.equal(await second.onlineUser().count(), 0);
    assert.deepEqual(await stage.server.pending(secondToken), ['A matter of the second house']);

    await second.answer('A matter of the second house', 'of the second');
    assert.equal(await otherAnswer, 'of the second');
    await first.answer('A matter of the first house', 'of the first');
    assert.equal(await answer, 'of the first');
    await first.closedCard('A matter of the first house').waitFor();
    assert.equal(await first.page.getByText('of the second').count(), 0);
    assert.equal(await second.page.getByText('of the first').count(), 0);
  }),
);

test(
  'a cancelled question disappears from the open ones',
  staged(async (stage) => {
    const person = await stage.person();
    const agent = await stage.agent();
    const answer = agent.ask('Never mind?').catch((error) => error);
    await person.card('Never mind?').waitFor();
    await agent.end();
    await person.closedCard('Never mind?', 'cancelled').waitFor();
    assert.ok((await answer) instanceof Error);
  }),
);
