// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Agents and people on other nodes than the home of their workspace.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cluster } from './lib/cluster.js';
import { inTime } from './lib/stage.js';

const clustered = (play) => async () => {
  const cluster = await Cluster.start();
  try {
    await inTime(() => play(cluster));
  } finally {
    await inTime(() => cluster.end());
  }
};

test(
  'an agent on one node is answered by a person on another, through the home, also after its death',
  clustered(async (cluster) => {
    const [a, b, home] = cluster.nodes;
    const token = await cluster.tokenAt(home);
    const person = await cluster.person(b, token);
    const agent = await cluster.agent(a, token);
    const first = agent.ask('Which node are you on?');
    await person.card('Which node are you on?').waitFor();
    await person.answer('Which node are you on?', 'Another one.');
    assert.equal(await first, 'Another one.');
    assert.ok((await home.gauge('parley_link_connections')) > 0, 'the page is passed on');
    const second = agent.ask('What survives?');
    await person.card('What survives?').waitFor();
    await home.kill();
    await cluster.settled([a, b]);
    await person.untilOnline();
    await person.card('What survives?').waitFor();
    await person.answer('What survives?', 'The question does.');
    assert.equal(await second, 'The question does.');
    await person.closedCard('What survives?').waitFor();
    await home.start();
  }),
);
