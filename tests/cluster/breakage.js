// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The faults. Each breaks something of a cluster that is whole, and resolves when it is whole again, with the
// milliseconds that some clients were not served, if that is known.
import { setTimeout as pause } from 'node:timers/promises';
import { kSlots } from './cluster.js';

const kStoppedMs = 7_000; // longer than the lease of a node
const kCutMs = 8_000;
const kAwayMs = 30_000;
const kLinkCuts = 10;
const kHeldS = 8; // longer than a statement waits for a lock
const kJumpMs = 6_000; // longer than a lease
const kJumps = [3_600, -3_600]; // seconds
const kLookMs = 50;
const kMostConnections = 100; // of the database
const kTables = 3; // that an operator is at, at a time

const any = (nodes) => nodes[Math.floor(Math.random() * nodes.length)];

const shuffled = (all) => [...all].sort(() => Math.random() - 0.5);

// Some of the tables of the database, each with its schema.
async function someTables({ primary }) {
  const all = await primary.query(`SELECT schemaname || '.' || tablename FROM pg_tables WHERE schemaname ~ '^parley_'`);
  return shuffled(all).slice(0, kTables);
}

async function timed(act) {
  const begun = performance.now();
  await act();
  return performance.now() - begun;
}

export const faults = {
  'kill -9 of a node': async (cluster) => {
    const node = any(cluster.nodes);
    await node.end('SIGKILL');
    const lost = await timed(() => cluster.settled());
    await node.start();
    return lost;
  },
  'kill -9 of two nodes': async (cluster) => {
    const [, ...others] = shuffled(cluster.nodes);
    await Promise.all(others.map((node) => node.end('SIGKILL')));
    const lost = await timed(() => cluster.settled());
    for (const node of others) await node.start();
    return lost;
  },
  'kill -9 of all nodes': async (cluster) => {
    await Promise.all(cluster.nodes.map((node) => node.end('SIGKILL')));
    for (const node of cluster.nodes) await node.start();
  },
  'restart of each node': async (cluster) => {
    for (const node of cluster.nodes) {
      await node.end('SIGTERM');
      await node.start();
      await cluster.settled();
    }
  },
  'node stopped beyond its lease': async (cluster) => {
    const node = any(cluster.nodes);
    node.signal('SIGSTOP');
    await pause(kStoppedMs);
    node.signal('SIGCONT');
  },
  'drain of a node and back': async (cluster) => {
    const { name } = any(cluster.nodes);
    await cluster.command('drain', name);
    await cluster.settled();
    await cluster.command('drain', name, '--undo');
  },
  'links broken': async (cluster) => {
    for (let i = 0; i < kLinkCuts; ++i) {
      any(cluster.nodes).fromNodes.breakAll();
      await pause(Math.random() * 300);
    }
  },
  'node that others do not reach': async (cluster) => {
    const { fromNodes } = any(cluster.nodes);
    fromNodes.shut();
    await pause(kCutMs);
    fromNodes.open();
  },
  'connections to the database broken': async (cluster) => {
    for (const { toPrimary, toStandby } of cluster.nodes) for (const gate of [toPrimary, toStandby]) gate.breakAll();
  },
  'node that does not reach the database': async (cluster) => {
    const node = any(cluster.nodes);
    for (const gate of [node.toPrimary, node.toStandby]) gate.shut();
    await pause(kCutMs);
    for (const gate of [node.toPrimary, node.toStandby]) gate.open();
  },
  'database away': async (cluster) => {
    const gates = cluster.nodes.flatMap(({ toPrimary, toStandby }) => [toPrimary, toStandby]);
    for (const gate of gates) gate.shut();
    await pause(kAwayMs);
    for (const gate of gates) gate.open();
    return timed(() => cluster.settled());
  },
  'loss of the primary': async (cluster) => {
    let lost;
    await cluster.pair.failOver(() => (lost = timed(() => cluster.writable())));
    return lost;
  },
  'jump of the clock of the database': async ({ pair: { primary } }) => {
    primary.setClock(any(kJumps));
    await pause(kJumpMs);
    primary.setClock(0);
    await pause(kJumpMs);
  },
  // Its lease lasts for an hour by the clock of then.
  'kill -9 of a node as the clock of the database goes back': async (cluster) => {
    const { primary } = cluster.pair;
    primary.setClock(kJumps[0]);
    await pause(kJumpMs);
    const node = any(cluster.nodes);
    await node.end('SIGKILL');
    primary.setClock(0);
    const lost = await timed(() => cluster.settled());
    await node.start();
    return lost;
  },
  'tables renamed by hand and back': async ({ pair }) => {
    const tables = (await someTables(pair)).map((table) => table.split('.'));
    for (const [schema, name] of tables)
      await pair.primary.query(`ALTER TABLE ${schema}.${name} RENAME TO away_${name}`);
    await pause(kHeldS * 1000);
    for (const [schema, name] of tables)
      await pair.primary.query(`ALTER TABLE ${schema}.away_${name} RENAME TO ${name}`);
  },
  'tables locked by an operator': async ({ pair }) => {
    const tables = (await someTables(pair)).join(', ');
    await pair.primary.query(`LOCK TABLE ${tables} IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(${kHeldS})`);
  },
  // The change waits for a reader, and all later statements for the change.
  'change of a table that waits': async ({ pair }) => {
    const [table] = await someTables(pair);
    const reading = pair.primary.query(`SELECT count(*) FROM ${table}; SELECT pg_sleep(${kHeldS})`);
    const readers = `SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'`;
    while ((await pair.primary.query(readers))[0] === '0') await pause(kLookMs);
    await pair.primary.query(`ALTER TABLE ${table} OWNER TO parley`);
    await reading;
  },
  'connections of the database used up': async ({ nodes, pair: { primary } }) => {
    const gates = nodes.flatMap(({ toPrimary, toStandby }) => [toPrimary, toStandby]);
    for (const gate of gates) gate.shut();
    let areTaken = true;
    const idle = () => primary.query(`SELECT pg_sleep(${2 * kHeldS})`);
    const idlers = Promise.allSettled(Array.from({ length: kMostConnections }, idle)).then(() => (areTaken = false));
    const isRefused = () =>
      primary.query('SELECT 1').then(
        () => false,
        () => true,
      );
    while (areTaken && !(await isRefused())) await pause(kLookMs);
    for (const gate of gates) gate.open();
    await idlers;
  },
  'slots locked by a stranger': async ({ pair }) => {
    const lock = `pg_advisory_xact_lock(hashtext('parley_cluster.slots'), slot)`;
    await pair.primary.query(
      `SELECT count(${lock}) FROM generate_series(0, ${kSlots - 1}) AS slot; SELECT pg_sleep(${kHeldS})`,
    );
  },
  'vacuum of everything': async ({ pair }) => {
    await pair.primary.query('VACUUM (FULL, ANALYZE)');
  },
};
