// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { BookingAgent, kStages, Participant } from './lib/participant.js';
import { until } from './lib/person.js';
import { Server } from './lib/server.js';

const kPace = ['--pace', '250']; // ms between two steps of the agent, so that a person has time to write

// A test function that runs `play` with its own server; the server, pages and agents are ended afterwards.
const played =
  (play, prepare = () => undefined) =>
  async () => {
    const server = new Server();
    prepare(server);
    const people = [];
    const agents = [];
    const house = {
      server,
      participant: async (path = '#/host') => {
        people.push(await Participant.open(server, path));
        return people.at(-1);
      },
      agent: (...options) => {
        agents.push(BookingAgent.start(server, ...options));
        return agents.at(-1);
      },
    };
    try {
      await server.start();
      await play(house);
    } finally {
      for (const agent of agents) await agent.end();
      for (const person of people) await person.close();
      await server.end();
    }
  };

// The records of all studies so far, read from their log files.
function records(server) {
  const folder = join(server.data, 'logs', 'study');
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .sort();
  return files.map((name) =>
    readFileSync(join(folder, name), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  );
}

async function bookingsOf(server, id) {
  const response = await fetch(`${server.url}/v1/booking/bookings/${id}`);
  assert.equal(response.status, 200);
  return (await response.json()).booking;
}

const seatsOf = (booked) => booked.Seats.split(', ');

test(
  'an agent books seats while the participant changes the wishes by chat',
  played(async ({ server, participant, agent }) => {
    const ann = await participant();
    await ann.stage('movie').waitFor();
    assert.match(await ann.part('agent-indicator').innerText(), /No agent is connected/);
    const helper = agent('--name', 'Seat finder', '--seats', '2', ...kPace);
    await ann.part('agent-indicator').filter({ hasText: 'Seat finder' }).waitFor();

    await ann.reached('theater');
    await ann.say('Three tickets, please, in the evening.');
    await ann.reached('seat');
    await ann.say('The back row would be best.');

    const booked = await ann.booked();
    assert.equal(seatsOf(booked).length, 3, JSON.stringify(booked));
    assert.ok(Number(booked.Time.slice(0, 2)) >= 17, JSON.stringify(booked));
    assert.equal(await helper.ended, 0, helper.said);
    assert.ok((await ann.part('agent-message').count()) > 0, 'the agent explained itself');
    assert.ok((await ann.part('agent-act').count()) > 0, 'its acts are told with their reasons');

    // The booking that the page shows is the one in the backend.
    const number = await ann.page.locator('[data-test="booked"] [title]').last().getAttribute('title');
    const booking = await bookingsOf(server, number.split(' ')[0]);
    assert.equal(booking.status, 'confirmed');
    assert.equal(booking.seats.length, 3);
    assert.deepEqual(booking.seats.map((seat) => seat.split('-').at(-1)).sort(), seatsOf(booked).sort());

    // The log has no gap, the messages of the participant, and a reason for every call.
    const logs = records(server);
    for (const log of logs)
      assert.deepEqual(
        log.map((line) => line.eventIndex),
        log.map((_, index) => index),
      );
    const log = logs.find((lines) => lines.some((line) => line.type === 'session.start'));
    const said = log
      .filter((line) => line.type === 'user.message' && line.direction === 'in')
      .map((line) => line.payload.text);
    assert.deepEqual(said, ['Three tickets, please, in the evening.', 'The back row would be best.']);
    const calls = log.filter((line) => line.type === 'tool.call' && line.direction === 'in');
    assert.ok(calls.length > 10, `${calls.length} calls`);
    assert.deepEqual(
      calls.filter((line) => !line.payload.reason),
      [],
    );
  }),
);

test(
  'a participant undoes acts of the agent and books alone',
  played(async ({ participant, agent }) => {
    const ann = await participant();
    await ann.stage('movie').waitFor();
    const helper = agent('--seats', '2', ...kPace);
    await ann.page.locator('[data-test="stage"]:not([data-stage="movie"])').waitFor();
    await ann.say('stop');
    await ann.part('agent-message').filter({ hasText: /./ }).last().waitFor();
    await helper.end();
    await ann.part('agent-indicator').filter({ hasText: 'No agent is connected' }).waitFor();

    const now = () => ann.part('stage').getAttribute('data-stage');
    while ((await now()) !== 'confirm') {
      const stage = await now();
      await ann.stage(stage).waitFor();
      for (const undo of await ann.page.locator('[data-undo]:not([data-undo="all"])').all()) await undo.click();
      const chosen = await ann.page.locator('[data-rove][aria-pressed="true"]').count();
      if (stage === 'ticket') while (await ann.part('plus').first().isEnabled()) await ann.part('plus').first().click();
      else if (chosen === 0) await ann.page.locator('[data-rove]:not([aria-disabled="true"])').last().click();
      await until(() => ann.part('next').isEnabled(), `next at ${stage}`);
      await ann.part('next').click();
      await ann.stage(kStages[kStages.indexOf(stage) + 1]).waitFor();
    }
    assert.equal(await ann.page.locator('[data-change]').count(), 0);
    await ann.part('next').click();
    assert.ok(seatsOf(await ann.booked()).length > 0);
  }),
);

test(
  'a second window waits, and takes over only on request',
  played(async ({ participant, agent }) => {
    const first = await participant();
    await first.page.locator('[data-test="host-page"][data-line="joined"]').waitFor();
    const second = await participant();
    await second.page.locator('[data-test="line-notice"][data-line="occupied"]').waitFor();
    await second.part('take-over').click();
    await second.part('take-over-sure').click();
    await second.page.locator('[data-test="host-page"][data-line="joined"]').waitFor();
    await first.page.locator('[data-test="line-notice"][data-line="replaced"]').waitFor();
    // During a whole booking the first window does not rejoin and does not change.
    const helper = agent('--seats', '1');
    await second.booked();
    assert.equal(await helper.ended, 0, helper.said);
    assert.equal(first.frames.filter(({ text }) => text.includes('"relay.join"')).length, 1);
    assert.equal(await first.part('stage').getAttribute('data-stage'), 'movie');
    await first.part('take-over').waitFor();
  }),
);

test(
  'the page reconnects after a killed server with the booking intact',
  played(async ({ server, participant }) => {
    const ann = await participant();
    await ann.stage('movie').waitFor();
    await ann.page.locator('[data-rove]').first().click();
    await ann.part('next').click();
    await ann.stage('theater').waitFor();
    await server.kill();
    await ann.page.locator('[data-test="line-notice"][data-line="waiting"]').waitFor();
    await server.start();
    await ann.page.locator('[data-test="host-page"][data-line="joined"]').waitFor();
    assert.equal(await ann.part('stage').getAttribute('data-stage'), 'theater');
  }),
);

test(
  'hidden fields of the page never cross the relay',
  played(async ({ server, participant, agent }) => {
    const ann = await participant();
    await ann.stage('movie').waitFor();
    const helper = agent('--seats', '2');
    await ann.part('booked').waitFor();
    await helper.ended;
    const { theaters } = await (await fetch(`${server.url}/v1/booking/theaters`)).json();
    const { movies } = await (await fetch(`${server.url}/v1/booking/movies`)).json();
    assert.ok('screenCount' in theaters[0] && 'releaseDate' in movies[0], 'the backend knows more than the page shows');
    const sent = ann.frames.filter((frame) => frame.direction === 'out').map((frame) => frame.text);
    assert.ok(sent.length > 20, `${sent.length} frames`);
    for (const hidden of ['backendData', 'screenCount', 'releaseDate', 'screenNumber', 'guest@example.com']) {
      assert.equal(sent.filter((text) => text.includes(hidden)).length, 0, hidden);
    }
  }),
);

const kKit = `
[[study]]
id = "pilot"
title = "Booking with an agent"
consent = "You book seats on this page. **Nothing is sold.**"
end = "That was all."
seed = 7

[[study.condition]]
id = "no-filters"
tools = ["select", "setQuantity", "next", "prev", "postMessage"]

[[study.scenario]]
id = "evening"
title = "An evening out"
instructions = "Find **two seats**."
data = { seed = 3, days = 7 }
`;

function withKit(server) {
  mkdirSync(server.data, { recursive: true, mode: 0o700 });
  writeFileSync(join(server.data, 'studies.toml'), kKit);
}

test(
  'a participant goes from consent to thanks; the log records each step',
  played(async ({ server, participant, agent }) => {
    const ann = await participant('#/study/pilot?participant=P07');
    await ann.part('consent').getByText('Nothing is sold.').waitFor();
    assert.equal(await ann.part('begin').isEnabled(), false);
    await ann.part('agree').check();
    await ann.part('begin').click();
    await ann.part('task').getByText('two seats').waitFor();
    await ann.part('start').click();
    await ann.stage('movie').waitFor();
    for (const name of ['dev-toggle', 'nav-inbox']) assert.equal(await ann.part(name).count(), 0, name);

    const helper = agent('--session', 'P07', '--study', 'pilot', '--participant', 'P07', ...kPace);
    await ann.reached('theater');
    await ann.page.reload();
    await ann.part('study-booking').waitFor();
    await ann.booked();
    await ann.part('again').click();
    await ann.part('study-end').getByText('That was all.').waitFor();
    const code = await ann.part('completion-code').innerText();
    assert.match(code, /^P07-[0-9A-F]{8}$/);
    await helper.end();

    const all = records(server).flat();
    const offered = all
      .filter((line) => line.type === 'state.updated')
      .flatMap((line) => line.payload.toolSchema ?? line.payload.payload?.toolSchema ?? []);
    assert.deepEqual(
      [...new Set(offered.map((tool) => tool.name))].filter((name) =>
        ['filter', 'sort', 'highlight', 'augment'].includes(name),
      ),
      [],
    );
    const opened = JSON.stringify(all.filter((line) => line.type === 'study.opened'));
    for (const word of ['pilot', 'P07', 'no-filters', 'evening'])
      assert.ok(opened.includes(word), `${word} in ${opened}`);
  }, withKit),
);
