// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// An agent with the loop of the reference's first rule-based agent: it plans from a state.updated, calls tools one
// after another, requests a snapshot after `next`, and drops all messages that arrive before the snapshot. It learns
// of the confirmation in the same way, ends its study then, and leaves.
import { once } from 'node:events';
import { createRequire } from 'node:module';

const need = createRequire(new URL('../../../examples/booking-agent/package.json', import.meta.url));
const WebSocket = need('ws');

const open = (spec) => spec.visibleItems.filter((item) => !item.isDisabled);

// The calls that complete the stage.
export function plan(spec, seats = 2) {
  const next = { toolName: 'next', params: {} };
  const select = (item) => ({ toolName: 'select', params: { itemId: item.id } });
  switch (spec.stage) {
    case 'seat':
      return [...open(spec).slice(0, seats).map(select), next];
    case 'ticket':
      return [{ toolName: 'setQuantity', params: { typeId: open(spec)[0].id, quantity: spec.meta.maxTotal } }, next];
    case 'confirm':
      return [next];
    default:
      return [select(open(spec)[0]), next];
  }
}

export class RuleAgent {
  #socket;
  #waiting = new Map();
  #numbers = 0;
  #busy = true;
  #ended;
  stages = []; // stages in which it has made calls
  calls = 0;

  static async start(server, session = 'default') {
    const agent = new RuleAgent();
    agent.#socket = new WebSocket(`${server.url.replace('http', 'ws')}/agent/ws`);
    agent.ended = new Promise((resolve, reject) => (agent.#ended = { resolve, reject }));
    agent.#socket.on('message', (data) => agent.#take(JSON.parse(String(data))));
    await once(agent.#socket, 'open');
    await agent.#ask('relay.join', { role: 'agent', sessionId: session });
    await agent.#ask('session.start', { studyId: 'rule-based', participantId: 'P1' });
    const { uiSpec } = await agent.#ask('snapshot.get', {});
    agent.#act(uiSpec).catch(agent.#ended.reject);
    return agent;
  }

  end() {
    this.#socket.terminate();
  }

  #take({ type, replyTo, payload }) {
    const waiting = this.#waiting.get(replyTo);
    this.#waiting.delete(replyTo);
    if (type === 'error') waiting?.reject(new Error(payload.message));
    else waiting?.resolve(payload);
    if (type !== 'state.updated' || this.#busy || !payload.uiSpec) return;
    const last = payload.messageHistory.findLast((entry) => entry.type === 'user' && entry.action === 'select');
    const act = last?.label === 'Booking Confirmed!' ? this.#leave(payload.uiSpec) : this.#act(payload.uiSpec);
    act.catch(this.#ended.reject);
  }

  #ask(type, payload) {
    this.#numbers += 1;
    const id = `req-${this.#numbers}`;
    const answer = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#socket.send(JSON.stringify({ v: 'mvp-0.2', type, id, payload }));
    return answer;
  }

  async #leave({ meta }) {
    this.#busy = true;
    const { sessionId } = await this.#ask('session.end', { reason: 'booking-complete' });
    this.#socket.close();
    this.#ended.resolve({ bookingId: meta.bookingId, study: sessionId });
  }

  async #act(spec) {
    this.#busy = true;
    this.stages.push(spec.stage);
    for (const call of plan(spec)) {
      this.calls += 1;
      await this.#ask('tool.call', { ...call, reason: 'It is the first that fits.' });
    }
    await this.#ask('snapshot.get', {});
    this.#busy = false;
  }
}
