// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// event_stream.mjs FOLDER
//
// The peer of stream_bench: a Node server that generates the events of a run, appends them to a file,
// and sends them to one watcher, over `ws` or as an HTTP body of lines. Supports only the requests of
// that watcher. "pour REPLIES PIECES TURN" starts a run; each event is serialised once, for the file
// and the watcher. A reply ends with a checkpoint of its text, sent after a sync of the file.
// FOLDER/gate has the number of events that the watcher has seen.
import { createServer } from 'node:http';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { WebSocketServer } from 'ws';

const folder = process.argv[2];
const log = fs.openSync(path.join(folder, 'events.ndjson'), 'a');
const gate = fs.openSync(path.join(folder, 'gate'), 'a+');
const write = promisify(fs.write);
const sync = promisify(fs.fdatasync);
const nextTurn = promisify(setImmediate);
const later = promisify(setTimeout);
const seenBytes = new BigUint64Array(1);
const kWindow = 3500;
let runs = 0;

function seen() {
  fs.readSync(gate, seenBytes, 0, 8, 0);
  return Number(seenBytes[0]);
}

// Generates one run; `show` is called with each line after `wrap`.
async function pour(message, run, show, wrap) {
  const [, replies, pieces, perTurn] = message.split(' ').map(Number);
  const session = `session-${run}-0000-0000-0000-000000000000`;
  let next = 1;
  let waiting = [];
  let writing = Promise.resolve();
  const emit = (event) => {
    const line = JSON.stringify({ session_id: session, event_id: next++, ...event });
    waiting.push(line);
    show(wrap(line));
  };
  // Appends all waiting lines in one call; the stream continues meanwhile.
  const append = () => {
    const lines = waiting;
    waiting = [];
    writing = writing.then(() => write(log, `${lines.join('\n')}\n`));
    return writing;
  };
  emit({ type: 'run_start', run_id: run, message, agent: 'react', node_id: 'run-0' });
  while (seen() === 0) await later(1);
  for (let reply = 0; reply < replies; ++reply) {
    const node_id = `run-think-${reply}`;
    let text = '';
    emit({ type: 'node_enter', id: 'think', node_id });
    for (let piece = 0; piece < pieces;) {
      for (let i = 0; i < perTurn && piece < pieces; ++i, ++piece) {
        const content = 'some more words ';
        text += content;
        emit({ type: piece % 2 ? 'thought_chunk' : 'message_chunk', content, id: 'think', node_id });
      }
      if (waiting.length >= 512) append();
      if (next % 256 < perTurn) while (next > seen() + kWindow) await later(1);
      await nextTurn();
    }
    emit({ type: 'node_exit', id: 'think', result: 'Ok', node_id });
    await append();
    await sync(log);
    emit({ type: 'checkpoint', checkpoint_id: `${run}-${reply}`, step: reply, state: { text }, node_id });
  }
  await append();
  await sync(log);
  return { session, next };
}

const server = createServer(async (request, response) => {
  if (request.method === 'POST') {
    let body = '';
    for await (const part of request) body += part;
    const run = `run-${++runs}`;
    asked.set(run, JSON.parse(body).message);
    const answer = JSON.stringify({ id: run });
    response.writeHead(201, { 'Content-Type': 'application/json', 'Content-Length': answer.length });
    response.end(answer);
    return;
  }
  const run = request.url.split('/')[3];
  response.writeHead(200, { 'Content-Type': 'application/x-ndjson' });
  const show = (line) => response.write(line);
  const { session, next } = await pour(asked.get(run), run, show, (line) => `${line}\n`);
  response.end(`${JSON.stringify({ session_id: session, event_id: next, reply: '', run_id: run })}\n`);
});
const asked = new Map();

new WebSocketServer({ server, perMessageDeflate: false }).on('connection', (socket) => {
  socket.on('message', async (data) => {
    const { id, message } = JSON.parse(data);
    const run = `run-${++runs}`;
    const head = `{"type":"run_stream_event","id":${JSON.stringify(id)},"event":`;
    const { session } = await pour(
      message,
      run,
      (text) => socket.send(text),
      (line) => `${head}${line}}`,
    );
    socket.send(JSON.stringify({ type: 'run_end', id, session_id: session, run_id: run }));
  });
});

// No time-out: the connection of the NDJSON watcher is idle while other cases are measured.
server.keepAliveTimeout = 0;
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
