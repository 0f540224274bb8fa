// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The actors of a soak. Each call does one round and must leave no session, run or connection.
import { Socket } from '../attack/lib/wire.js';

const kPatienceMs = 30_000;
let number = 0;

async function json(answer, ...fine) {
  const text = await answer.text();
  if (!answer.ok && !fine.includes(answer.status)) throw new Error(`${answer.url}: ${answer.status} ${text}`);
  return text === '' ? null : JSON.parse(text);
}

// Reads a stream until `enough(text)` is true or the stream ends, and closes it.
async function watch(server, path, accept, enough) {
  const leave = new AbortController();
  const answer = await fetch(server.url + path, {
    headers: { Authorization: `Bearer ${server.token}`, Accept: accept },
    signal: AbortSignal.any([leave.signal, AbortSignal.timeout(kPatienceMs)]),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  let text = '';
  const decoder = new TextDecoder();
  for await (const piece of answer.body) {
    text += decoder.decode(piece, { stream: true });
    if (enough(text)) break;
  }
  leave.abort();
  return text;
}

async function answered(server) {
  const key = `soak-${++number}`;
  await json(await server.call('POST', '/v1/interactions', { key, prompt: { text: `Question ${key}?` } }));
  const won = await json(await server.call('POST', `/v1/interactions/${key}/answer`, { text: 'yes' }));
  if (won === null) throw new Error('no answer to an answer');
}

async function cancelled(server) {
  const key = `soak-${++number}`;
  await json(await server.call('POST', '/v1/interactions', { key, prompt: { text: `Question ${key}?` } }));
  await json(await server.call('POST', `/v1/interactions/${key}/cancel`, {}));
}

// A question that expires after a second.
async function expired(server) {
  const key = `soak-${++number}`;
  const asked = await server.call('POST', '/v1/interactions', {
    key,
    prompt: { text: `Question ${key}?`, timeout_s: 1 },
    wait: 5,
  });
  await json(asked, 408, 504);
}

const started = async (server, message) =>
  (await json(await server.call('POST', '/v1/runs', { message, working_folder: server.home, approve: 'auto' }))).id;

async function unwatchedRun(server) {
  const id = await started(server, 'list the files here');
  for (const until = Date.now() + kPatienceMs; Date.now() < until;) {
    const run = await json(await server.call('GET', `/v1/runs/${id}`));
    if (run.state !== 'running') return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`the run ${id} did not end`);
}

async function watchedRun(server) {
  const id = await started(server, 'list the files here');
  await watch(server, `/v1/runs/${id}/events`, 'application/x-ndjson', (text) => text.includes('"stop_reason"'));
}

// The watcher disconnects at the first line, and the run is cancelled.
async function leftRun(server) {
  const id = await started(server, 'run the command "sleep 0.2"');
  await watch(server, `/v1/runs/${id}/events`, 'text/event-stream', (text) => text.includes('data:'));
  await json(await server.call('POST', `/v1/runs/${id}/cancel`, {}), 400, 409); // it may have ended
}

// Starts a run once it watches: no other actor may be at work any more, and the list tells changes alone.
async function listWatcher(server) {
  let run;
  await watch(server, '/v1/runs', 'text/event-stream', (text) => {
    run ??= started(server, 'list the files here');
    return text.includes('data:');
  });
  await run;
}

// Logs in on /ws as the page does, and closes without a close frame.
async function person(server) {
  const socket = await Socket.open(server.port, '/ws');
  const text = (field, value) => Buffer.concat([Buffer.from([(field << 3) | 2, value.length]), Buffer.from(value)]);
  await socket.sendBytes(Buffer.concat([text(1, 'UserLogin'), text(12, server.token)]));
  await socket.frames((all) => all.length > 0, 'the login');
  socket.end();
}

// A host and an agent: a study with a few messages.
async function study(server) {
  const session = `soak-${++number}`;
  const host = await Socket.open(server.port, '/agent/ws');
  const agent = await Socket.open(server.port, '/agent/ws');
  try {
    const say = (wire, type, payload, more = {}) =>
      wire.send(JSON.stringify({ v: 'mvp-0.2', id: `${type}-${session}`, type, payload, ...more }));
    const hears = (wire, type) =>
      wire.frames((all) => all.some((one) => one.payload.includes(`"type":"${type}"`)), type);
    await say(host, 'relay.join', { role: 'host', sessionId: session });
    await hears(host, 'relay.joined');
    await say(agent, 'relay.join', { role: 'agent', sessionId: session });
    await hears(agent, 'relay.joined');
    for (const [asks, answers] of [
      ['session.start', 'session.started'],
      ['session.end', 'session.ended'],
    ]) {
      await say(agent, asks, { studyId: 'soak', participantId: session });
      const heard = await hears(host, asks);
      const { id } = JSON.parse(heard.find((one) => one.payload.includes(`"type":"${asks}"`)).payload.toString());
      await say(host, answers, { sessionId: session, stateReset: true }, { replyTo: id });
      await hears(agent, answers);
      if (asks === 'session.start')
        for (let n = 0; n < 5; ++n) await say(agent, 'agent.message', { text: `word ${n}` });
    }
  } finally {
    host.end();
    agent.end();
  }
}

export const actors = { answered, cancelled, expired, unwatchedRun, watchedRun, leftRun, listWatcher, person, study };
