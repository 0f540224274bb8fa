// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Runs whose tool call waits for a person, their watchers, and readers of whole sessions.
import { setTimeout as pause } from 'node:timers/promises';
import { Socket } from './socket.js';
import { fingerprint } from './world.js';

const kLookMs = 1_000;
const kWatchers = 10; // of each run
const kQuietMs = 30_000; // of a watcher's WebSocket before it connects again

// A frame as a watcher keeps it. A reply has other members in each way to watch a run.
export function seenOf(frame) {
  const { event_id: seq, type = 'reply', reply, node_id } = frame;
  if (type !== 'reply') return { seq, type, print: fingerprint(frame) };
  return {
    seq,
    type,
    stop: [frame.stop_reason, frame.error].filter(Boolean).join(': '),
    print: fingerprint([reply, node_id]),
  };
}

async function watch(world, run) {
  const frames = run.watchers[run.watchers.push([]) - 1];
  const take = (frame) => {
    if (frame.event_id === undefined) return false;
    frames.push(seenOf(frame));
    return frame.stop_reason !== undefined;
  };
  const after = () => frames.at(-1)?.seq ?? 0;
  while (!run.isVoid) {
    const path = `/v1/runs/${run.id}/events?after=${after()}`;
    if (await world.lines(path, { token: run.space.token, take })) return;
    await pause(2 * kLookMs * Math.random());
  }
}

// The same on the WebSocket of Loom.
async function watchLoom(world, run) {
  const frames = run.watchers[run.watchers.push([]) - 1];
  while (!run.isVoid) {
    const socket = await Socket.open(world.node.url, `/loom/ws?token=${run.space.token}`);
    if (socket === undefined) {
      await world.wasLost();
      continue;
    }
    socket.send(JSON.stringify({ type: 'attach', id: 'w', run_id: run.id, after: frames.at(-1)?.seq ?? 0 }));
    for (let text; (text = await socket.next(kQuietMs)) !== undefined;) {
      const { type, event, id: _, ...reply } = JSON.parse(text);
      if (type === 'run_stream_event') frames.push(seenOf(event));
      if (type === 'run_end') {
        frames.push(seenOf(reply));
        socket.end();
        return;
      }
      if (type === 'error') break;
    }
    socket.end();
  }
}

// Resolves when the run is acknowledged: it has begun now, or an earlier attempt is listed.
async function begin(world, space, id) {
  const body = { message: 'read the file a.txt', approve: 'ask', run_id: id, working_folder: space.folder };
  for (;;) {
    const begun = await world.insist('POST', '/v1/runs', { token: space.token, body });
    if (begun.status === 201) return;
    if (begun.status !== 409) throw new Error(`${id}: ${begun.status} ${begun.text}`);
    const read = await world.insist('GET', `/v1/runs/${id}`, { token: space.token });
    if (read.status === 200) return;
    await world.wasLost(); // its launch was under way, and failed
  }
}

// Starts a run, and goes on with it whenever it was interrupted, until it has its reply.
export async function runner(world, space) {
  while (!world.isOver) {
    const id = world.name('run');
    await begin(world, space, id);
    const run = world.history.began(space, id);
    const watchers = Array.from({ length: kWatchers }, (_, i) => (i === 0 ? watchLoom : watch)(world, run));
    for (;;) {
      const read = await world.insist('GET', `/v1/runs/${id}`, { token: space.token });
      if (read.status !== 200) throw new Error(`${id}: ${read.status} ${read.text}`);
      const { state, first_event } = read.json();
      run.isVoid = state === 'failed' && first_event === 0;
      if (state === 'finished' || run.isVoid) break;
      if (state === 'interrupted' || state === 'failed') {
        const again = await world.insist('POST', `/v1/runs/${id}/resume`, { token: space.token, body: {} });
        if (![200, 400, 429].includes(again.status)) throw new Error(`${id}: ${again.status} ${again.text}`);
      }
      await pause(kLookMs * (0.5 + Math.random()));
    }
    await Promise.all(watchers);
  }
}

// Reads all events of a session as they come, over and over from where it was, until `signal` is aborted.
export async function reader(world, space, session, signal) {
  const seen = world.history.reads(space, session);
  const take = (line) => {
    if (line.seq !== undefined)
      seen.push({ seq: line.seq, type: line.type, print: fingerprint([line.type, line.payload, line.at]) });
  };
  while (!signal.aborted) {
    const path = `/v1/sessions/${session}/events?after=${seen.at(-1)?.seq ?? 0}`;
    await world.lines(path, { token: space.token, take, signal });
    await pause(kLookMs * Math.random());
  }
}
