// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// MCP over HTTP: clients that real agents use, and what no client library sends.
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { httpClients } from './lib/clients.js';
import { Caller, answerOf, asking, events, kToken, startServer } from './lib/http.js';
import { Home } from './lib/programs.js';
import { Ui } from './lib/ui.js';

const textOf = (result) => result.content[0].text;

for (const { name, connect, call, revision } of httpClients) {
  describe(name, () => {
    let home;
    let server;
    let client;
    let ui;

    beforeEach(async () => {
      home = new Home();
      server = await startServer(home);
      client = await connect(server.url, kToken);
      ui = await Ui.login(server.url, kToken);
    });
    afterEach(async () => {
      ui.close();
      await client.close();
      await server.kill();
      home.remove();
    });

    test('a person answers, several questions in any order', async () => {
      const names = ['one', 'two', 'three'];
      const asked = names.map((each) => call(client, asking(each)));
      for (const each of [...names].reverse()) ui.answer(await ui.question(each), `answer ${each}`);
      assert.deepEqual(
        (await Promise.all(asked)).map(textOf),
        names.map((each) => `answer ${each}`),
      );
    });

    test('a cancelled question leaves the inbox', async () => {
      const stop = new AbortController();
      const asked = call(client, asking('never mind'), { signal: stop.signal });
      const { ID } = await ui.question('never mind');
      stop.abort('changed my mind');
      await assert.rejects(asked);
      const { RequestCancelled } = await ui.until((each) => each.Cmd === 'RequestCancelled');
      assert.equal(RequestCancelled.request_id, ID);
      assert.match(RequestCancelled.reason, revision === '2026-07-28' ? /closed its request/ : /agent cancelled/);
    });

    test('tools and prompts are listed; a prompt is filled', async () => {
      const { tools } = await client.listTools();
      assert.deepEqual(
        tools.map((tool) => tool.name),
        ['ask_question', 'task_finish', 'work_report'],
      );
      const { prompts } = await client.listPrompts();
      assert.deepEqual(
        prompts.map((prompt) => prompt.name),
        ['ask-before-risk', 'finish-with-report', 'review-plan'],
      );
      const { messages } = await client.getPrompt({ name: 'review-plan', arguments: { plan: 'Paint it blue.' } });
      assert.match(messages[0].content.text, /ask_question[^]*Paint it blue\.$/);
      await assert.rejects(client.getPrompt({ name: 'review-plan', arguments: {} }), /plan/);
    });

    test('wrong arguments are told to the model', async () => {
      const result = await call(client, { name: 'ask_question', arguments: { question: 'where?' } });
      assert.equal(result.isError, true);
      assert.match(textOf(result), /project_directory/);
    });

    test('a wrong token is refused', async () => {
      await assert.rejects(connect(server.url, 'not-the-token-of-this-test'), /401|token/i);
    });
  });
}

describe('MCP over HTTP', () => {
  let home;
  let server;
  let ui;
  let caller;

  beforeEach(async () => {
    home = new Home();
    server = await startServer(home);
    ui = await Ui.login(server.url, kToken);
    caller = new Caller(server.url);
  });
  afterEach(async () => {
    ui.close();
    await server.kill();
    home.remove();
  });

  test('both generations alternate on one connection', async () => {
    await caller.initialize();
    for (let i = 0; i < 3; i += 1) {
      assert.equal((await answerOf(await caller.legacy('tools/list'))).result.resultType, undefined);
      assert.equal((await answerOf(await caller.modern('tools/list'))).result.resultType, 'complete');
    }
  });

  test('an older client that loses its stream takes it up again', async () => {
    await caller.initialize();
    const stop = new AbortController();
    const lost = await caller.legacy('tools/call', asking('still there?'), { signal: stop.signal });
    const [{ id, data }] = await events(lost, (found) => found.length === 1);
    assert.equal(data, null);
    stop.abort();
    ui.answer(await ui.question('still there?'), 'yes');
    const rest = await caller.fetch('GET', { ...caller.session, 'Last-Event-ID': id });
    assert.equal(rest.status, 200);
    const [answer] = await events(rest);
    assert.equal(textOf(answer.data.result), 'yes');
    // A second time: from the same event on.
    const again = await events(await caller.fetch('GET', { ...caller.session, 'Last-Event-ID': id }));
    assert.deepEqual(again, [answer]);
  });

  test('a newer client that leaves takes its question along', async () => {
    const stop = new AbortController();
    const asked = caller.modern('tools/call', asking('bye'), { signal: stop.signal }).catch(() => {});
    await ui.question('bye');
    stop.abort();
    await asked;
    await ui.until((each) => each.Cmd === 'RequestCancelled');
  });

  test('a session belongs to its token and can be ended', async () => {
    await caller.initialize();
    const made = await fetch(new URL('/v1/tokens', server.url), {
      method: 'POST',
      headers: { Authorization: `Bearer ${kToken}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'other' }),
    });
    const other = new Caller(server.url, (await made.json()).token);
    other.session = caller.session;
    assert.equal((await other.legacy('tools/list')).status, 404);
    assert.equal((await other.fetch('DELETE', caller.session)).status, 404);
    assert.equal((await caller.fetch('DELETE', caller.session)).status, 204);
    assert.equal((await caller.legacy('tools/list')).status, 404);
  });

  test('the end of a session takes its questions along', async () => {
    await caller.initialize();
    void caller.legacy('tools/call', asking('alone?')).catch(() => {});
    await ui.question('alone?');
    await caller.fetch('DELETE', caller.session);
    const { RequestCancelled } = await ui.until((each) => each.Cmd === 'RequestCancelled');
    assert.match(RequestCancelled.reason, /ended its session/);
  });

  test('a stream of its own has several readers; beyond four the oldest is cut', async () => {
    await caller.initialize();
    const readers = [];
    for (let i = 0; i < 5; i += 1) readers.push(await caller.fetch('GET', caller.session));
    for (const { status } of readers) assert.equal(status, 200);
    assert.deepEqual(await events(readers[0]), []);
    for (const reader of readers.slice(1)) await reader.body.cancel();
  });

  test('a stream with nothing left is refused with 405, which ends the returns of a client', async () => {
    await caller.initialize();
    const held = await caller.legacy('tools/call', asking('once')); // its stream has begun
    ui.answer(await ui.question('once'), 'yes');
    const all = await events(held);
    const again = await caller.fetch('GET', { ...caller.session, 'Last-Event-ID': all.at(-1).id });
    assert.equal(again.status, 405);
  });

  test('a batch is for sessions of 2025-03-26 only', async () => {
    const batch = [1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'ping' }));
    await caller.initialize({ revision: '2025-03-26' });
    const answers = await events(await caller.fetch('POST', caller.session, batch));
    assert.deepEqual(
      answers.map(({ data }) => data.id),
      [1, 2],
    );
    await caller.initialize({ revision: '2025-06-18' });
    assert.equal((await caller.fetch('POST', caller.session, batch)).status, 400);
  });

  test('headers must repeat the body', async () => {
    const mismatch = async (headers) => {
      const response = await caller.modern('tools/call', asking('?'), { headers });
      assert.equal(response.status, 400);
      const { error, id } = await response.json();
      assert.equal(error.code, -32020);
      assert.notEqual(id, null);
      return error.message;
    };
    assert.match(await mismatch({ 'Mcp-Method': 'tools/list' }), /Mcp-Method/);
    assert.match(await mismatch({ 'Mcp-Name': 'task_finish' }), /Mcp-Name/);
    assert.match(await mismatch({ 'Mcp-Name': '=?base64?YXNr!?=' }), /base64/);
    assert.match(await mismatch({ 'MCP-Protocol-Version': '2099-01-01' }), /MCP-Protocol-Version/);
    const named = `=?base64?${Buffer.from('ask_question').toString('base64')}?=`;
    const stop = new AbortController();
    void caller
      .modern('tools/call', asking('named'), { headers: { 'Mcp-Name': named }, signal: stop.signal })
      .catch(() => {});
    await ui.question('named');
    stop.abort();
  });

  test('refusals have a status and name the request', async () => {
    const body = (more) => ({ jsonrpc: '2.0', id: 'x', method: 'tools/list', ...more });
    const post = async (headers, content, text) => {
      const response = await caller.fetch('POST', headers, content, text === undefined ? {} : { body: text });
      return { status: response.status, json: await response.json() };
    };
    const broken = await post({}, {}, '{"jsonrpc":');
    assert.deepEqual([broken.status, broken.json.error.code, broken.json.id], [400, -32700, null]);
    const loose = await post({}, body());
    assert.deepEqual([loose.status, loose.json.id], [400, 'x']);
    const gone = await post({ 'Mcp-Session-Id': '0-none' }, body());
    assert.deepEqual([gone.status, gone.json.id], [404, 'x']);
    const removed = await (await caller.modern('ping')).json();
    assert.equal(removed.error.code, -32601);
    assert.equal((await caller.modern('initialize')).status, 404);
    assert.equal((await post({ Accept: 'application/json' }, body())).status, 406);
    assert.equal((await post({ 'Content-Type': 'text/plain' }, body())).status, 415);
    assert.equal((await caller.fetch('GET', {})).status, 405);
    assert.equal((await fetch(`${caller.url}?token=${kToken}`, { headers: {} })).status, 400);
    assert.equal((await caller.fetch('POST', { Origin: 'https://elsewhere.example' }, body())).status, 403);
  });

  test('ids come back as they were sent', async () => {
    await caller.initialize();
    for (const id of [0, '', 9_007_199_254_740_991, 'é"\\']) {
      const response = await caller.fetch('POST', caller.session, { jsonrpc: '2.0', id, method: 'ping' });
      assert.deepEqual(await response.json(), { jsonrpc: '2.0', id, result: {} });
    }
  });

  test('a revoked token ends its streams', async () => {
    const headers = { Authorization: `Bearer ${kToken}`, 'Content-Type': 'application/json' };
    const made = await fetch(new URL('/v1/tokens', server.url), {
      method: 'POST',
      headers,
      body: JSON.stringify({ name: 'short' }),
    });
    const short = new Caller(server.url, (await made.json()).token);
    await short.initialize();
    const own = await short.fetch('GET', short.session);
    const listening = await short.modern('subscriptions/listen', { notifications: {} });
    await fetch(new URL('/v1/tokens/short', server.url), { method: 'DELETE', headers });
    assert.deepEqual(await events(own), []);
    await events(listening);
    assert.equal((await short.legacy('tools/list')).status, 401);
  });

  test('a held call outlives many connections that are cut', async () => {
    await caller.initialize();
    const first = new AbortController();
    const lost = await caller.legacy('tools/call', asking('patience'), { signal: first.signal });
    let [{ id }] = await events(lost, (found) => found.length === 1);
    first.abort();
    // Reader and session are on different threads half of the time.
    for (let i = 0; i < 30; i += 1) {
      const stop = new AbortController();
      const part = await caller.fetch('GET', { ...caller.session, 'Last-Event-ID': id }, undefined, {
        signal: stop.signal,
      });
      assert.equal(part.status, 200);
      await delay(i % 3);
      stop.abort();
    }
    ui.answer(await ui.question('patience'), 'rewarded');
    const rest = await events(await caller.fetch('GET', { ...caller.session, 'Last-Event-ID': id }));
    id = rest.at(-1).id;
    assert.equal(textOf(rest.at(-1).data.result), 'rewarded');
  });
});
