// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// node soak.js SECONDS: all actors repeat their rounds for that long on the real server; afterwards its
// gauges, descriptors, threads and memory must be back within their limits. Prints a table; exit code 0,
// or 1 if a value is above its limit.
import { setTimeout as after } from 'node:timers/promises';
import { Server } from '../attack/lib/server.js';
import { actors } from './actors.js';

const kSeconds = Number(process.argv[2] ?? process.env.SECONDS ?? 600);
const kSideBySide = 3; // of each actor
const kWarmUpShare = 0.2;
const kWarmUpMostMs = 60_000;
const kSettleMs = 45_000;
const kPauseMs = 100;
// Allowed growth of the memory: the allocator keeps some freed memory.
const kMemoryShare = 0.25;
const kMemoryFloorMiB = 16;

if (!(kSeconds > 0)) {
  console.error('soak: SECONDS must be a number over 0');
  process.exit(2);
}

const gauges = [
  'parley_sessions',
  'parley_participants',
  'parley_interactions_pending',
  'parley_runs_live',
  'parley_connections',
];

async function measure(server) {
  const metrics = await server.metrics();
  const held = Object.fromEntries(gauges.map((name) => [name, metrics.get(name) ?? 0]));
  return {
    ...held,
    descriptors: server.descriptors,
    threads: server.threads,
    'resident MiB': Math.round(server.resident),
  };
}

// Runs all actors for `ms`; resolves with the number of rounds of each.
async function play(server, ms) {
  const end = Date.now() + ms;
  const rounds = Object.fromEntries(Object.keys(actors).map((name) => [name, 0]));
  const again = async (name) => {
    do {
      await actors[name](server);
      rounds[name] += 1;
      await after(kPauseMs);
    } while (Date.now() < end);
  };
  await Promise.all(Object.keys(actors).flatMap((name) => Array.from({ length: kSideBySide }, () => again(name))));
  return rounds;
}

// Repeats the measurement until `good` is true, at most kSettleMs.
async function settled(server, good) {
  const end = Date.now() + kSettleMs;
  let now = await measure(server);
  while (!good(now) && Date.now() < end) {
    await after(kPauseMs);
    now = await measure(server);
  }
  return now;
}

function allowed(before) {
  const most = { ...before };
  most['resident MiB'] = Math.round(
    Math.max(before['resident MiB'] * (1 + kMemoryShare), before['resident MiB'] + kMemoryFloorMiB),
  );
  return most;
}

const within = (most) => (now) => Object.entries(most).every(([name, value]) => now[name] <= value);

function print(before, during, now, most) {
  const row = (cells) =>
    console.log(cells.map((cell, at) => (at === 0 ? String(cell).padEnd(30) : String(cell).padStart(10))).join(''));
  row(['', 'before', 'during', 'after', 'allowed', '']);
  for (const name of Object.keys(most))
    row([name, before[name], during[name], now[name], most[name], now[name] <= most[name] ? 'ok' : 'STAYED']);
}

const server = await Server.start({ limitKiB: 0, settings: '[log]\nlevel = "warn"\n' });
let code = 1;
try {
  const empty = await measure(server);
  const warmUp = Math.min(kSeconds * 1000 * kWarmUpShare, kWarmUpMostMs);
  await play(server, warmUp);
  // Limits: gauges of an empty server; descriptors, threads and memory of a warm one.
  const none = Object.fromEntries(gauges.map((name) => [name, empty[name]]));
  const before = await settled(server, within(none));
  const during = {};
  const sampling = setInterval(() => {
    measure(server).then(
      (now) => Object.keys(now).forEach((name) => (during[name] = Math.max(during[name] ?? 0, now[name]))),
      () => undefined,
    );
  }, 1_000);
  const rounds = await play(server, kSeconds * 1000 - warmUp);
  clearInterval(sampling);
  const most = { ...allowed(before), ...none };
  const now = await settled(server, within(most));
  console.log(
    `soak of ${kSeconds} s: ${Object.entries(rounds)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ')}`,
  );
  print(before, during, now, most);
  code = within(most)(now) ? 0 : 1;
  console.log(code === 0 ? 'nothing stayed' : 'something stayed');
} catch (error) {
  console.error(`soak: ${error.stack}\n${server.log}`);
} finally {
  await server.end();
}
process.exit(code);
