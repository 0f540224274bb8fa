// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The server, agents and persons of a test; all are ended after it, also if it fails.
import { Agent } from './agent.js';
import { Person } from './person.js';
import { Server } from './server.js';

export class Stage {
  #people = [];
  #agents = [];
  server = new Server();

  async agent(token, name) {
    const agent = await Agent.start(this.server, token, name);
    this.#agents.push(agent);
    return agent;
  }

  async person(token, viewport, more) {
    const person = await Person.open(this.server, token, viewport, more);
    this.#people.push(person);
    return person;
  }

  async end() {
    for (const agent of this.#agents) await agent.end();
    for (const person of this.#people) await person.close();
    await this.server.end();
  }
}

const kMaxTestMs = 300_000;

// Runs `play`; rejects when it takes too long, so that a test that waits forever has a name.
export async function inTime(play) {
  let timer;
  const late = new Promise(
    (_, reject) =>
      (timer = setTimeout(() => reject(new Error(`the test takes longer than ${kMaxTestMs / 1000} s`)), kMaxTestMs)),
  );
  try {
    await Promise.race([play(), late]);
  } finally {
    clearTimeout(timer);
  }
}

// A test function with a started stage: `test(name, staged(async (stage) => ...))`.
export const staged = (play) => async () => {
  const stage = new Stage();
  try {
    await stage.server.start();
    await inTime(() => play(stage));
  } finally {
    await inTime(() => stage.end());
  }
};
