// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// A host and an agent of a study, which begin again where a connection was lost.
import { setTimeout as pause } from 'node:timers/promises';
import { Socket } from './socket.js';

const kPatienceMs = 25_000; // more than the relay waits for a host
const kCalls = 8;
const kCallEveryMs = 700;

class Client {
  #made = 0;

  static async join(world, space, session, role) {
    const client = new Client();
    client.socket = await Socket.open(world.node.url, `/agent/ws?token=${space.token}`);
    if (client.socket === undefined) return undefined;
    client.say('relay.join', { role, sessionId: session, takeover: true });
    return (await client.hear('relay.joined')) === undefined ? undefined : client;
  }

  say(type, payload, more = {}) {
    const id = `${type}-${++this.#made}`;
    this.socket.send(JSON.stringify({ v: 'mvp-0.2', id, type, payload, ...more }));
    return id;
  }

  // The next message of this type, or the error that answers `id`; undefined: the connection is lost, or nothing came.
  async hear(type, id) {
    const fits = (text) => {
      const message = JSON.parse(text);
      return message.type === type || (message.type === 'error' && message.replyTo === id);
    };
    const text = await this.socket.find(fits, kPatienceMs);
    const message = text === undefined ? undefined : JSON.parse(text);
    return message?.type === type ? message : undefined;
  }
}

// Answers what the agent asks, until its connection is lost.
async function host(client) {
  const answers = { 'session.start': 'session.started', 'session.end': 'session.ended', 'tool.call': 'tool.result' };
  for (let text; (text = await client.socket.next(kPatienceMs)) !== undefined;) {
    const { type, id, payload } = JSON.parse(text);
    if (type in answers) client.say(answers[type], { ok: true, result: payload, stateReset: true }, { replyTo: id });
  }
}

// A study from here to its end; undefined: it was cut off.
async function play(world, space, session, study) {
  const page = await Client.join(world, space, session, 'host');
  if (page === undefined) return undefined;
  const hosting = host(page);
  const agent = await Client.join(world, space, session, 'agent');
  try {
    if (agent === undefined) return undefined;
    const start = agent.say('session.start', { studyId: study, participantId: session });
    const started = await agent.hear('session.started', start);
    if (started === undefined) return undefined;
    const calls = [];
    for (let i = 0; i < kCalls; ++i) {
      const mark = world.name('call');
      const id = agent.say('tool.call', { name: 'look', params: { mark }, reason: 'to see' });
      if ((await agent.hear('tool.result', id)) === undefined) return undefined;
      calls.push(mark);
      await pause(kCallEveryMs * (0.5 + Math.random()));
    }
    const end = agent.say('session.end', {});
    const ended = await agent.hear('session.ended', end);
    return ended === undefined ? undefined : { id: ended.payload.sessionId, calls };
  } finally {
    agent?.socket.end();
    page.socket.end();
    await hosting;
  }
}

export async function study(world, space) {
  while (!world.isOver) {
    const name = world.name('study');
    let ended;
    while ((ended = await play(world, space, name, 'faults')) === undefined) await world.wasLost();
    world.history.closed(space, ended.id, ended.calls);
  }
}
