// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// chat_relay.mjs FOLDER MODEL_URL
//
// The peer of chat_bench: a Node server that, for each USER_MESSAGE on a WebSocket, calls the model over
// HTTP, sends each piece of its stream as AGENT_STREAM, and appends all frames to a file, without a sync.
// INTERRUPT ends the stream. The messages of each chat are kept in memory.
import http from 'node:http';
import fs from 'node:fs';
import path from 'node:path';
import { WebSocketServer } from 'ws';
import { ask } from './model_stream.mjs';

const [folder, model] = process.argv.slice(2);
const log = fs.createWriteStream(path.join(folder, 'chats.ndjson'), { flags: 'a' });
let sessions = 0;
let seq = 0;

async function reply(socket, messages, { sessionCode, requestId, content }, signal) {
  const send = (type, more) => {
    const frame = JSON.stringify({ type, sessionCode, requestId, ...more, timestamp: Date.now(), seq: ++seq });
    log.write(`${frame}\n`);
    socket.send(frame);
  };
  messages.push({ role: 'user', content });
  send('AGENT_PROMPT', { data: { promptType: 'THINKING', message: 'Thinking.' } });
  let text = '';
  await ask(
    model,
    messages,
    (delta) => {
      if (!delta.content) return;
      text += delta.content;
      send('AGENT_STREAM', { content: delta.content });
    },
    signal,
  ).catch(() => send('AGENT_PROMPT', { data: { promptType: 'INTERRUPTED', message: 'Interrupted.' } }));
  messages.push({ role: 'assistant', content: text });
  send('AGENT_COMPLETE', { data: {} });
}

const server = http.createServer((request, response) => {
  request.resume();
  const code = `session_${(++sessions).toString(16).padStart(32, '0')}`;
  const body = JSON.stringify({ code: 200, message: '', data: code, traceId: null, timestamp: '' });
  response.writeHead(200, { 'Content-Length': body.length }).end(body);
});
new WebSocketServer({ server, perMessageDeflate: false }).on('connection', (socket) => {
  const messages = [];
  let stop = new AbortController();
  socket.on('message', (data) => {
    const message = JSON.parse(data);
    if (message.type === 'INTERRUPT') return stop.abort();
    stop = new AbortController();
    reply(socket, messages, message, stop.signal);
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
