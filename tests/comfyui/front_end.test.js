// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Front ends of both generations, served by the server: all requests from the login to a chat with
// tools, in their order (contract of the chat, 1.3), with the Origin of their pages.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { WebSocket } from 'ws';
import { StandIn } from './lib/stand_in.js';

const program = join(process.env.PARLEY_BIN_DIR ?? '../../build/test/bin', 'parley');
const kPassword = 'correct horse 1';
const schema = (name, properties = {}) => ({ name, description: name, inputSchema: { type: 'object', properties } });
// The tools of front ends of the second generation.
const kTools = [
  schema('execute_workflow', { batchCount: { type: 'number' } }),
  schema('get_workflow'),
  schema('set_workflow', { workflowJson: { type: 'string' } }),
  schema('load_workflow', { workflow: { type: 'object' } }),
  schema('check_service_available'),
  schema('refresh_comfyui_iframe'),
];

describe('a front end of its own', () => {
  let folder;
  let comfy;
  let server;
  let url;
  let token = '';

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'parley-front-end-'));
    mkdirSync(join(folder, 'site'));
    writeFileSync(join(folder, 'site/index.html'), '<!doctype html><title>Theirs</title>');
    const env = { PATH: process.env.PATH, HOME: folder, LC_ALL: 'C.UTF-8' };
    const data = join(folder, 'data');
    execFileSync(program, ['user', 'add', 'ada@example.org', '--name', 'ada', '--data', data, '--password-stdin'], {
      env,
      input: `${kPassword}\n`,
    });
    comfy = await StandIn.start();
    const flags = [
      '--listen',
      '127.0.0.1:0',
      '--data',
      data,
      '--front-end',
      join(folder, 'site'),
      '--comfyui',
      comfy.url,
      '--runs-working-folder',
      folder,
    ];
    server = spawn(program, ['serve', ...flags], { env, cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
    process.once('exit', () => server.kill('SIGKILL'));
    url = await new Promise((done, fail) => {
      server.once('exit', () => fail(new Error('the server has ended')));
      server.stdout.on('data', (bytes) => done(/ready (\S+)/.exec(String(bytes))[1]));
    });
  });
  after(async () => {
    server?.kill('SIGKILL');
    await comfy?.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const call = async (method, path, body) => {
    const headers = {
      Origin: url,
      'Content-Type': 'application/json',
      ...(token === '' ? {} : { Authorization: `Bearer ${token}` }),
    };
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const said = await answer.json();
    assert.equal(said.code, 200, `${method} ${path}: ${JSON.stringify(said)}`);
    assert.match(said.timestamp, /^\d{13}$/);
    return said.data;
  };

  // Opens a chat at `path` as the page of its generation does: answers calls of the front end's tools with `results`.
  // The second generation shows calls of the server with `isMcpTool` as cards, for click(), and allows all others by
  // itself; the first shows each as a dialog. A client of the first generation echoes `toolCallId`.
  const chat = async (path, code, results) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`, { headers: { Origin: url } });
    const frames = [];
    const asked = [];
    const cards = [];
    const second = path.startsWith('/api');
    let wake = () => undefined;
    socket.on('message', (bytes) => {
      const frame = JSON.parse(bytes);
      frames.push(frame);
      if (frame.type === 'AGENT_TOOL_CALL_REQUEST') {
        const { toolName, toolArgs, isClientTool, toolCallId } = frame.data;
        asked.push(`${isClientTool ? 'client' : 'server'} ${toolName}`);
        const mine = isClientTool ? { success: true, result: JSON.stringify(results[toolName]) } : {};
        const ids = second
          ? { type: 'AGENT_TOOL_CALL_RESPONSE', toolCallId, isMcpTool: frame.data.isMcpTool }
          : { toolCallId };
        const answer = (isAllow) =>
          send('AGENT_TOOL_CALL_RESPONSE', frame.requestId, {
            data: { ...ids, toolName, toolArgs, isClientTool, isAllow, ...mine },
          });
        if (isClientTool || (second && frame.data.isMcpTool !== true)) answer(true);
        else cards.push(answer);
      }
      wake();
    });
    const send = (type, requestId, more) =>
      socket.send(JSON.stringify({ type, sessionCode: code, requestId, timestamp: Date.now(), ...more }));
    await new Promise((done, fail) => socket.once('open', done).once('error', fail));
    const until = async (fits) => {
      while (!frames.some(fits)) await new Promise((done) => (wake = done));
      return frames;
    };
    // Presses a button of the next card.
    const click = async (isAllow) => {
      await until(() => cards.length > 0);
      cards.shift()(isAllow);
    };
    return { send, until, asked, click, close: () => socket.close() };
  };
  const words = (frames, id) =>
    frames
      .filter((frame) => frame.type === 'AGENT_STREAM' && frame.requestId === id)
      .map((frame) => frame.content)
      .join('');

  test('the front end uses login, server, session, chat, tools and /help', async () => {
    for (const path of ['/', '/login', '/comfy/workflows/7'])
      assert.match(await (await fetch(url + path)).text(), /Theirs/);
    const login = await call('POST', '/auth/login', { email: 'ada', password: kPassword, rememberMe: true });
    assert.deepEqual([login.expiresIn, login.user.email, login.user.status], ['86400', 'ada@example.org', 'ACTIVE']);
    token = login.accessToken;
    assert.equal((await call('GET', '/users/me')).username, 'ada');
    assert.deepEqual(
      (await call('GET', '/permissions/my-roles')).map((role) => role.roleCode),
      ['USER'],
    );
    assert.ok((await call('GET', '/permissions/my-permissions')).includes('run'));
    let picked;
    // Front ends offer their tools for a healthy server alone; nobody has tested this one.
    do [picked] = await call('GET', '/comfyui-servers/enabled');
    while (picked.healthStatus === 'UNKNOWN');
    assert.deepEqual([picked.baseUrl, picked.healthStatus], [comfy.url, 'HEALTHY']);
    const editor = await fetch(`${url}/comfy/workflows/${picked.id}`, { headers: { Accept: 'text/html' } });
    assert.match(await editor.text(), /Theirs/, 'the editor is reloaded at an id with dots');
    const configs = await call('GET', '/agents/runtime/getUserAgentConfigs');
    const agent = configs.find((it) => it.agentConfig.trim() !== '').agentCode; // as front ends choose
    assert.equal(agent, 'WORKFLOW_CHAT');
    assert.ok((await call('GET', '/agents/runtime/enabled')).some((it) => it.agentCode === agent));
    assert.deepEqual(await call('GET', `/sessions/active?comfyuiServerId=${picked.id}`), []);
    assert.deepEqual(await call('GET', `/workflows?comfyuiServerId=${picked.id}`), []);
    const code = await call('POST', '/sessions', { comfyuiServerId: picked.id, title: 'A chat' });
    assert.match(code, /^session_[0-9a-f]{32}$/);
    assert.equal((await call('GET', `/sessions/active?comfyuiServerId=${picked.id}`))[0].sessionCode, code);
    assert.equal((await call('GET', `/sessions/${code}`)).comfyuiServerId, picked.id);
    assert.deepEqual(await call('GET', `/sessions/${code}/messages`), []);

    const tab = await chat(`/api/ws/chat?sessionCode=${code}&token=${token}`, code, {
      get_workflow: { content: '{"nodes":[]}', success: true },
    });
    const data = { type: 'USER_MESSAGE', agentCode: agent, toolSchemas: kTools, mcpConfig: '{}' };
    const over = (id) => tab.until((frame) => frame.requestId === id && frame.data?.promptType === 'COMPLETE');
    const run = (id, content) => {
      tab.send('USER_MESSAGE', id, { content, data });
      return over(id);
    };
    assert.match(words(await run('1769900000000', 'get_workflow {}'), '1769900000000'), /nodes/);
    assert.match(words(await run('1769900000001', 'list the models'), '1769900000001'), /dreamshaper_8/);
    tab.send('USER_MESSAGE', '1769900000002', { content: 'write_file {"path": "a.txt", "content": "x"}', data });
    await tab.click(false);
    assert.match(
      words(await over('1769900000002'), '1769900000002'),
      /rejected/i,
      'the page has not allowed it by itself',
    );
    assert.deepEqual(tab.asked, ['client get_workflow', 'server write_file'], 'what only looks asks nobody');
    await run('1769900000004', 'ask_question {"question": "Which colour?"}');
    assert.match(words(await run('1769900000005', 'Blue'), '1769900000005'), /Blue/, 'the next message is the answer');
    tab.send('USER_ORDER', '1769900000003', { content: '/help', data: { type: 'USER_ORDER', agentCode: agent } });
    const frames = await tab.until(
      (frame) => frame.requestId === '1769900000003' && frame.data?.promptType === 'COMPLETE',
    );
    assert.match(
      frames.findLast((frame) => frame.data?.promptType === 'AGENT_MESSAGE_BLOCK').data.message,
      /\/compact/,
    );
    tab.close();
    const roles = (await call('GET', `/sessions/${code}/messages`)).map((message) => message.role);
    assert.deepEqual(
      [...new Set(roles)].filter((role) => ['USER', 'ASSISTANT'].includes(role)),
      ['USER', 'ASSISTANT'],
    );
  });

  test('the first generation works in the same session', async () => {
    const [{ sessionCode }] = await call('GET', '/sessions');
    const tab = await chat(`/ws/chat/${sessionCode}?token=${token}`, sessionCode, { set_workflow: { success: true } });
    const workflow = '{"1":{"class_type":"KSampler","inputs":{"steps":20}}}';
    const old = { name: 'set_workflow', inputSchema: { type: 'object', properties: { workflow: { type: 'object' } } } };
    tab.send('USER_MESSAGE', '1', {
      content: 'workflow_node_set {"node": "1", "input": "steps", "value": 30}',
      data: { workflowContent: workflow, toolSchemas: [old] },
    });
    const frames = await tab.until((frame) => frame.requestId === '1' && frame.type === 'AGENT_COMPLETE');
    assert.deepEqual(frames.at(-1).data, {}, 'exactly one, last, without counters');
    assert.equal(frames.filter((frame) => frame.type === 'AGENT_COMPLETE').length, 1);
    const shown = frames.find(
      (frame) => frame.type === 'AGENT_TOOL_CALL_REQUEST' && frame.data.toolName === 'set_workflow',
    );
    assert.equal(JSON.parse(shown.data.toolArgs).workflow['1'].inputs.steps, 30);
    tab.send('USER_MESSAGE', '2', {
      content: 'write_file {"path": "b.txt", "content": "x"}',
      data: { workflowContent: '', toolSchemas: [old] },
    });
    await tab.click(true);
    const all = await tab.until((frame) => frame.requestId === '2' && frame.type === 'AGENT_COMPLETE');
    assert.equal(
      all.filter((frame) => frame.data?.promptType === 'COMPLETE').length,
      0,
      'the echo of toolCallId leaves the generation',
    );
    tab.close();
  });

  test('refresh and logout work', async () => {
    const login = await call('POST', '/auth/login', { email: 'ada@example.org', password: kPassword });
    const { accessToken } = await call('POST', '/auth/refresh', { refreshToken: login.refreshToken });
    token = accessToken;
    await call('POST', '/auth/logout');
    const gone = await fetch(`${url}/api/v1/users/me`, { headers: { Authorization: `Bearer ${accessToken}` } });
    assert.deepEqual([gone.status, (await gone.json()).code], [401, 401]);
  });
});
