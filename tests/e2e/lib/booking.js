// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Bookings without a browser: the headless host of the console, and the example agent in C++.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const web = fileURLToPath(new URL('../../../web/', import.meta.url));

// Bundles the headless host for Node: web/dist-host.
export function buildHost() {
  execFileSync('npm', ['run', '--silent', 'build:host'], { cwd: web, stdio: ['ignore', 'ignore', 'inherit'] });
}

// The hosts of the relay sessions PREFIX-1 to PREFIX-COUNT, in one process.
export class HeadlessHosts {
  #child;
  #log = '';

  static async start(server, prefix, count) {
    const hosts = new HeadlessHosts();
    const args = [join(web, 'dist-host/parley-host.mjs'), '--server', server.url, '--sessions', `${prefix}:${count}`];
    const env = { ...server.env, PARLEY_TOKEN: server.token };
    hosts.#child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    hosts.#child.stderr.setEncoding('utf8').on('data', (text) => (hosts.#log += text));
    for await (const line of createInterface({ input: hosts.#child.stdout })) {
      if (line.includes('"ready"')) return hosts;
    }
    throw new Error(`the hosts did not get ready:\n${hosts.#log}`);
  }

  async end() {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }
}

// Runs the agent to its end; resolves with {code, lines, study, booking}. Ids that it did not print are ''.
export async function book(server, session, { seats = 2, participant = 'P01' } = {}) {
  const args = ['--server', server.url, '--session', session, '--seats', String(seats)];
  args.push('--study', 'e2e', '--participant', participant);
  const program = join(process.env.PARLEY_BIN_DIR, 'parley-booking-agent');
  const env = { ...server.env, PARLEY_TOKEN: server.token };
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (said += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (said += text));
  const [code] = await once(child, 'close');
  const told = (pattern) => pattern.exec(said)?.[1] ?? '';
  const study = told(/^study session (\S+)$/m);
  return { code, lines: said.split('\n'), study, booking: told(/^booking (\S+)$/m) };
}

// The booking in the backend.
export async function readBooking(server, id) {
  const headers = { Authorization: `Bearer ${server.token}` };
  const response = await fetch(`${server.url}/v1/booking/bookings/${id}`, { headers });
  if (!response.ok) throw new Error(`booking ${id}: ${response.status} ${await response.text()}`);
  return (await response.json()).booking;
}
