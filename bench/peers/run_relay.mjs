// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// run_relay.mjs FOLDER MODEL_URL
//
// The peer of runs_bench: a Node server that, for each {"type":"run"} on a WebSocket, calls the model
// over HTTP, sends each piece of its stream as an event, and appends the events to a file, without a
// sync. After a tool call the model is called again at once. The only state of a run is its messages.
import http from 'node:http';
import fs from 'node:fs';
import path from 'node:path';
import { WebSocketServer } from 'ws';
import { ask } from './model_stream.mjs';

const [folder, model] = process.argv.slice(2);
const log = fs.createWriteStream(path.join(folder, 'events.ndjson'), { flags: 'a' });
let runs = 0;

async function run(socket, { id, message }) {
  const run_id = `run-${++runs}`;
  const session_id = `session-${run_id}-0000-0000-0000-000000000000`;
  let event_id = 1;
  const emit = (event) => {
    const line = JSON.stringify({ session_id, event_id: event_id++, ...event });
    log.write(`${line}\n`);
    socket.send(`{"type":"run_stream_event","id":${JSON.stringify(id)},"event":${line}}`);
  };
  const messages = [{ role: 'user', content: message }];
  emit({ type: 'run_start', run_id, message, agent: 'react', node_id: 'run-0' });
  let reply = '';
  for (let step = 0, calls = true; calls; ++step) {
    const node_id = `run-think-${step}`;
    calls = false;
    reply = '';
    emit({ type: 'node_enter', id: 'think', node_id });
    await ask(model, messages, (delta) => {
      if (delta.content) {
        reply += delta.content;
        emit({ type: 'message_chunk', content: delta.content, id: 'think', node_id });
      }
      if (delta.tool_calls) calls = true;
    });
    messages.push({ role: 'assistant', content: reply });
    emit({ type: 'checkpoint', checkpoint_id: `${run_id}-${step}`, step, state: { messages }, node_id });
  }
  socket.send(JSON.stringify({ type: 'run_end', id, reply, session_id, run_id }));
}

const server = http.createServer((request, response) => response.writeHead(404).end());
new WebSocketServer({ server, perMessageDeflate: false }).on('connection', (socket) => {
  socket.on('message', (data) => run(socket, JSON.parse(data)));
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
