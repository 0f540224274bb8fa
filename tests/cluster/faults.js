// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// node faults.js SECONDS: three nodes, a primary and its standby under load, which are broken in every way for that
// long. Then everything that was begun must end, and what clients were told must be what is stored. Prints a report;
// exit code 0, or 1 if something is amiss. PARLEY_FAULTS=NAME,NAME: these faults alone.
import { setTimeout as pause } from 'node:timers/promises';
import { faults } from './breakage.js';
import { check } from './check.js';
import { Cluster } from './cluster.js';
import { History } from './history.js';
import { Load } from './load.js';
import { World } from './world.js';

const kSeconds = Number(process.argv[2] ?? 600);
const kKill = 'kill -9 of a node';
const kKillsARound = 4;
const kWarmUpMs = 5_000;
const kClocks = { b: 3_600, c: -3_600 }; // seconds by which those of two nodes are wrong
const kBetweenMs = 2_000; // of calm, at most
const kEndMs = 180_000;
const kMostTold = 30; // faults in the report
const kMostChars = 400; // of each

if (!(kSeconds > 0)) {
  console.error('faults: SECONDS must be a number over 0');
  process.exit(2);
}

const names = (process.env.PARLEY_FAULTS ?? '').split(',').filter((name) => name !== '');
for (const name of names) {
  if (name in faults) continue;
  console.error(`faults: PARLEY_FAULTS: there is no fault "${name}", but: ${Object.keys(faults).join(', ')}`);
  process.exit(2);
}

// All faults in another order each time.
function* orders() {
  const once =
    names.length > 0 ? names : [...Object.keys(faults), ...Array.from({ length: kKillsARound - 1 }, () => kKill)];
  for (;;)
    yield* once
      .map((name) => [Math.random(), name])
      .sort(([a], [b]) => a - b)
      .map(([, name]) => name);
}

// Breaks the cluster until `end`. Resolves with the milliseconds of each fault, by name.
async function breakAll(cluster, end) {
  const done = new Map();
  for (const name of orders()) {
    if (Date.now() >= end) return done;
    console.log(`${new Date().toISOString().slice(11, 19)} ${name}`);
    const lost = await faults[name](cluster);
    await cluster.settled();
    done.set(name, [...(done.get(name) ?? []), lost]);
    await pause(Math.random() * kBetweenMs);
  }
  return done;
}

const isLate = (done) => Promise.race([done.then(() => false), pause(kEndMs, true, { ref: false })]);

// How the runs stand that are not over.
async function lateRuns(cluster, world) {
  const late = [...world.history.runs.values()].filter(
    ({ isVoid, watchers }) => !isVoid && !watchers.every((seen) => seen.at(-1)?.type === 'reply'),
  );
  return Promise.all(
    late.map(async ({ id, space, watchers }) => {
      const headers = { Authorization: `Bearer ${space.token}` };
      const run = await (await fetch(`${cluster.nodes[0].url}/v1/runs/${id}`, { headers })).text();
      return `${run} ${watchers.map((seen) => `${seen.at(-1)?.type} ${seen.at(-1)?.seq}`).join(', ')}`;
    }),
  );
}

const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;
function print(done, world) {
  console.log('\nfault                                      times   not served (median, longest)');
  for (const [name, lost] of done) {
    const known = lost.filter((each) => each !== undefined).sort((a, b) => a - b);
    const times = known.length === 0 ? '' : `${seconds(known[known.length >> 1])}, ${seconds(known.at(-1))}`;
    console.log(`${name.padEnd(42)} ${String(lost.length).padStart(5)}   ${times}`);
  }
  const { questions, runs, studies, chats, sessions } = world.history;
  const kept = [...sessions.values()].flat().reduce((all, seen) => all + seen.length, 0);
  console.log(
    `\n${questions.size} questions, ${runs.size} runs, ${studies.length} studies, ` +
      `${chats.reduce((all, { sent }) => all + sent.length, 0)} messages of chats; ${kept} events read by readers; ` +
      `${world.lost} requests and connections were lost or refused`,
  );
}

const cluster = new Cluster();
let amiss = ['it did not come to an end'];
try {
  await cluster.start(['a', 'b', 'c'], { gates: true, clocks: kClocks, clockJumps: true });
  const world = new World(cluster, new History());
  const load = new Load(world);
  await load.start();
  await pause(kWarmUpMs);
  const done = await breakAll(cluster, Date.now() + kSeconds * 1000);
  if (await isLate(load.end()))
    amiss = [`not ended within ${seconds(kEndMs)}: ${load.unfinished}`, ...(await lateRuns(cluster, world))];
  else amiss = await check(cluster, load.spaces, world.history);
  amiss.unshift(...world.failures);
  print(done, world);
} catch (error) {
  console.error(`faults: ${error.stack}`);
}
console.log(
  amiss.length === 0
    ? 'nothing is amiss'
    : `${amiss.length} AMISS\n${amiss
        .slice(0, kMostTold)
        .map((each) => each.slice(0, kMostChars))
        .join('\n')}`,
);
await cluster.end({ keep: amiss.length > 0 });
if (amiss.length > 0) console.log(`The logs of the nodes are in ${cluster.folder}`);
process.exit(amiss.length === 0 ? 0 : 1);
