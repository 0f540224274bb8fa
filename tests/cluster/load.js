// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Who uses the cluster while it is broken: workspaces with agents, people, runs, studies and chats.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { chat } from './chat.js';
import { Page } from './page.js';
import { answerer, apiAsker, assistantAsker, taskAsker } from './questions.js';
import { reader, runner } from './runs.js';
import { study } from './studies.js';

const kPauseMs = 50;
const kSpaces = 10;
// Of each workspace. Together 200 open questions, 50 runs with 10 watchers each, and 20 studies.
const kOfEach = [
  [8, assistantAsker],
  [8, apiAsker],
  [4, taskAsker],
  [5, runner],
  [2, study],
  [1, chat],
];
const kPages = 2;
const kAnswerers = 2;

export class Load {
  #world;
  #spaces = [];
  #people = [];
  #readers = [];
  #actors = [];
  #busy = new Map(); // actors at work, by name

  constructor(world) {
    this.#world = world;
  }

  async start() {
    for (let i = 0; i < kSpaces; ++i) this.#spaces.push(await this.#newSpace(`space-${i}`));
    for (const space of this.#spaces) this.#begin(space);
  }

  async #newSpace(name) {
    const { token, workspace } = await this.#newToken(name);
    const folder = join(this.#world.cluster.work, name);
    mkdirSync(folder, { recursive: true });
    return { name, token, folder, session: `assistant-${workspace}`, ended: new AbortController() };
  }

  // A token that all nodes know.
  async #newToken(name) {
    const { nodes } = this.#world.cluster;
    const made = await fetch(`${nodes[0].url}/v1/tokens`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${nodes[0].token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name, rights: ['ask', 'answer', 'read', 'study', 'run'] }),
    });
    if (!made.ok) throw new Error(`no token: ${made.status} ${await made.text()}`);
    const token = await made.json();
    const headers = { Authorization: `Bearer ${token.token}` };
    for (const { url } of nodes) while (!(await fetch(`${url}/v1/me`, { headers })).ok) await pause(kPauseMs);
    return token;
  }

  #begin(space) {
    const world = this.#world;
    const own = kOfEach.flatMap(([count, actor]) =>
      Array.from({ length: count }, () => this.#play(`${actor.name} of ${space.name}`, () => actor(world, space))),
    );
    for (let i = 0; i < kPages; ++i)
      this.#people.push(this.#play(`page of ${space.name}`, () => new Page(world, space).live()));
    for (let i = 0; i < kAnswerers; ++i)
      this.#people.push(this.#play(`answerer of ${space.name}`, () => answerer(world, space)));
    const reads = () => reader(world, space, space.session, space.ended.signal);
    this.#readers.push(this.#play(`reader of ${space.name}`, reads));
    this.#actors.push(Promise.all(own).then(() => space.ended.abort()));
  }

  // Starts an actor; `unfinished` names it until it ends.
  #play(name, actor) {
    this.#busy.set(name, (this.#busy.get(name) ?? 0) + 1);
    return this.#world.play(actor).then(() => this.#busy.set(name, this.#busy.get(name) - 1));
  }

  // The actors that have not ended, with their numbers.
  get unfinished() {
    const names = [...this.#busy].filter(([, count]) => count > 0);
    return names.map(([name, count]) => `${count} ${name}`).join(', ');
  }

  get spaces() {
    return this.#spaces;
  }

  // Resolves when everybody has ended what was begun.
  async end() {
    this.#world.isOver = true;
    await Promise.all(this.#actors);
    await Promise.all(this.#people);
    await Promise.all(this.#readers);
  }
}
