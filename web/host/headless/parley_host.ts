// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// parley-host: the host of the movie booking without a browser, for one session or many.
import WebSocket from 'ws';
import { overSocket, relayUrl } from '../engine/relay_transport';
import { createRestBackend } from '../engine/rest_backend';
import { type HostArguments, kUsage, readArguments } from './arguments';
import { createHeadlessHost, type HeadlessHost } from './headless_host';
import { visibleText } from '@/text/visible_text';

// Time for the agents to receive the end of the last booking before the host disconnects.
const kFarewellMs = 5_000;
const kFarewellCheckMs = 50;

interface Ends {
  onAllBooked: () => void;
  onAllReplaced: () => void;
}

function startHosts(given: HostArguments, { onAllBooked, onAllReplaced }: Ends): HeadlessHost[] {
  const joined = new Set<string>();
  const replaced = new Set<string>();
  let booked = 0;
  const backend = createRestBackend({
    base: `${given.server}${given.bookingPath}`,
    ...(given.token && { token: given.token }),
    ...(given.dataset && { dataset: given.dataset }),
  });
  const onJoined = (session: string): void => {
    const before = joined.size;
    joined.add(session);
    if (before === joined.size || joined.size < given.sessions.length) return;
    process.stdout.write(`${JSON.stringify({ event: 'ready', sessions: given.sessions })}\n`);
  };
  return given.sessions.map((sessionId) =>
    createHeadlessHost({
      sessionId,
      backend,
      open: overSocket(() => new WebSocket(relayUrl(given.server, given.token), { maxPayload: 16 << 20 })),
      takeover: given.takeover,
      ...(given.tools && { tools: given.tools }),
      turn: (act) => setImmediate(act),
      say: (sentence) => {
        if (!given.quiet) process.stderr.write(`${visibleText(`${sessionId}: ${sentence}`, true)}\n`);
      },
      onJoined: () => {
        onJoined(sessionId);
      },
      onReplaced: () => {
        replaced.add(sessionId);
        if (replaced.size === given.sessions.length) onAllReplaced();
      },
      onBooked: () => {
        booked += 1;
        if (booked === given.bookings) onAllBooked();
      },
    }),
  );
}

function main(): void {
  let given: HostArguments | undefined;
  try {
    given = readArguments(process.argv.slice(2), process.env);
  } catch (error) {
    process.stderr.write(`parley-host: ${error instanceof Error ? error.message : String(error)}\n`);
    process.stderr.write('Try --help.\n');
    process.exitCode = 2;
    return;
  }
  if (given === undefined) {
    process.stdout.write(kUsage);
    return;
  }
  let hosts: HeadlessHost[] = [];
  const stop = (code = 0): void => {
    for (const host of hosts) host.stop();
    process.exit(code);
  };
  const stopWithoutAgents = (until: number): void => {
    const present = hosts.some((host) => host.bridge.view.agents.length > 0);
    if (!present || Date.now() >= until) stop();
    else setTimeout(stopWithoutAgents, kFarewellCheckMs, until);
  };
  hosts = startHosts(given, {
    onAllBooked: () => {
      stopWithoutAgents(Date.now() + kFarewellMs);
    },
    onAllReplaced: () => {
      process.stderr.write('parley-host: another host took over.\n');
      stop(1);
    },
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      stop();
    });
  }
  for (const host of hosts) void host.start();
}

main();
