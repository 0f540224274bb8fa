// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// A participant at the booking page, and the agent of examples/booking-agent that books for them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openContext } from './browser.js';

const kViewport = { width: 1280, height: 800 };
export const kStages = ['movie', 'theater', 'date', 'time', 'seat', 'ticket', 'confirm'];
const kAgent = fileURLToPath(new URL('../../../examples/booking-agent/dist/main.js', import.meta.url));

export class Participant {
  #end;
  frames = []; // {direction, text} of all sockets to the relay

  // Opens a page of the server in a context of its own: '#/host', '#/study/pilot?participant=P07'.
  static async open(server, path, viewport = kViewport) {
    const person = new Participant();
    const { context, end } = await openContext({ viewport });
    person.#end = end;
    person.page = await context.newPage();
    person.page.on('websocket', (socket) => {
      const keep =
        (direction) =>
        ({ payload }) =>
          person.frames.push({ direction, text: String(payload) });
      if (!socket.url().includes('/agent/ws')) return;
      socket.on('framesent', keep('out'));
      socket.on('framereceived', keep('in'));
    });
    await person.page.goto(`${server.url}/${path}`);
    return person;
  }

  part(name) {
    return this.page.locator(`[data-test="${name}"]`);
  }

  stage(name) {
    return this.page.locator(`[data-test="stage"][data-stage="${name}"]:not([aria-busy="true"])`);
  }

  // Waits until an agent has brought the page to the stage, or past it. Looks at each frame: a stage can be over in half
  // a second, the interval at which a locator looks.
  async reached(name) {
    await this.page.waitForFunction(
      (wanted) => wanted.includes(document.querySelector('[data-test="stage"]')?.dataset.stage),
      kStages.slice(kStages.indexOf(name)),
    );
  }

  async say(text) {
    await this.part('host-say').fill(text);
    await this.part('host-say').press('Enter');
    await this.part('said').filter({ hasText: text }).waitFor();
  }

  // Waits for the booking that the page shows: { Movie, Theater, Date, Time, Seats }.
  async booked() {
    await this.part('booked').waitFor();
    const lines = await this.page.locator('[data-test="booked"] dl').first().locator('div').all();
    const pairs = await Promise.all(
      lines.map(async (line) => [await line.locator('dt').innerText(), await line.locator('dd').innerText()]),
    );
    return Object.fromEntries(pairs);
  }

  async close() {
    await this.#end();
  }
}

export class BookingAgent {
  #child;
  #said = '';

  // `options`: command line of the agent, see examples/booking-agent/README.md.
  static start(server, ...options) {
    if (!existsSync(kAgent))
      throw new Error('Build the agent first: npm ci && npm run build in examples/booking-agent');
    const agent = new BookingAgent();
    const child = spawn(process.execPath, [kAgent, '--server', server.url, ...options], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (agent.#said += text));
    agent.#child = child;
    agent.ended = once(child, 'exit').then(([code, signal]) => code ?? signal);
    return agent;
  }

  get said() {
    return this.#said;
  }

  async end() {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill('SIGKILL');
    await this.ended;
  }
}
