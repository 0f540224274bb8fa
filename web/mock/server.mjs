// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// A stand-in for the server, for looking at the page: speaks the assistant dialect over one
// WebSocket and /v1 history from memory, is relay and booking backend (booking.mjs), and serves dist.
//   node mock/server.mjs [--port 22090] [--items N] [--pending N] [--people N] [--lang en|zh]
//                        [--studies N] [--records N] [--runs N] [--events N] [--live]
//                        [--chats N] [--said N] [--no-choices]
// Token: mock. POST /mock/ask asks; POST /mock/drop?ms=N cuts every line and refuses for N ms.
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { create, createFileRegistry, fromBinary, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { WebSocketServer } from 'ws';
import { answerBooking, joinRelay, moveRelay } from './booking.mjs';
import { makeChat } from './chat.mjs';
import { samplePrompt, sampleAnswer } from './samples.mjs';
import { makeRuns } from './runs.mjs';
import { makeStudies } from './studies.mjs';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '22090' },
    items: { type: 'string', default: '3' },
    pending: { type: 'string', default: '1' },
    people: { type: 'string', default: '2' },
    lang: { type: 'string', default: 'en' },
    studies: { type: 'string', default: '3' },
    records: { type: 'string', default: '0' },
    runs: { type: 'string', default: '3' },
    events: { type: 'string', default: '0' },
    live: { type: 'boolean', default: false },
    chats: { type: 'string', default: '3' },
    said: { type: 'string', default: '0' },
    'no-choices': { type: 'boolean', default: false },
  },
});
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const kToken = 'mock';
// That of the server itself: see src/net/http/static_files.cpp.
const kPolicy =
  "default-src 'self'; img-src 'self' data: blob:; media-src 'self' data: blob:; " +
  "connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

// The messages as protoc describes them, so that this file needs no generated code.
function describe() {
  const folder = mkdtempSync(join(tmpdir(), 'parley-mock-'));
  const out = join(folder, 'agentassist.pb');
  const args = ['-I', join(root, '..', 'proto'), `--descriptor_set_out=${out}`, 'agentassist.proto'];
  spawnSync(process.env.PROTOC ?? 'protoc', args, { stdio: 'inherit' });
  const bytes = readFileSync(out);
  rmSync(folder, { recursive: true });
  return createFileRegistry(fromBinary(FileDescriptorSetSchema, bytes));
}
const registry = describe();
const Frame = registry.getMessage('agentassistproto.WebsocketMessage');

const epoch = randomUUID();
const events = []; // {session, seq, at, direction, type, payload}
const open = new Map(); // key -> {prompt, kind, openedAt, done}
const clients = new Set(); // {socket, id, nickname, since}
let refusedUntil = 0;
const studies = makeStudies({
  count: Number(values.studies),
  records: Number(values.records),
  live: values.live,
});
const runs = makeRuns({
  count: Number(values.runs),
  events: Number(values.events),
  lang: values.lang,
  live: values.live,
});

const chat = await makeChat({ count: Number(values.chats), items: Number(values.said), lang: values.lang, bare: values['no-choices'] });

function append(at, type, payload) {
  const seq = events.length + 1;
  events.push({ session: 's1', seq, at: new Date(at).toISOString(), direction: 'in', type, payload });
  return seq;
}

function openEvent(key, kind, prompt, at) {
  const deadline = at + prompt.timeout_s * 1000;
  return append(at, 'interaction.opened', { id: key, key, kind, prompt, opened_at: at, deadline });
}

function seed(count) {
  const kGap = 37 * 60_000;
  let at = Date.now() - count * kGap;
  for (let i = 0; i < count; i += 1, at += kGap) {
    const key = `seed-${i}`;
    const { kind, prompt } = samplePrompt(i, values.lang);
    const opened_seq = openEvent(key, kind, prompt, at);
    const closing = sampleAnswer(i, kind, values.lang);
    append(at + 95_000, 'interaction.closed', { id: key, key, at: at + 95_000, opened_seq, ...closing });
  }
}

function requestOf(key, { kind, openedAt, prompt }) {
  const common = {
    ProjectDirectory: prompt.project_directory,
    Timeout: prompt.timeout_s,
    AgentName: prompt.agent_name,
    ReasoningModelName: prompt.model_name,
    McpClientName: prompt.client_name,
  };
  const outer = { ID: key, Timestamp: BigInt(openedAt) };
  if (kind === 'task_finish') return { ...outer, Request: { ...common, Summary: prompt.text } };
  const Questions = prompt.questions.map(({ choices, custom, header, multiple, text }) => {
    return { question: text, header, options: choices, multiple, custom };
  });
  return { ...outer, Request: { ...common, Question: prompt.text, Questions } };
}

function send(client, message) {
  client.socket.send(toBinary(Frame, create(Frame, message)));
}

function broadcast(message) {
  for (const client of clients) send(client, message);
}

function ask(prompt, kind, openedAt, done = () => undefined, key = randomUUID()) {
  const entry = { prompt, kind, openedAt, done };
  open.set(key, entry);
  openEvent(key, kind, prompt, openedAt);
  broadcast(
    kind === 'question'
      ? { Cmd: 'AskQuestion', AskQuestionRequest: requestOf(key, entry) }
      : { Cmd: 'TaskFinish', TaskFinishRequest: requestOf(key, entry) },
  );
  const left = openedAt + prompt.timeout_s * 1000 - Date.now();
  setTimeout(() => expire(key), Math.max(0, left)).unref();
  return key;
}

function expire(key) {
  const entry = open.get(key);
  if (!entry) return;
  open.delete(key);
  const reason = `Request timed out after ${entry.prompt.timeout_s} seconds`;
  append(Date.now(), 'interaction.closed', { id: key, key, state: 'expired', reason, at: Date.now() });
  const message_type = entry.kind === 'question' ? 'AskQuestion' : 'TaskFinish';
  broadcast({
    Cmd: 'RequestCancelled',
    RequestCancelledNotification: { requestId: key, reason, messageType: message_type },
  });
  entry.done({ IsError: true, Meta: { error: 'timeout', message: reason }, contents: [] });
}

const kContentTypes = ['', 'text', 'image', 'audio', 'resource'];

function storedContent(content) {
  const type = kContentTypes[content.type] ?? 'text';
  const part = content.text ?? content.image ?? content.audio ?? content.embeddedResource ?? {};
  const data = typeof part.data === 'string' ? part.data : Buffer.from(part.data ?? []).toString('base64');
  return { type, text: part.text ?? '', mime_type: part.mimeType ?? '', uri: part.uri ?? '', data };
}

function reply(client, kind, response) {
  const key = response?.ID ?? '';
  const entry = open.get(key);
  if (!entry) {
    const validity = { [key]: false };
    send(client, { Cmd: 'CheckMessageValidity', CheckMessageValidityResponse: { validity } });
    return;
  }
  open.delete(key);
  const contents = response.contents.map(storedContent);
  append(Date.now(), 'interaction.closed', {
    id: key,
    key,
    state: 'answered',
    answer: { is_error: response.IsError, meta: {}, contents },
    client_id: client.id,
    nickname: client.nickname,
    at: Date.now(),
  });
  const question = kind === 'question';
  broadcast({
    Cmd: question ? 'AskQuestionReplyNotification' : 'TaskFinishReplyNotification',
    [question ? 'AskQuestionRequest' : 'TaskFinishRequest']: requestOf(key, entry),
    [question ? 'AskQuestionResponse' : 'TaskFinishResponse']: response,
    StrParam: question
      ? `Response received from client ${client.id}`
      : `Task completion confirmed by client ${client.id}`,
    Nickname: client.nickname,
  });
  entry.done({ ID: key, contents: contents.map(({ text, type }) => ({ type: 1, text: { type, text } })) });
}

const userOf = ({ id, nickname, since }) => {
  return { clientId: id, nickname, connectedAt: BigInt(Math.floor(since / 1000)) };
};

function presence(client, status) {
  const message = {
    Cmd: 'UserConnectionStatusNotification',
    UserConnectionStatusNotification: {
      user: userOf(client),
      status,
      timestamp: BigInt(Math.floor(Date.now() / 1000)),
    },
  };
  for (const other of clients) if (other !== client) send(other, message);
}

function login(client, message) {
  const success = message.StrParam === kToken;
  const clientId = client.id;
  const errorMessage = success ? '' : 'invalid token';
  send(client, { Cmd: 'UserLogin', UserLoginResponse: { clientId, success, errorMessage } });
  if (!success) return client.socket.close(4401, 'invalid token');
  client.nickname = message.Nickname || 'Somebody';
  clients.add(client);
  presence(client, 'connected');
}

function say(client, { content, receiverClientId }) {
  for (const other of clients) {
    if (other.id !== receiverClientId) continue;
    const chatMessage = {
      messageId: randomUUID(),
      senderClientId: client.id,
      senderNickname: client.nickname,
      receiverClientId: other.id,
      receiverNickname: other.nickname,
      content,
      sentAt: BigInt(Math.floor(Date.now() / 1000)),
    };
    send(other, { Cmd: 'ChatMessageNotification', ChatMessageNotification: { chatMessage } });
  }
}

function pendingList() {
  return [...open].map(([key, entry]) => {
    const question = entry.kind === 'question';
    return {
      messageType: question ? 'AskQuestion' : 'TaskFinish',
      [question ? 'askQuestionRequest' : 'taskFinishRequest']: requestOf(key, entry),
      createdAt: BigInt(entry.openedAt),
      timeout: entry.prompt.timeout_s,
    };
  });
}

function handle(client, message) {
  if (message.Cmd === 'UserLogin') return login(client, message);
  if (!clients.has(client)) return undefined;
  switch (message.Cmd) {
    case 'GetPendingMessages': {
      const pendingMessages = pendingList();
      const totalCount = pendingMessages.length;
      return send(client, { Cmd: message.Cmd, GetPendingMessagesResponse: { pendingMessages, totalCount } });
    }
    case 'GetOnlineUsers': {
      const onlineUsers = [...clients].map(userOf);
      const totalCount = onlineUsers.length;
      return send(client, { Cmd: message.Cmd, GetOnlineUsersResponse: { onlineUsers, totalCount } });
    }
    case 'AskQuestionReply':
      return reply(client, 'question', message.AskQuestionResponse);
    case 'TaskFinishReply':
      return reply(client, 'task_finish', message.TaskFinishResponse);
    case 'SendChatMessage':
      return say(client, message.SendChatMessageRequest);
    default:
      return undefined;
  }
}

// --- HTTP --------------------------------------------------------------------------------------

function json(response, status, body) {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(body));
}

function page(url) {
  const types = (url.searchParams.get('types') ?? '').split(',');
  const before = Number(url.searchParams.get('before') ?? 0);
  const limit = Number(url.searchParams.get('limit') ?? 50);
  const after = Number(url.searchParams.get('after') ?? 0);
  const wanted = ({ seq }) => (before > 0 ? seq < before : seq > after);
  const all = events.filter((event) => types.includes(event.type) && wanted(event));
  const part = before > 0 ? all.slice(-limit) : all.slice(0, limit);
  return {
    epoch,
    first_seq: events[0]?.seq ?? 0,
    last_seq: events.at(-1)?.seq ?? 0,
    more: all.length > part.length,
    events: part,
  };
}

const kTypes = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.woff2': 'font/woff2' };

function file(response, path) {
  const name = normalize(path === '/' ? '/index.html' : path);
  try {
    const body = readFileSync(join(root, 'dist', name));
    const type = kTypes[extname(name)] ?? 'application/octet-stream';
    response.writeHead(200, { 'Content-Type': type, 'Content-Security-Policy': kPolicy });
    response.end(body);
  } catch {
    response.writeHead(404).end();
  }
}

async function bodyOf(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return parts.length > 0 ? JSON.parse(Buffer.concat(parts).toString('utf8')) : {};
}

async function askByRpc(request, response) {
  const { ID, Request } = await bodyOf(request);
  const questions = (Request.Questions ?? []).map(({ custom, header, multiple, options, question }) => {
    return { text: question, header: header ?? '', choices: options ?? [], multiple: multiple === true, custom: custom === true };
  });
  const prompt = {
    text: Request.Question ?? '',
    project_directory: Request.ProjectDirectory ?? '',
    agent_name: Request.AgentName ?? '',
    model_name: '',
    client_name: '',
    timeout_s: Request.Timeout || 600,
    questions,
  };
  ask(prompt, 'question', Date.now(), (answer) => json(response, 200, answer), ID);
}

const server = createServer(async (request, response) => {
  const url = new URL(request.url ?? '/', 'http://mock');
  if (Date.now() < refusedUntil) return response.destroy();
  if (url.pathname.startsWith('/mock/')) {
    if (moveRelay(url.pathname, url.searchParams, await bodyOf(request))) return json(response, 200, {});
    const kind = url.searchParams.get('kind') ?? 'question';
    const index = Number(url.searchParams.get('index') ?? 0);
    const { prompt } = samplePrompt(index, values.lang, kind);
    if (url.pathname === '/mock/ask') ask(prompt, kind, Date.now());
    if (url.pathname === '/mock/drop') {
      refusedUntil = Date.now() + Number(url.searchParams.get('ms') ?? 5000);
      for (const client of clients) client.socket.terminate();
      for (const socket of sockets.clients) socket.terminate();
      studies.cut();
      runs.cut();
      chat.cut();
    }
    return json(response, 200, {});
  }
  if (/^\/v1\/(booking|study-kit)\//.test(url.pathname)) {
    const found = answerBooking(request.method, url.pathname, url.searchParams, await bodyOf(request));
    return found ? json(response, ...found) : json(response, 404, {});
  }
  if (url.pathname.startsWith('/api/v1/')) {
    if (request.headers.authorization !== `Bearer ${kToken}`) return json(response, 401, { code: 401, message: 'no such token' });
    const answer = (status, body) => {
      json(response, status, body);
      return true;
    };
    if (chat.handle(request, response, url, await bodyOf(request), answer)) return undefined;
    return json(response, 404, {});
  }
  if (url.pathname.startsWith('/v1/') || url.pathname.startsWith('/agentassistproto')) {
    if (request.headers.authorization !== `Bearer ${kToken}`) return json(response, 401, {});
    if (url.pathname === '/v1/me') return json(response, 200, { session: 's1' });
    const answer = (status, body) => {
      json(response, status, body);
      return true;
    };
    if (studies.handle(request, response, url, answer)) return undefined;
    if (/^\/v1\/(runs|models|agents)\b/.test(url.pathname) && runs.handle(request, response, url, await bodyOf(request), answer)) return undefined;
    if (url.pathname.endsWith('/events')) return json(response, 200, page(url));
    return askByRpc(request, response);
  }
  return file(response, url.pathname);
});

const sockets = new WebSocketServer({ noServer: true });
server.on('upgrade', (request, stream, head) => {
  if (Date.now() < refusedUntil) return stream.destroy();
  const url = new URL(request.url ?? '/', 'http://mock');
  const isChat = url.pathname.startsWith('/api/ws/chat/');
  if (isChat && !chat.has(url)) return stream.destroy();
  return sockets.handleUpgrade(request, stream, head, (socket) => {
    if (isChat) return chat.join(socket, url);
    if (request.url?.startsWith('/agent/ws')) return joinRelay(socket);
    const client = { socket, id: randomUUID(), nickname: '', since: Date.now() };
    socket.on('message', (data, binary) => {
      if (binary) handle(client, fromBinary(Frame, data));
    });
    socket.on('close', () => {
      if (clients.delete(client)) presence(client, 'disconnected');
    });
  });
});

seed(Number(values.items));
for (let i = 0; i < Number(values.pending); i += 1) {
  const { kind, prompt } = samplePrompt(i, values.lang);
  ask(prompt, kind, Date.now() - (Number(values.pending) - i) * 40_000);
}
for (const nickname of ['Ada', 'Bo', '小林', 'Phone'].slice(0, Number(values.people))) {
  clients.add({ socket: { send: () => undefined, terminate: () => undefined }, id: `mock-${nickname}`, nickname, since: Date.now() });
}
server.listen(Number(values.port), '127.0.0.1', () => {
  console.log(`ready http://127.0.0.1:${server.address().port}/?token=${kToken}`);
});
