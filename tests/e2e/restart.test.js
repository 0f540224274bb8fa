// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { staged } from './lib/stage.js';

test(
  'a server killed during an open question loses nothing',
  staged(async (stage) => {
    const person = await stage.person();
    const agent = await stage.agent();
    const answer = agent.ask('What survives?');
    await person.card('What survives?').waitFor();
    await stage.server.kill();
    await person.untilOffline();
    await stage.server.start();
    await person.untilOnline();
    await person.card('What survives?').waitFor();
    await person.answer('What survives?', 'The question does.');
    assert.equal(await answer, 'The question does.');
    await person.closedCard('What survives?').waitFor();
  }),
);

test(
  'an answer written during an outage is sent afterwards',
  staged(async (stage) => {
    const person = await stage.person();
    const agent = await stage.agent();
    const answer = agent.ask('Can you hear me?');
    await person.card('Can you hear me?').waitFor();
    await stage.server.kill();
    await person.untilOffline();
    await person.answer('Can you hear me?', 'In a moment.');
    await stage.server.start();
    assert.equal(await answer, 'In a moment.');
    await person.closedCard('Can you hear me?').waitFor();
  }),
);

test(
  'the history survives a restart',
  staged(async (stage) => {
    const person = await stage.person();
    const agent = await stage.agent();
    const answer = agent.ask('What was before?');
    await person.card('What was before?').waitFor();
    await person.answer('What was before?', 'Something.');
    assert.equal(await answer, 'Something.');
    await stage.server.kill();
    await stage.server.start();
    const later = await stage.person();
    await later.closedCard('What was before?').waitFor();
  }),
);
