// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The chat of the mock server: sessions, and runs that are played by what the message says.
import { deflateSync } from 'node:zlib';
import { kWords, kWorkflow } from './chat_samples.mjs';

const kStepMs = 30;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// A small PNG: a soft gradient, so that a picture looks like one.
function png(size, [red, green, blue]) {
  const rows = Buffer.alloc(size * (1 + 3 * size));
  for (let y = 0; y < size; y += 1) {
    for (let x = 0; x < size; x += 1) {
      const at = y * (1 + 3 * size) + 1 + 3 * x;
      const light = 0.55 + 0.45 * Math.cos((x + y) / size * 2) * Math.cos((x - y) / size * 3);
      [red, green, blue].forEach((value, i) => (rows[at + i] = Math.round(value * light)));
    }
  }
  const table = Array.from({ length: 256 }, (_, n) => {
    let c = n;
    for (let k = 0; k < 8; k += 1) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
    return c >>> 0;
  });
  const crc = (bytes) => {
    let c = 0xffffffff;
    for (const byte of bytes) c = table[(c ^ byte) & 0xff] ^ (c >>> 8);
    return (c ^ 0xffffffff) >>> 0;
  };
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const out = Buffer.alloc(8 + body.length);
    out.writeUInt32BE(data.length, 0);
    body.copy(out, 4);
    out.writeUInt32BE(crc(body), 4 + body.length);
    return out;
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(size, 0);
  head.writeUInt32BE(size, 4);
  head.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]), chunk('IHDR', head), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]);
}

const kPictures = [png(256, [214, 160, 96]), png(256, [96, 140, 190])];

class Session {
  sockets = new Map(); // socket -> nothing sent before
  frames = [];
  seq = 0;
  run = null; // {requestId, stopped}
  waiting = new Map(); // toolCallId -> {frame, answer}
  calls = 0;

  constructor(code, title, at, words) {
    Object.assign(this, { code, title, at, words });
  }

  emit(type, requestId, parts = {}, at = Date.now()) {
    this.seq += 1;
    const frame = { type, sessionCode: this.code, requestId, ...parts, timestamp: String(at), seq: this.seq };
    this.frames.push(frame);
    for (const socket of this.sockets.keys()) socket.send(JSON.stringify(frame));
    return frame;
  }

  prompt(requestId, promptType, message = '', more = {}) {
    return this.emit('AGENT_PROMPT', requestId, { data: { type: 'AGENT_PROMPT', promptType, message, ...more } });
  }

  say(requestId, text) {
    this.emit('AGENT_STREAM', requestId, { content: text });
  }

  call(requestId, toolName, toolArgs, isClientTool = false) {
    this.calls += 1;
    const toolCallId = `call-${this.code}-${this.calls}`;
    this.prompt(requestId, 'TOOL_CALLING', '', { toolCallId, toolName, toolArgs: JSON.stringify(toolArgs), isClientTool });
    return toolCallId;
  }

  result(requestId, toolCallId, toolName, result, success = true, durationMs = 42) {
    this.prompt(requestId, 'TOOL_RESULT', '', { toolCallId, toolName, success, result, durationMs });
  }

  // Asks the person, or their page; gives the answer.
  ask(requestId, toolCallId, toolName, toolArgs, isClientTool) {
    const frame = { type: 'AGENT_TOOL_CALL_REQUEST', sessionCode: this.code, requestId, content: toolName, data: { type: 'AGENT_TOOL_CALL_REQUEST', toolCallId, toolName, toolArgs: JSON.stringify(toolArgs), isClientTool, isMcpTool: false }, timestamp: String(Date.now()) };
    for (const socket of this.sockets.keys()) socket.send(JSON.stringify(frame));
    return new Promise((resolve) => this.waiting.set(toolCallId, { frame, resolve }));
  }

  usage(requestId, total) {
    this.emit('AGENT_COMPLETE', requestId, { data: { type: 'AGENT_COMPLETE', maxTokens: 32_000, maxMessages: 500, inputTokens: total - 120, outputTokens: 120, totalTokens: total, messageCount: 8 } });
  }
}

// --- runs ---

async function stream(session, requestId, text, run) {
  for (const part of text.match(/[^]{1,9}/gu) ?? []) {
    if (run?.stopped) return;
    session.say(requestId, part);
    if (run) await sleep(kStepMs);
  }
}

async function write(session, requestId, run, args = { path: 'b.txt', content: 'hello' }) {
  const id = session.call(requestId, 'write_file', args);
  const { allow, by } = await session.ask(requestId, id, 'write_file', args, false);
  session.prompt(requestId, 'TOOL_ANSWERED', '', { toolCallId: id, isAllow: allow, by });
  if (allow) session.result(requestId, id, 'write_file', `Wrote ${args.content.length} bytes to ${args.path}.`);
  else session.result(requestId, id, 'write_file', 'The person refused this call.', false, 1);
  session.prompt(requestId, 'TOOL_COMPLETE');
  if (!run.stopped) await stream(session, requestId, allow ? session.words.written : session.words.refused, run);
}

async function setSteps(session, requestId, run, workflow) {
  const args = { node: '3', input: 'steps', value: 30 };
  const id = session.call(requestId, 'workflow_node_set', args);
  const { allow, by } = await session.ask(requestId, id, 'workflow_node_set', args, false);
  session.prompt(requestId, 'TOOL_ANSWERED', '', { toolCallId: id, isAllow: allow, by });
  if (allow) {
    const open = JSON.parse(workflow || JSON.stringify(kWorkflow));
    const sampler = open.nodes?.find((node) => node.id === 3);
    if (sampler) sampler.widgets_values[2] = 30;
    await session.ask(requestId, `${id}.show`, 'set_workflow', { workflowJson: JSON.stringify(open) }, true);
  }
  session.result(requestId, id, 'workflow_node_set', allow ? 'Node 3 (KSampler): steps is 30 now, was 20.' : 'The person refused this call.', allow, 60);
  session.prompt(requestId, 'TOOL_COMPLETE');
  await stream(session, requestId, allow ? session.words.stepsSet : session.words.refused, run);
}

async function queue(session, requestId, run, fast = false) {
  const id = session.call(requestId, 'comfyui_queue', { wait: true });
  session.prompt(requestId, 'TERMINAL_OUTPUT_START', 'comfyui_queue', { toolCallId: id });
  session.say(requestId, 'queued as 7f3a, 0 before it\n');
  for (let step = 1; step <= 20 && !run?.stopped; step += 1) {
    session.say(requestId, `progress: KSampler ${step}/20\n`);
    if (!fast) await sleep(120);
  }
  session.prompt(requestId, 'TERMINAL_OUTPUT_END');
  const images = [1, 2].map((n) => ({ url: `/api/v1/comfyui/view?filename=kitchen_0000${n}.png&type=output`, filename: `kitchen_0000${n}.png`, subfolder: '', type: 'output' }));
  session.result(requestId, id, 'comfyui_queue', JSON.stringify({ status: 'success', images }), true, 2_640);
  session.prompt(requestId, 'TOOL_COMPLETE');
  await stream(session, requestId, session.words.pictures, fast ? null : run);
}

function plan(session, requestId) {
  const [first, second, third] = session.words.plan;
  session.prompt(requestId, 'STATUS_UPDATE', JSON.stringify({ message: session.words.status, phase: 'planning', title: session.words.statusTitle }));
  session.prompt(requestId, 'TODO_WRITE', JSON.stringify([{ content: first, status: 'completed' }, { content: second, status: 'in_progress' }, { content: third, status: 'pending' }]));
}

async function bash(session, requestId, fast = false) {
  const id = session.call(requestId, 'bash', { command: 'pip install -r requirements.txt' });
  session.prompt(requestId, 'TERMINAL_OUTPUT_START', 'bash', { toolCallId: id });
  for (let at = 0; at <= 100; at += 10) {
    session.say(requestId, `\r\u001b[32mDownloading\u001b[0m torch ${at}%`);
    if (!fast) await sleep(60);
  }
  session.say(requestId, '\nSuccessfully installed 3 packages\n');
  session.prompt(requestId, 'TERMINAL_OUTPUT_END');
  session.result(requestId, id, 'bash', 'Downloading torch 100%\nSuccessfully installed 3 packages\n', true, 5_200);
  session.prompt(requestId, 'TOOL_COMPLETE');
}

async function run(session, { content, data = {}, requestId, type }) {
  const mine = { requestId, stopped: false };
  session.run = mine;
  if (data.replaces) session.prompt(requestId, 'REPLACED', '', { replaces: data.replaces });
  session.emit('USER_MESSAGE', requestId, { content, data: { type, attachments: (data.multimodalContents ?? []).map((it) => ({ name: it.uploadFileName ?? 'text', mimeType: it.mimeType ?? 'text/plain' })) } });
  session.prompt(requestId, 'STARTED');
  session.prompt(requestId, 'THINKING');
  await sleep(250);
  const { words } = session;
  if (type === 'USER_ORDER' && content === '/help') session.prompt(requestId, 'AGENT_MESSAGE_BLOCK', words.help);
  else if (type === 'USER_ORDER' && content === '/clear') session.prompt(requestId, 'CLEAR');
  else if (type === 'USER_ORDER') {
    session.prompt(requestId, 'SUMMARY');
    session.prompt(requestId, 'AGENT_MESSAGE_BLOCK', words.summary);
  } else if (/fail/.test(content)) session.prompt(requestId, 'ERROR', words.error);
  else if (/write|创建/.test(content)) await write(session, requestId, mine);
  else if (/steps/.test(content)) await setSteps(session, requestId, mine, data.workflowContent);
  else if (/queue|生成/.test(content)) await queue(session, requestId, mine);
  else if (/plan|待办/.test(content)) plan(session, requestId);
  else if (/install/.test(content)) await bash(session, requestId);
  else if (/note/.test(content)) await session.ask(requestId, session.call(requestId, 'take_note', { text: 'Steps 30 look best.' }, true), 'take_note', { text: 'Steps 30 look best.' }, true);
  else if (/my file/.test(content)) await session.ask(requestId, session.call(requestId, 'pick_file', { reason: 'the list' }, true), 'pick_file', { reason: 'the list' }, true);
  else await stream(session, requestId, words.answer, mine);
  if (mine.stopped) return;
  session.usage(requestId, 4_000 + session.seq * 20);
  session.prompt(requestId, 'COMPLETE');
  session.run = null;
}

// --- what is there from the start ---

function told(session, at, content, data = {}) {
  const requestId = `r${session.seq + 1}`;
  session.emit('USER_MESSAGE', requestId, { content, data: { type: 'USER_MESSAGE', ...data } }, at);
  session.prompt(requestId, 'STARTED');
  return requestId;
}

function ended(session, requestId, total = 9_800) {
  session.usage(requestId, total);
  session.prompt(requestId, 'COMPLETE');
}

async function seedRich(session) {
  const { words } = session;
  const at = Date.now() - 20 * 60_000;
  const first = told(session, at, words.asks[0], { attachments: [{ name: 'kitchen.png', mimeType: 'image/png' }] });
  plan(session, first);
  const look = session.call(first, 'workflow_get', {});
  session.result(first, look, 'workflow_get', '3 KSampler\n4 CheckpointLoaderSimple\n5 EmptyLatentImage\n6 CLIPTextEncode', true, 12);
  await stream(session, first, words.answer);
  ended(session, first, 6_400);
  const second = told(session, at + 90_000, words.asks[1]);
  const set = session.call(second, 'workflow_node_set', { node: '3', input: 'steps', value: 30 });
  session.prompt(second, 'TOOL_ANSWERED', '', { toolCallId: set, isAllow: true, by: words.other });
  session.result(second, set, 'workflow_node_set', 'Node 3 (KSampler): steps is 30 now, was 20.', true, 60);
  await bash(session, second, true);
  await queue(session, second, null, true);
  ended(session, second, 11_900);
  const third = told(session, at + 240_000, words.asks[2]);
  const denied = session.call(third, 'delete_file', { path: 'output/old' });
  session.prompt(third, 'TOOL_ANSWERED', '', { toolCallId: denied, isAllow: false, by: '' });
  session.result(third, denied, 'delete_file', 'The person refused this call.', false, 1);
  const failed = session.call(third, 'read', { path: 'missing.txt' });
  session.result(third, failed, 'read', 'There is no file missing.txt.', false, 3);
  await stream(session, third, words.refused);
  session.prompt(third, 'ERROR', words.error);
  ended(session, third, 12_400);
}

async function seedMany(session, count) {
  const at = Date.now() - count * 60_000;
  for (let n = 0; n * 3 < count; n += 1) {
    const id = told(session, at + n * 60_000, `${n + 1}. ${session.words.asks[n % 3]}`);
    const call = session.call(id, 'read', { path: `reports/day-${n + 1}.md` });
    session.result(id, call, 'read', 'line one\nline two\nline three', true, 4);
    await stream(session, id, n % 4 === 0 ? session.words.answer : session.words.refused);
    ended(session, id, 8_000 + n);
  }
}

// `count` sessions: the newest is rich, one waits for an approval, one has many items.
export async function makeChat({ count = 3, items = 0, lang = 'en', bare = false }) {
  const words = kWords[lang] ?? kWords.en;
  const sessions = new Map();
  const add = (title, at) => {
    const code = `session_${String(sessions.size + 1).padStart(32, '0')}`;
    const session = new Session(code, title, at, words);
    sessions.set(code, session);
    return session;
  };
  for (let n = 0; n < count; n += 1) add(n < 3 ? words.titles[n] : `${words.titles[n % 3]} ${n}`, Date.now() - n * 47 * 60_000);
  const [rich, asking, many] = [...sessions.values()];
  if (rich) await seedRich(rich);
  if (asking) {
    const id = told(asking, Date.now() - 30_000, words.titles[1]);
    asking.run = { requestId: id, stopped: false };
    asking.prompt(id, 'THINKING');
    await stream(asking, id, words.willWrite);
    void write(asking, id, asking.run).then(() => {
      ended(asking, id);
      asking.run = null;
    });
  }
  if (many && items > 0) await seedMany(many, items);

  const toJson = ({ at, code, title }) => {
    const date = new Date(at).toISOString().slice(0, 19).replace('T', ' ');
    return { id: code.slice(-6), createTime: date, updateTime: date, sessionCode: code, userId: '1', comfyuiServerId: null, title, rules: '', status: 'ACTIVE' };
  };
  const wrap = (data) => ({ code: 200, message: 'ok', data, traceId: null, timestamp: String(Date.now()) });

  let allowed = bare ? [] : [{ toolName: 'bash', source: 'builtin', sessionCode: null }, { toolName: 'workflow_node_set', source: 'builtin', sessionCode: [...sessions.keys()][0] ?? null }, { toolName: 'comfyui_run', source: 'comfyui', sessionCode: [...sessions.keys()][1] ?? null }];

  function handle(request, response, url, body, answer) {
    const [, code] = /^\/api\/v1\/sessions(?:\/([^/]+))?$/.exec(url.pathname) ?? [null, null];
    if (url.pathname.startsWith('/api/v1/comfyui/view')) {
      response.writeHead(200, { 'Content-Type': 'image/png' });
      response.end(kPictures[url.searchParams.get('filename')?.includes('2.png') ? 1 : 0]);
      return true;
    }
    if (url.pathname === '/api/v1/comfyui-servers/enabled' && !bare) return answer(200, wrap([{ id: '1', serverName: 'Studio', healthStatus: 'HEALTHY' }]));
    if (url.pathname === '/api/v1/agents/runtime/enabled' && !bare) return answer(200, wrap([{ agentCode: 'react', agentName: 'react', description: '' }, { agentCode: 'got', agentName: 'got', description: '' }]));
    if (url.pathname.startsWith('/api/v1/allowed-tools')) {
      const [tool, session] = [url.pathname.split('/')[4], url.searchParams.get('sessionCode')];
      allowed = allowed.filter(({ sessionCode, toolName }) => request.method === 'GET' || toolName !== tool || sessionCode !== session);
      return answer(200, wrap(request.method === 'GET' ? allowed : null));
    }
    if (!url.pathname.startsWith('/api/v1/sessions')) return false;
    if (!code && request.method === 'GET') return answer(200, wrap([...sessions.values()].map(toJson)));
    if (!code) return answer(200, wrap(add(body.title ?? '', Date.now()).code));
    const session = sessions.get(code);
    if (!session) return answer(403, { code: 403, message: 'no such session', data: null });
    if (request.method === 'PUT') session.title = body.title ?? session.title;
    if (request.method === 'DELETE') sessions.delete(code);
    return answer(200, wrap(request.method === 'GET' ? toJson(session) : request.method === 'PUT' ? code : null));
  }

  function receive(session, socket, message) {
    const { data = {}, requestId, type } = message;
    if (type === 'PING') return socket.send(JSON.stringify({ type: 'PONG', sessionCode: session.code, requestId }));
    if (type === 'INTERRUPT' && session.run?.requestId === requestId) {
      session.run.stopped = true;
      session.run = null;
      session.waiting.clear();
      return session.prompt(requestId, 'INTERRUPTED');
    }
    if (type === 'AGENT_TOOL_CALL_RESPONSE') {
      const open = session.waiting.get(data.toolCallId);
      session.waiting.delete(data.toolCallId);
      if (open && data.isClientTool) session.result(requestId, data.toolCallId, data.toolName, data.result ?? data.error ?? '', data.success, 5);
      return open?.resolve({ allow: data.isAllow, by: '' });
    }
    if (type !== 'USER_MESSAGE' && type !== 'USER_ORDER') return undefined;
    if (session.run) return socket.send(JSON.stringify({ type: 'AGENT_PROMPT', sessionCode: session.code, requestId, data: { promptType: 'ERROR', message: 'A run of this session goes on.' } }));
    return run(session, message);
  }

  // Takes a socket to /api/ws/chat/{code}; false: there is no such session.
  function join(socket, url) {
    const session = sessions.get(url.pathname.split('/').at(-1));
    if (!session) return socket.close(4404);
    const after = Number(url.searchParams.get('after') ?? 0);
    for (const frame of session.frames) if (frame.seq > after) socket.send(JSON.stringify(frame));
    for (const { frame } of session.waiting.values()) socket.send(JSON.stringify(frame));
    session.sockets.set(socket, true);
    socket.on('message', (data) => receive(session, socket, JSON.parse(String(data))));
    socket.on('close', () => session.sockets.delete(socket));
    return undefined;
  }

  return { handle, join, has: (url) => sessions.has(url.pathname.split('/').at(-1)), cut: () => sessions.forEach(({ sockets }) => [...sockets.keys()].forEach((socket) => socket.terminate())) };
}
