// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Bookings, sequential and concurrent, without a browser: hosts and agents on the real server.
// PARLEY_BOOKINGS sets their number; `make bookings` runs 500.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { book, buildHost, HeadlessHosts, readBooking } from './lib/booking.js';
import { Server } from './lib/server.js';

const count = Number(process.env.PARLEY_BOOKINGS ?? 25);
const sideBySide = Math.min(8, count);
const seatsEach = 2;
const server = new Server();
let hosts;

before(async () => {
  buildHost();
  await server.start();
  hosts = await HeadlessHosts.start(server, 'many', sideBySide);
});

after(async () => {
  await hosts?.end();
  await server.end();
});

test(`${count} bookings by tools alone succeed, and no seat is sold twice`, { timeout: 1_200_000 }, async () => {
  const outcomes = [];
  let next = 0;
  const work = async (session) => {
    while (next < count) {
      const participant = `P${(next += 1)}`;
      outcomes.push(await book(server, session, { seats: seatsEach, participant }));
    }
  };
  await Promise.all(Array.from({ length: sideBySide }, (_, index) => work(`many-${index + 1}`)));
  const sold = new Set();
  for (const outcome of outcomes) {
    assert.equal(outcome.code, 0, outcome.lines.join('\n'));
    const booking = await readBooking(server, outcome.booking);
    assert.equal(booking.status, 'confirmed');
    assert.equal(booking.seats.length, seatsEach);
    for (const seat of booking.seats) sold.add(`${booking.showingId}/${seat}`);
  }
  assert.equal(new Set(outcomes.map((outcome) => outcome.booking)).size, count, 'each has a booking of its own');
  assert.equal(sold.size, count * seatsEach, 'a seat was sold twice');
});

test('the logs of all these studies verify', () => {
  const program = join(process.env.PARLEY_BIN_DIR, 'parley');
  const said = execFileSync(program, ['study', 'verify', '--data', server.data], { env: server.env, encoding: 'utf8' });
  assert.ok(said.length > 0);
});
