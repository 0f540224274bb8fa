// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildHost, HeadlessHosts } from './lib/booking.js';
import { Participant } from './lib/participant.js';
import { RuleAgent } from './lib/rule_agent.js';
import { Server } from './lib/server.js';

const kStages = ['movie', 'theater', 'date', 'time', 'seat', 'ticket', 'confirm'];

// A test function with a server; everything that it starts is ended afterwards.
const served = (play) => async () => {
  const server = new Server();
  const ends = [() => server.end()];
  try {
    await server.start();
    await play(server, (end) => ends.unshift(end));
  } finally {
    for (const end of ends) await end();
  }
};

// The agent books, ends its study and leaves; nobody helps it.
async function ends(server, agent) {
  const { bookingId, study } = await agent.ended;
  assert.match(bookingId, /./);
  assert.deepEqual(agent.stages, kStages);
  const headers = { Authorization: `Bearer ${server.token}` };
  const { end_reason: reason } = await (await fetch(`${server.url}/v1/studies/${study}`, { headers })).json();
  assert.equal(reason, 'booking-complete');
}

test(
  'an agent waiting for pushes after its snapshot books at the page',
  served(async (server, later) => {
    const ann = await Participant.open(server, '#/host');
    later(() => ann.close());
    await ann.stage('movie').waitFor();
    const agent = await RuleAgent.start(server);
    later(() => agent.end());
    await ends(server, agent);
  }),
);

test(
  'the same agent books with the headless host',
  served(async (server, later) => {
    buildHost();
    const host = await HeadlessHosts.start(server, 'rule', 1);
    later(() => host.end());
    const agent = await RuleAgent.start(server, 'rule-1');
    later(() => agent.end());
    await ends(server, agent);
  }),
);
