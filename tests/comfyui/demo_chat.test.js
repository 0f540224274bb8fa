// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// scripts/demo-chat and the conversation that it proposes, over the chat's WebSocket and in a real
// browser: the real server, the stand-in for ComfyUI, and the built-in demonstration as model.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { atRest, call, direct, part, say } from '../e2e/lib/chat.js';
import { Person } from '../e2e/lib/person.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const bin = resolve(process.env.PARLEY_BIN_DIR ?? join(root, 'build/test/bin'));

// One tab of the chat.
class Tab {
  frames = [];
  #waiting = [];
  #count = 0;

  constructor(url, token, code) {
    this.code = code;
    this.socket = new WebSocket(`${url.replace('http', 'ws')}/api/ws/chat/${code}?token=${token}`);
    this.socket.on('message', (data) => {
      this.frames.push(JSON.parse(data));
      for (const look of this.#waiting.splice(0)) look();
    });
    this.opened = new Promise((done, fail) => this.socket.once('open', done).once('error', fail));
  }

  send(type, requestId, more) {
    this.socket.send(JSON.stringify({ type, sessionCode: this.code, requestId, ...more }));
  }

  async wait(what) {
    for (;;) {
      const found = this.frames.find(what);
      if (found !== undefined) return found;
      await new Promise((done) => this.#waiting.push(done));
    }
  }

  // Sends a message with the workflow open and allows all calls; resolves with the frames of the run.
  async say(content, workflow) {
    const id = String(++this.#count);
    const mine = (frame) => frame.requestId === id;
    this.send('USER_MESSAGE', id, { content, data: { type: 'USER_MESSAGE', workflowContent: workflow } });
    const asked = (frame) => mine(frame) && frame.type === 'AGENT_TOOL_CALL_REQUEST';
    const ended = (frame) => mine(frame) && frame.data?.promptType === 'COMPLETE';
    const first = await this.wait((frame) => asked(frame) || ended(frame));
    if (asked(first)) {
      const { toolCallId, toolName, toolArgs } = first.data;
      this.send('AGENT_TOOL_CALL_RESPONSE', id, {
        data: { type: 'AGENT_TOOL_CALL_RESPONSE', toolCallId, toolName, toolArgs, isClientTool: false, isAllow: true },
      });
      await this.wait(ended);
    }
    return this.frames.filter(mine);
  }
}

const words = (frames) =>
  frames
    .filter((frame) => frame.type === 'AGENT_STREAM')
    .map((frame) => frame.content)
    .join('');

let folder;
let demo;
let told = '';
let page;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parley-demo-chat-'));
  demo = spawn('scripts/demo-chat', [], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: folder, TMPDIR: folder, LC_ALL: 'C.UTF-8', PARLEY_BIN_DIR: bin },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await new Promise((done, fail) => {
    demo.once('exit', () => fail(new Error(told)));
    demo.stderr.setEncoding('utf8').on('data', (text) => {
      told += text;
      if (told.includes('Ctrl-C ends all of it')) done();
    });
  });
  page = /The chat page: (http:\/\/\S+)\/\?token=(\S+)#\/chat\/(session_[0-9a-f]{32})\?workflow=(\d+)/.exec(told);
});

after(() => {
  demo.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const kPicture = '[data-test=picture][data-state=shown]';

test('the link shows a new browser a changed, queued workflow with pictures', async () => {
  const [, url, token] = page;
  const person = await Person.open({ url }, null);
  try {
    const tab = person.page;
    const done = (tool) => call(tab, 'done').and(tab.locator(`[data-tool=${tool}]`));
    await tab.goto(told.match(/The chat page: (\S+)/)[1]);
    await atRest(tab);
    await part(tab, 'workflow-node').first().waitFor();
    assert.doesNotMatch(tab.url(), new RegExp(token), 'the address keeps no token');
    for (const steps of [5, 6]) {
      await say(tab, `set steps of node 3 to ${steps}`);
      await done('workflow_node_set')
        .filter({ hasText: `steps = ${steps}` })
        .waitFor();
      await atRest(tab);
      await say(tab, 'queue the workflow');
      await tab.locator('[data-settling=false]').waitFor();
      await part(tab, 'allow-once').click();
      await call(tab, 'asking').waitFor({ state: 'detached' });
      await atRest(tab);
      await done('comfyui_run').last().locator(kPicture).waitFor();
    }
    await say(tab, direct('comfyui_history', { limit: 10 }));
    await done('comfyui_history').locator(kPicture).nth(1).waitFor();
    assert.match(await done('comfyui_history').innerText(), /2 pictures/);
  } finally {
    await person.close();
  }
});

test('the demo user signs in and sees the chat without administrator rights', async () => {
  const [, url, , code] = page;
  const [, name, password] = /with the name (\S+) and the password (\S+)/.exec(told);
  const person = await Person.open({ url }, null);
  try {
    const tab = person.page;
    await part(tab, 'sign-in-by-password').click();
    await part(tab, 'user').fill(name);
    await part(tab, 'password').fill(password);
    await part(tab, 'password').press('Enter');
    await part(tab, 'nav-chat').first().click();
    await tab.locator(`[data-test=session][data-code=${code}]`).click();
    await atRest(tab);
    await part(tab, 'nav-settings').first().click();
    await part(tab, 'devices-open').click();
    assert.equal(await part(tab, 'own-rights').innerText(), 'Rights: ask, answer, read, run agents');
  } finally {
    await person.close();
  }
});

test('the conversation proposed by make demo-chat succeeds', async () => {
  assert.ok(page, told);
  const [, url, token, code, id] = page;
  const workflow = readFileSync(join(root, 'examples/comfyui/text_to_image.json'), 'utf8');
  const kept = await fetch(`${url}/api/v1/workflows/${id}/content`, { headers: { authorization: `Bearer ${token}` } });
  assert.equal((await kept.json()).data, workflow, 'the page opens it by its link');
  const tab = new Tab(url, token, code);
  await tab.opened;
  assert.match(words(await tab.say('list the models', workflow)), /dreamshaper_8\.safetensors/);
  assert.match(words(await tab.say('有哪些节点', workflow)), /KSampler/);
  assert.match(words(await tab.say('set steps of node 3 to 12; validate the workflow', workflow)), /is valid/);
  const run = words(await tab.say('queue the workflow', workflow));
  assert.match(run, /progress: KSampler \d+\/8/);
  const picture = /"url":"([^"]+)"/.exec(run)[1];
  const file = await fetch(url + picture, { headers: { authorization: `Bearer ${token}` } });
  assert.equal(file.headers.get('content-type'), 'image/png');
  assert.match(file.headers.get('content-security-policy'), /sandbox/);
  assert.equal(Buffer.from(await file.arrayBuffer()).toString('latin1', 1, 4), 'PNG');
  assert.equal((await fetch(url + picture)).status, 401);
  tab.socket.terminate();
});

test('Ctrl-C ends every process of the demo', async () => {
  const ended = new Promise((done) => demo.once('exit', done));
  demo.kill('SIGINT');
  await ended;
  const [, url] = page;
  await assert.rejects(fetch(`${url}/healthz`));
  assert.match(told, /parley session list --data/);
});
