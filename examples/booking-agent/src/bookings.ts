// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Many concurrent bookings without a browser: hosts in one process, agents in this one, on one server. Each
// booking is checked in the booking service. Exit code 1 if one of them failed.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import WebSocket from 'ws';
import { BookingAgent, type Outcome } from './agent.js';
import { relayUrl } from './relay_url.js';
import { newWishes } from './wishes.js';

const usage = `bookings: N complete bookings by agents and hosts without a browser

  npm run bookings -- --server http://127.0.0.1:22080 --count 500 --side-by-side 20

  --server URL        of the Parley server (default http://127.0.0.1:22080)
  --booking-path P    of the booking routes (default /v1/booking)
  --token T           when the server asks for one (or PARLEY_TOKEN)
  --dataset ID        of the booking backend
  --count N           how many bookings (default 500)
  --side-by-side N    how many at once (default 20)
  --seed N            of the choices (default 1)
`;

const kReadyMs = 30_000;

interface Options {
  server: string;
  bookingPath: string;
  token: string | undefined;
  dataset: string | undefined;
  count: number;
  sideBySide: number;
  seed: number;
}

function fail(sentence: string): never {
  process.stderr.write(`bookings: ${sentence}\nTry --help.\n`);
  process.exit(2);
}

function numberOption(name: string, text: string, most: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > most) fail(`--${name} must be from 1 to ${String(most)}.`);
  return value;
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      server: { type: 'string', default: 'http://127.0.0.1:22080' },
      'booking-path': { type: 'string', default: '/v1/booking' },
      token: { type: 'string' },
      dataset: { type: 'string' },
      count: { type: 'string', default: '500' },
      'side-by-side': { type: 'string', default: '20' },
      seed: { type: 'string', default: '1' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    process.exit(0);
  }
  return {
    server: values.server,
    bookingPath: values['booking-path'],
    token: values.token ?? process.env['PARLEY_TOKEN'],
    dataset: values.dataset,
    count: numberOption('count', values.count, 1_000_000),
    sideBySide: numberOption('side-by-side', values['side-by-side'], 1_000),
    seed: numberOption('seed', values.seed, 2 ** 31 - 1),
  };
}

// The Mulberry32 generator.
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

// Resolves when all hosts have joined.
function startHosts(options: Options, prefix: string): Promise<ChildProcess> {
  const program = fileURLToPath(new URL('../../../web/dist-host/parley-host.mjs', import.meta.url));
  const args = [program, '--server', options.server, '--booking-path', options.bookingPath, '--quiet'];
  args.push('--sessions', `${prefix}:${String(options.sideBySide)}`);
  if (options.dataset) args.push('--dataset', options.dataset);
  const env = options.token ? { ...process.env, PARLEY_TOKEN: options.token } : process.env;
  const hosts = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env });
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      hosts.kill();
      reject(new Error(`The hosts did not join ${options.server} within ${String(kReadyMs / 1_000)} s.`));
    }, kReadyMs);
    hosts.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`The hosts ended with code ${String(code)}.`));
    });
    createInterface({ input: hosts.stdout }).on('line', (line) => {
      if (!line.includes('"ready"')) return;
      clearTimeout(timer);
      resolve(hosts);
    });
  });
}

// The reason why the booking service does not confirm the outcome; '': confirmed.
async function contradiction(options: Options, outcome: Outcome): Promise<string> {
  if (outcome.bookingId === '') return 'The page showed no booking id.';
  const url = new URL(`${options.bookingPath}/bookings/${encodeURIComponent(outcome.bookingId)}`, options.server);
  if (options.dataset) url.searchParams.set('dataset', options.dataset);
  const headers: Record<string, string> = options.token ? { authorization: `Bearer ${options.token}` } : {};
  const response = await fetch(url, { headers });
  if (!response.ok) return `Booking ${outcome.bookingId}: status ${String(response.status)}.`;
  const { booking } = (await response.json()) as { booking?: { status?: string; seats?: string[] } };
  const same = JSON.stringify([...(booking?.seats ?? [])].sort()) === JSON.stringify([...outcome.seats].sort());
  return booking?.status === 'confirmed' && same ? '' : `Booking ${outcome.bookingId} is not as it was shown.`;
}

async function bookOnce(options: Options, number: number, sessionId: string): Promise<Outcome> {
  const random = seeded(options.seed * 1_000_003 + number);
  const lines: string[] = [];
  const agent = new BookingAgent({
    openSocket: () => new WebSocket(relayUrl(options.server, options.token)),
    sessionId,
    name: `agent ${String(number)}`,
    studyId: 'bookings',
    participantId: `P${String(number)}`,
    wishes: newWishes(1 + Math.floor(random() * 3)),
    end: true,
    paceMs: 0,
    log: (line) => lines.push(line),
    random,
  });
  const outcome = await agent.run();
  const why = outcome.booked ? await contradiction(options, outcome) : outcome.why;
  if (why === '') return outcome;
  process.stderr.write(`Booking ${String(number)} failed: ${why}\n  ${lines.slice(-5).join('\n  ')}\n`);
  return { ...outcome, booked: false, why };
}

async function main(): Promise<void> {
  const options = readOptions();
  const prefix = `bookings-${String(process.pid)}`;
  const hosts = await startHosts(options, prefix);
  const started = performance.now();
  let taken = 0;
  let calls = 0;
  let failures = 0;
  const ids = new Set<string>();
  const work = async (session: string): Promise<void> => {
    while (taken < options.count) {
      taken += 1;
      const number = taken;
      const outcome = await bookOnce(options, number, session).catch((error: unknown) => {
        process.stderr.write(`Booking ${String(number)} failed: ${String(error)}\n`);
        return undefined;
      });
      calls += outcome?.calls ?? 0;
      if (outcome?.booked !== true || ids.has(outcome.bookingId)) failures += 1;
      else ids.add(outcome.bookingId);
      if (number % 50 === 0) process.stderr.write(`${String(number)} of ${String(options.count)}\n`);
    }
  };
  const workers = Array.from({ length: Math.min(options.sideBySide, options.count) }, (_, index) =>
    work(`${prefix}-${String(index + 1)}`),
  );
  await Promise.all(workers);
  const seconds = (performance.now() - started) / 1_000;
  hosts.removeAllListeners('exit');
  hosts.kill('SIGTERM');
  const perSecond = Number((ids.size / seconds).toFixed(1));
  const figures = { toolCalls: calls, seconds: Number(seconds.toFixed(1)), perSecond };
  const result = { bookings: ids.size, failures, ...figures };
  process.stdout.write(`${JSON.stringify(result)}\n`);
  process.exitCode = failures === 0 && ids.size === options.count ? 0 : 1;
}

main().catch((error: unknown) => {
  process.stderr.write(`bookings: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
