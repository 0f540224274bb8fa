// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Real servers on a primary with its standby. Each way between them may have a gate, where it can be broken.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { clockOff, forgetClock } from '../lib/faketime.mjs';
import { PostgresPair } from '../lib/postgres.mjs';
import { Gate } from './gate.js';

const kPauseMs = 50;
export const kSlots = 1024;
const kLinkPort = 22_081;
const kEndMs = 30_000; // of a node that was told to end: far more than its own limit

export const program = (name) => {
  const folder = process.env.PARLEY_BIN_DIR;
  if (!folder) throw new Error('PARLEY_BIN_DIR must name the folder of the programs');
  return join(folder, name);
};

export class Node {
  port = 0;
  #child;
  #folder;
  #pair;
  #hasGates = false;

  // `address`: an address of this computer that nobody else uses, for the links of the other nodes.
  // `clock`: seconds by which its wall clock is wrong.
  constructor(name, folder, address, pair, clock = 0) {
    this.name = name;
    this.clock = clock;
    this.#folder = folder;
    this.address = address;
    this.#pair = pair;
    this.toPrimary = new Gate(() => ({ path: pair.primary.socket }));
    this.toStandby = new Gate(() => ({ path: pair.standby.socket }));
    this.fromNodes = new Gate(() => ({ host: address, port: kLinkPort }));
  }

  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  get pid() {
    return this.#child.pid;
  }

  get isUp() {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async openGates() {
    this.#hasGates = true;
    for (const gate of [this.toPrimary, this.toStandby, this.fromNodes]) await gate.start();
  }

  // Two hosts, of which libpq takes the one that writes.
  get storeUrl() {
    if (!this.#hasGates) return this.#pair.url;
    const hosts = `127.0.0.1:${this.toPrimary.port},127.0.0.1:${this.toStandby.port}`;
    return `postgresql://parley@${hosts}/postgres?target_session_attrs=read-write&connect_timeout=10`;
  }

  get #env() {
    return {
      PATH: process.env.PATH,
      HOME: this.#folder,
      LC_ALL: 'C.UTF-8',
      PARLEY_STORE_URL: this.storeUrl,
      PARLEY_CLUSTER_NODE: this.name,
      PARLEY_CLUSTER_LISTEN: `${this.address}:${kLinkPort}`,
      ...(this.#hasGates ? { PARLEY_CLUSTER_LINK: `127.0.0.1:${this.fromNodes.port}` } : {}),
      PARLEY_RUNS_FOLDERS: join(this.#folder, '..', 'work'),
      PARLEY_LOG_LEVEL: 'warn',
      ...clockOff(this.clock),
    };
  }

  get token() {
    return readFileSync(join(this.#folder, 'data', 'token'), 'utf8').trim();
  }

  async start() {
    mkdirSync(this.#folder, { recursive: true });
    const words = ['--pdeathsig', 'KILL', program('parley')];
    const args = [...words, 'serve', '--listen', `127.0.0.1:${this.port}`, '--data', join(this.#folder, 'data')];
    this.#child = spawn('setpriv', args, { env: this.#env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child.stderr.pipe(createWriteStream(join(this.#folder, 'log'), { flags: 'a' }));
    for await (const line of createInterface({ input: this.#child.stdout })) {
      const ready = /^ready http:\/\/[^:]+:(\d+)$/.exec(line);
      if (ready === null) continue;
      this.port = Number(ready[1]);
      return;
    }
    throw new Error(`node ${this.name} did not get ready:\n${this.log}`);
  }

  get log() {
    return readFileSync(join(this.#folder, 'log'), 'utf8');
  }

  signal(name) {
    this.#child.kill(name);
  }

  // Ends it by a signal. After SIGTERM the exit status must be 0.
  async end(signal) {
    if (!this.isUp) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill(signal);
    const late = setTimeout(() => this.#child.kill('SIGABRT'), kEndMs);
    const [code, by] = await ended;
    clearTimeout(late);
    forgetClock(this.pid);
    if (signal === 'SIGTERM' && code !== 0) throw new Error(`node ${this.name} ended with ${code ?? by}:\n${this.log}`);
  }

  async gauges() {
    const text = await (await fetch(`${this.url}/metrics`, { signal: AbortSignal.timeout(kEndMs) })).text();
    return (name) => Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1] ?? Number.NaN);
  }

  close() {
    if (!this.#hasGates) return;
    for (const gate of [this.toPrimary, this.toStandby, this.fromNodes]) gate.end();
  }
}

export class Cluster {
  pair;
  folder = mkdtempSync(join(tmpdir(), 'parley-faults-'));
  nodes = [];

  // The folder below which runs work, on every node.
  get work() {
    return join(this.folder, 'work');
  }

  // `clocks`: seconds by which the wall clock of a node is wrong, by name. `clockJumps`: that of the database can.
  async start(names, { gates = false, clocks = {}, clockJumps = false } = {}) {
    this.pair = new PostgresPair({ clockJumps });
    await this.pair.start();
    // Addresses of this process alone.
    const network = `127.${1 + (process.pid % 250)}.${Math.floor(process.pid / 250) % 250}`;
    for (const [i, name] of names.entries()) {
      const node = new Node(name, join(this.folder, name), `${network}.${i + 1}`, this.pair, clocks[name]);
      if (gates) await node.openGates();
      this.nodes.push(node);
      await node.start();
    }
    await this.settled();
  }

  // A new token, {token, workspace}, that all nodes know.
  async newToken(name, rights) {
    const [{ url, token: admin }] = this.nodes;
    const made = await fetch(`${url}/v1/tokens`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${admin}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name, rights }),
    });
    if (!made.ok) throw new Error(`no token: ${made.status} ${await made.text()}`);
    const token = await made.json();
    const headers = { Authorization: `Bearer ${token.token}` };
    for (const node of this.nodes) while (!(await fetch(`${node.url}/v1/me`, { headers })).ok) await pause(kPauseMs);
    return token;
  }

  // Resolves when the nodes that are up have all slots, and know each other; rejects after `mostMs`.
  async settled(mostMs = 120_000) {
    for (const end = Date.now() + mostMs; !(await this.#isSettled()); await pause(kPauseMs)) {
      if (Date.now() > end) throw new Error(`the slots were not served within ${mostMs} ms`);
    }
  }

  async #isSettled() {
    const up = this.nodes.filter((node) => node.isUp);
    let served = 0;
    const newest = new Set();
    for (const node of up) {
      const gauge = await node.gauges();
      if (gauge('parley_cluster_nodes') !== up.length || gauge('parley_cluster_slots_moving') !== 0) return false;
      newest.add(gauge('parley_cluster_newest_node'));
      served += gauge('parley_cluster_slots');
    }
    return served === kSlots && newest.size === 1;
  }

  // Resolves when the database takes what each node has to write.
  async writable(mostMs = 120_000) {
    const isReady = async ({ url }) => (await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(mostMs) })).ok;
    for (const end = Date.now() + mostMs; ; await pause(kPauseMs)) {
      if ((await Promise.all(this.nodes.filter((node) => node.isUp).map(isReady))).every(Boolean)) return;
      if (Date.now() > end) throw new Error(`the nodes were not ready within ${mostMs} ms`);
    }
  }

  // Runs `parley cluster WORDS`. Not synchronously: its connections pass the gates of this process.
  async command(...words) {
    const env = { PATH: process.env.PATH, HOME: this.folder, LC_ALL: 'C.UTF-8' };
    const flags = ['cluster', ...words, '--store-url', this.nodes[0].storeUrl];
    return (await promisify(execFile)(program('parley'), flags, { env })).stdout;
  }

  // `keep`: the folder with the logs stays.
  async end({ keep = false } = {}) {
    for (const node of this.nodes) {
      await node.end('SIGKILL');
      node.close();
    }
    await this.pair?.end();
    if (!keep) rmSync(this.folder, { recursive: true, force: true });
  }
}
