// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The page of the stand-in for ComfyUI in a frame of a page of another origin, as in a chat page: the
// messages of its plugin, and the origins that it accepts.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { chromium } from 'playwright-core';
import { kBrowser, kFlags } from './lib/browser.js';

const program = join(process.env.PARLEY_BIN_DIR ?? '../../build/test/bin', 'parley-fake-comfyui');

const node = (id, type, widgets_values = [], inputs = []) => ({ id, type, mode: 0, widgets_values, inputs });
const workflow = {
  nodes: [
    node(1, 'LoadImage', ['example.png', 'image']),
    node(2, 'TestSlow', [3], [{ name: 'image', link: 1 }]),
    node(3, 'SaveImage', ['framed'], [{ name: 'images', link: 2 }]),
  ],
  links: [
    [1, 1, 0, 2, 0, 'IMAGE'],
    [2, 2, 0, 3, 0, 'IMAGE'],
  ],
  groups: [],
  version: 0.4,
};

describe('the page of the stand-in', () => {
  let server;
  let url;
  let host;
  let browser;
  let page;

  before(async () => {
    server = spawn(program, ['--tick', '2'], { stdio: ['ignore', 'pipe', 'ignore'] });
    process.once('exit', () => server.kill('SIGKILL'));
    url = await new Promise((resolve, reject) => {
      server.once('error', reject);
      server.stdout.on('data', (bytes) => resolve(/ready (\S+)/.exec(String(bytes))[1]));
    });
    host = createServer((request, answer) => {
      const { searchParams } = new URL(request.url, 'http://host');
      answer.setHeader('Content-Type', 'text/html');
      answer.end(`<!doctype html><iframe src="${url}/?${searchParams.get('with') ?? ''}"></iframe><script>
        window.told = [];
        window.addEventListener('message', (event) => told.push({ origin: event.origin, ...event.data }));
        window.say = (message) => document.querySelector('iframe').contentWindow.postMessage(message, '*');
      </script>`);
    });
    await new Promise((resolve) => host.listen(0, '127.0.0.1', resolve));
    browser = await chromium.launch({ executablePath: kBrowser, args: kFlags });
    page = await browser.newPage();
  });
  after(async () => {
    await browser?.close();
    host?.close();
    server?.kill('SIGTERM');
  });
  beforeEach(() => open());

  const open = (query = '') => page.goto(`http://127.0.0.1:${host.address().port}/?${query}`, { waitUntil: 'load' });
  const told = (type, requestId) =>
    page
      .waitForFunction(
        ([wanted, id]) =>
          window.told.find((message) => message.type === wanted && (id === undefined || message.requestId === id)),
        [type, requestId],
      )
      .then((handle) => handle.jsonValue());
  const ask = async (type, answer, payload) => {
    const requestId = `request-${Math.random()}`;
    await page.evaluate((message) => window.say(message), { type: `comfy-pilot:${type}`, payload, requestId });
    return told(`comfy-pilot:${answer}`, requestId);
  };

  test('a ping without an id is answered with the server’s origin', async () => {
    await page.evaluate(() => window.say({ type: 'comfy-pilot:ping' }));
    const pong = await told('comfy-pilot:pong');
    assert.equal(pong.origin, url);
    assert.ok(pong.payload.version);
  });

  test('a workflow is set, read back, reported as changed and renewed', async () => {
    assert.deepEqual((await ask('set-workflow', 'workflow-set', workflow)).payload, { success: true });
    assert.deepEqual((await ask('get-workflow', 'workflow-data')).payload, workflow);
    assert.deepEqual((await told('comfy-pilot:workflow-graph-changed')).payload, workflow);
    await ask('set-workflow', 'workflow-set', JSON.stringify(workflow));
    assert.equal((await ask('new-workflow', 'workflow-created')).payload.success, true);
    assert.deepEqual((await ask('get-workflow', 'workflow-data')).payload.nodes, []);
  });

  test('a workflow is executed and its pictures are named', async () => {
    await ask('set-workflow', 'workflow-set', workflow);
    const { payload } = await ask('execute-workflow', 'execution-result', { batchCount: 1 });
    assert.equal(payload.success, true, JSON.stringify(payload));
    const [image] = payload.outputs.outputs[3].images;
    assert.match(image.filename, /^framed_/);
    assert.equal(payload.promptId, payload.outputs.promptId);
  });

  test('an impossible request is answered with an error under its id', async () => {
    assert.match((await ask('set-workflow', 'error', { nodes: 3 })).payload.message, /nodes and links/);
    assert.match((await ask('set-workflow', 'error', '{')).payload.message, /JSON/);
    await ask('new-workflow', 'workflow-created');
    const { payload } = await ask('execute-workflow', 'execution-result', {});
    assert.equal(payload.success, false);
    assert.match(payload.error, /no outputs/);
  });

  test('a page of another origin hears nothing', async () => {
    await open('with=origin%3Dhttps%3A%2F%2Fchat.example');
    await page.evaluate(() => {
      window.say({ type: 'comfy-pilot:ping' });
      window.say({ type: 'comfy-pilot:new-workflow' });
    });
    // A later message to the same frame is delivered after those two.
    const frame = page.frames().find((one) => one.url().startsWith(url));
    await frame.evaluate(
      () =>
        new Promise((resolve) => {
          window.addEventListener('message', resolve, { once: true });
          window.postMessage('after', '*');
        }),
    );
    assert.deepEqual(await page.evaluate(() => window.told), []);
  });
});
