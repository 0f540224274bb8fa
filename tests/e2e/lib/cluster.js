// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// A cluster: a PostgreSQL of its own, and the real servers that share it.
import { setTimeout as pause } from 'node:timers/promises';
import { Postgres } from '../../lib/postgres.mjs';
import { Agent } from './agent.js';
import { Person } from './person.js';
import { Server } from './server.js';

const kPauseMs = 20;
const kMostOwners = 64; // among so many, one has its home on each node
const kSlots = 1024;

class Node extends Server {
  constructor(url, name) {
    super();
    this.name = name;
    this.store = url;
  }

  get env() {
    return { ...super.env, PARLEY_STORE_URL: this.store, PARLEY_CLUSTER_NODE: this.name };
  }

  async gauge(name) {
    const text = await (await fetch(`${this.url}/metrics`)).text();
    return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1] ?? Number.NaN);
  }
}

export class Cluster {
  #postgres = new Postgres();
  #people = [];
  #agents = [];
  #tokens = 0;
  #admin;
  nodes = [];

  static async start(names = ['a', 'b', 'c']) {
    const cluster = new Cluster();
    await cluster.#postgres.start();
    for (const name of names) {
      const node = new Node(cluster.#postgres.url, name);
      cluster.nodes.push(node);
      await node.start();
    }
    await cluster.settled(cluster.nodes);
    return cluster;
  }

  // Resolves when these nodes have all slots, and know each other.
  async settled(nodes) {
    const gauges = (name) => Promise.all(nodes.map((node) => node.gauge(`parley_cluster_${name}`)));
    const isSettled = async () => {
      const served = (await gauges('slots')).reduce((all, each) => all + each, 0);
      const agree = new Set(await gauges('newest_node')).size === 1;
      const known = (await gauges('nodes')).every((each) => each === nodes.length);
      return served === kSlots && agree && known && (await gauges('slots_moving')).every((each) => each === 0);
    };
    while (!(await isSettled())) await pause(kPauseMs);
  }

  async #home(token) {
    const headers = { Authorization: `Bearer ${token}` };
    for (const node of this.nodes) {
      const read = () => fetch(`${node.url}/v1/interactions?state=pending`, { headers });
      while (!(await read()).ok) await pause(kPauseMs);
      const before = await node.gauge('parley_cluster_requests_forwarded');
      await read();
      if ((await node.gauge('parley_cluster_requests_forwarded')) === before) return node;
    }
    return undefined;
  }

  async #newToken(name) {
    this.#admin ??= await this.nodes[0].createToken('admin');
    const response = await fetch(`${this.nodes[0].url}/v1/tokens`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${this.#admin}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name, rights: ['ask', 'answer', 'read', 'study', 'run'] }),
    });
    if (!response.ok) throw new Error(`no token: ${response.status} ${await response.text()}`);
    return (await response.json()).token;
  }

  // A token whose owner's home is `node`.
  async tokenAt(node) {
    for (let i = 0; i < kMostOwners; ++i) {
      const token = await this.#newToken(`t${++this.#tokens}`);
      if ((await this.#home(token)) === node) return token;
    }
    throw new Error(`no owner has its home on node ${node.name}`);
  }

  async agent(node, token) {
    const agent = await Agent.start(node, token);
    this.#agents.push(agent);
    return agent;
  }

  async person(node, token, viewport, more) {
    const person = await Person.open(node, token, viewport, more);
    this.#people.push(person);
    return person;
  }

  async end() {
    for (const agent of this.#agents) await agent.end();
    for (const person of this.#people) await person.close();
    for (const node of this.nodes) await node.end();
    await this.#postgres.end();
  }
}
