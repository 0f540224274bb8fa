// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// ws_relay.mjs [LOG_DIR]   The peer of relay_bench: a minimal relay over `ws` with the same routing.
// Sessions have one host and any number of agents. Each message is parsed and serialised again; an
// agent's is sent to the host, a host's to every agent. With LOG_DIR a line is appended for each
// message received and sent, without a sync.
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { WebSocketServer } from 'ws';

const folder = process.argv[2];
if (folder !== undefined) mkdirSync(folder, { recursive: true });

const fromAgents = new Set(['session.start', 'snapshot.get', 'tool.call', 'agent.message', 'session.end']);
const fromHosts = new Set([
  'session.started',
  'snapshot.state',
  'tool.result',
  'state.updated',
  'error',
  'session.ended',
  'user.message',
]);
const sessions = new Map();

function write(socket, type, payload, replyTo) {
  socket.send(JSON.stringify({ v: 'mvp-0.2', type, replyTo, payload }));
}

function log(session, direction, type, payload = {}) {
  if (folder === undefined) return;
  const record = {
    sessionId: session.id,
    eventIndex: session.nextIndex++,
    timestamp: new Date().toISOString(),
    direction,
    type,
    payload,
  };
  appendFileSync(join(folder, `${session.id}.jsonl`), `${JSON.stringify(record)}\n`);
}

function enter(client, message) {
  const role = message.payload?.role;
  if (role !== 'host' && role !== 'agent') {
    return write(client.socket, 'error', { code: 'INVALID_MESSAGE', message: 'no role' }, message.id);
  }
  const id = message.payload.sessionId?.trim() || 'default';
  if (!sessions.has(id)) sessions.set(id, { id, host: undefined, agents: new Set(), nextIndex: 0 });
  client.session = sessions.get(id);
  client.role = role;
  if (role === 'host') client.session.host = client.socket;
  else client.session.agents.add(client.socket);
  write(client.socket, 'relay.joined', { role, sessionId: id }, message.id);
}

function passToHost(client, message) {
  const { session, socket } = client;
  log(session, 'in', message.type, message.payload);
  if (session.host === undefined) {
    return write(socket, 'error', { code: 'SESSION_NOT_ACTIVE', message: 'no host' }, message.id);
  }
  session.host.send(JSON.stringify({ v: 'mvp-0.2', ...message }));
  log(session, 'out', message.type, message.payload);
}

function passToAgents(client, message) {
  const { session } = client;
  log(session, 'in', message.type, message.payload);
  const text = JSON.stringify({ v: 'mvp-0.2', ...message });
  for (const agent of session.agents) agent.send(text);
  log(session, 'out', message.type, { delivered: session.agents.size, payload: message.payload });
}

function receive(client, data) {
  let message;
  try {
    message = JSON.parse(data.toString());
  } catch {
    message = undefined;
  }
  if (typeof message?.type !== 'string') {
    return write(client.socket, 'error', { code: 'INVALID_MESSAGE', message: 'no message' });
  }
  if (message.type === 'relay.join') return enter(client, message);
  const allowed = client.role === 'host' ? fromHosts : fromAgents;
  if (client.session === undefined || !allowed.has(message.type)) {
    return write(client.socket, 'error', { code: 'INVALID_MESSAGE', message: 'not now' }, message.id);
  }
  return client.role === 'host' ? passToAgents(client, message) : passToHost(client, message);
}

const server = new WebSocketServer({ host: '127.0.0.1', port: 0, path: '/agent/ws', perMessageDeflate: false });
server.on('connection', (socket) => {
  const client = { socket, session: undefined, role: undefined };
  write(socket, 'relay.hello', { message: 'Send relay.join with role=host|agent' });
  socket.on('message', (data) => receive(client, data));
  socket.on('close', () => {
    if (client.session === undefined) return;
    client.session.agents.delete(socket);
    if (client.session.host === socket) client.session.host = undefined;
  });
});
server.on('listening', () => console.log(server.address().port));
