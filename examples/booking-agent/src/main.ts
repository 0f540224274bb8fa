// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The command line of the booking agent. Exit code 0 if it has booked.
import { parseArgs } from 'node:util';
import WebSocket from 'ws';
import { BookingAgent } from './agent.js';
import { relayUrl } from './relay_url.js';
import { kMaxSeats, newWishes, type Wishes } from './wishes.js';

const usage = `booking-agent: books cinema seats through the External Agent Protocol, by rules alone

  npm start -- --server http://127.0.0.1:22080 --seats 2 --movie-genre comedy

  --server URL      of the Parley server (default http://127.0.0.1:22080)
  --session ID      the relay session to join (default "default")
  --token T         when the server asks for one (or PARLEY_TOKEN)
  --name NAME       as the host page shows it (default "Booking agent")
  --study ID        of the study (default "demo")
  --participant ID  of the participant (default "P01")
  --seats N         how many (default 2)
  --movie TITLE     a film, or a part of its title
  --movie-genre G   a kind of film
  --daytime D       morning, afternoon or evening
  --pace MS         between two steps (default 0)
  --no-end          leave the session open after the booking
  --quiet           say nothing
`;

function fail(sentence: string): never {
  process.stderr.write(`booking-agent: ${sentence}\nTry --help.\n`);
  process.exit(2);
}

function readOptions() {
  try {
    return parseArgs({
      options: {
        server: { type: 'string', default: 'http://127.0.0.1:22080' },
        session: { type: 'string', default: 'default' },
        token: { type: 'string' },
        name: { type: 'string', default: 'Booking agent' },
        study: { type: 'string', default: 'demo' },
        participant: { type: 'string', default: 'P01' },
        seats: { type: 'string', default: '2' },
        movie: { type: 'string' },
        'movie-genre': { type: 'string' },
        daytime: { type: 'string' },
        pace: { type: 'string', default: '0' },
        'no-end': { type: 'boolean', default: false },
        quiet: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}

type Options = ReturnType<typeof readOptions>;

function wishesOf(options: Options): Wishes {
  const seats = Number(options.seats);
  if (!Number.isInteger(seats) || seats < 1 || seats > kMaxSeats) {
    fail(`--seats must be a number from 1 to ${String(kMaxSeats)}.`);
  }
  const wishes = newWishes(seats);
  const { movie, daytime } = options;
  if (movie !== undefined) wishes.movie = movie;
  const genre = options['movie-genre'];
  if (genre !== undefined) wishes.genre = genre;
  if (daytime === 'morning' || daytime === 'afternoon' || daytime === 'evening') wishes.daytime = daytime;
  else if (daytime !== undefined) fail('--daytime must be morning, afternoon or evening.');
  return wishes;
}

const options = readOptions();
if (options.help) {
  process.stdout.write(usage);
  process.exit(0);
}
if (!/^\d{1,6}$/.test(options.pace)) fail('--pace must be a number of milliseconds.');
const wishes = wishesOf(options);
if (!URL.canParse(options.server)) fail('--server must be an address such as http://127.0.0.1:22080.');
const url = relayUrl(options.server, options.token ?? process.env['PARLEY_TOKEN']);
const agent = new BookingAgent({
  openSocket: () => new WebSocket(url),
  sessionId: options.session,
  name: options.name,
  studyId: options.study,
  participantId: options.participant,
  wishes,
  end: !options['no-end'],
  paceMs: Number(options.pace),
  log: (sentence) => {
    if (!options.quiet) process.stderr.write(`${sentence}\n`);
  },
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => process.exit(130));
}
const outcome = await agent.run();
process.exit(outcome.booked ? 0 : 1);
