// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The command line of the headless host.
import { parseArgs } from 'node:util';
import { toolNames } from '../engine/tool_schema';

export interface HostArguments {
  server: string; // "http://127.0.0.1:22080"
  bookingPath: string; // path of the booking routes on the server
  token?: string;
  sessions: string[];
  dataset?: string;
  takeover: boolean;
  bookings: number; // ends after this number of bookings; 0: never
  tools?: string[];
  quiet: boolean;
}

export const kUsage = `parley-host: the host of the movie booking without a browser

  npm run parley-host -- --server http://127.0.0.1:22080

  --server URL        of the Parley server (default http://127.0.0.1:22080)
  --booking-path P    where the booking routes are on it (default /v1/booking)
  --token T           when the server asks for one (or PARLEY_TOKEN)
  --session ID        the relay session to be the host of (default "default")
  --sessions PFX:N    the hosts of PFX-1 to PFX-N in one process
  --dataset ID        the data set of the booking backend
  --takeover          replace a host that is there
  --bookings N        end after N confirmed bookings
  --tools A,B,C       offer only these tools
  --quiet             say nothing but errors

Says what happens on stderr, and {"event":"ready",...} on stdout once it is the host.
Ends with code 1 when another host takes over.
`;

const kMaxSessions = 2_000;

function sessionsOf(single: string, many: string | undefined): string[] {
  if (many === undefined) return [single];
  const [, prefix, count] = /^([A-Za-z0-9._-]{1,56}):(\d{1,4})$/.exec(many) ?? [];
  const number = Number(count);
  if (prefix === undefined || number < 1 || number > kMaxSessions) {
    throw new Error(`--sessions must be PREFIX:COUNT with a count from 1 to ${String(kMaxSessions)}.`);
  }
  return Array.from({ length: number }, (_, index) => `${prefix}-${String(index + 1)}`);
}

function toolsOf(list: string): string[] {
  const tools = list.split(',').map((name) => name.trim());
  const unknown = tools.filter((name) => !(toolNames as readonly string[]).includes(name));
  if (unknown.length > 0) throw new Error(`--tools: there is no tool "${unknown.join('", "')}".`);
  return tools;
}

function serverOf(given: string): string {
  if (!URL.canParse(given) || !/^https?:$/.test(new URL(given).protocol)) {
    throw new Error('--server must be an address such as http://127.0.0.1:22080.');
  }
  return new URL(given).origin;
}

// Undefined if the usage is requested. Throws an Error with a sentence for a person.
export function readArguments(args: string[], env: Record<string, string | undefined>): HostArguments | undefined {
  const { values } = parseArgs({
    args,
    options: {
      server: { type: 'string', default: 'http://127.0.0.1:22080' },
      'booking-path': { type: 'string', default: '/v1/booking' },
      token: { type: 'string' },
      session: { type: 'string', default: 'default' },
      sessions: { type: 'string' },
      dataset: { type: 'string' },
      takeover: { type: 'boolean', default: false },
      bookings: { type: 'string', default: '0' },
      tools: { type: 'string' },
      quiet: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return undefined;
  if (!/^\d{1,7}$/.test(values.bookings)) throw new Error('--bookings must be a number.');
  const token = values.token ?? env['PARLEY_TOKEN'];
  return {
    server: serverOf(values.server),
    bookingPath: values['booking-path'].replace(/\/+$/, ''),
    ...(token && { token }),
    sessions: sessionsOf(values.session, values.sessions),
    ...(values.dataset && { dataset: values.dataset }),
    takeover: values.takeover,
    bookings: Number(values.bookings),
    ...(values.tools && { tools: toolsOf(values.tools) }),
    quiet: values.quiet,
  };
}
