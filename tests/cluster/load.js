// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Who uses the cluster while it is broken: workspaces with agents, people, runs, studies and chats.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chat } from './chat.js';
import { Page } from './page.js';
import { answerer, apiAsker, assistantAsker, taskAsker } from './questions.js';
import { reader, runner } from './runs.js';
import { study } from './studies.js';

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
    const rights = ['ask', 'answer', 'read', 'study', 'run'];
    const { token, workspace } = await this.#world.cluster.newToken(name, rights);
    const folder = join(this.#world.cluster.work, name);
    mkdirSync(folder, { recursive: true });
    return { name, token, folder, session: `assistant-${workspace}`, ended: new AbortController() };
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
