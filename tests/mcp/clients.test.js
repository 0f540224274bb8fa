// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// agentassistant-mcp under real MCP clients, against a scripted Connect server.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { clients } from './lib/clients.js';
import { Home } from './lib/programs.js';
import { ScriptedServer } from './lib/scripted-server.js';
import { textContent } from './lib/wire.js';

for (const { name, revision, connect, call } of clients) {
  describe(name, () => {
    let home;
    let server;
    let client;

    const ask = (question, options, more = {}) =>
      call(
        client,
        {
          name: 'ask_question',
          arguments: { project_directory: '/project', question, ...more },
        },
        options,
      );

    before(() => (home = new Home()));
    after(() => home.remove());
    beforeEach(async () => {
      server = await new ScriptedServer().start();
      client = await connect(['-port', String(server.port), '--token=secret'], home);
    });
    afterEach(async () => {
      await client.close();
      await server.kill();
    });

    test('the server tells its name and tools', async () => {
      const { name: serverName, version } = client.getServerVersion();
      assert.equal(serverName, 'Agent-Assistant');
      assert.match(version, /^\d+\.\d+\.\d+$/);
      assert.equal(client.getNegotiatedProtocolVersion?.() ?? revision, revision);
      const { tools } = await client.listTools();
      assert.deepEqual(
        tools.map((tool) => tool.name),
        ['ask_question', 'task_finish', 'work_report'],
      );
    });

    test('a question reaches the server and its answer reaches the agent', async () => {
      const asked = ask('Which colour?', undefined, { timeout: 30, agent_name: 'A' });
      const { method, headers, message } = await server.callWith('Which colour?');
      assert.equal(method, 'AskQuestion');
      assert.equal(headers['content-type'], 'application/proto');
      assert.equal(headers['connect-protocol-version'], '1');
      assert.equal(message.UserToken, 'secret');
      assert.equal(message.Request.ProjectDirectory, '/project');
      assert.equal(message.Request.Timeout, 30);
      assert.equal(message.Request.AgentName, 'A');
      assert.equal(message.Request.McpClientName, 'test-agent');
      assert.ok(Math.abs(message.Timestamp - Date.now()) < 60_000);
      server.answer(message.ID, { contents: [textContent('blue')] });
      const result = await asked;
      assert.equal(result.isError ?? false, false);
      assert.deepEqual(result.content, [{ type: 'text', text: 'blue' }]);
    });

    test('images, audio and files reach the agent', async () => {
      const asked = ask('Show me');
      const { message } = await server.callWith('Show me');
      server.answer(message.ID, {
        contents: [
          { type: 2, image: { type: 'image', data: 'aGk=', mime_type: 'image/png' } },
          { type: 4, embedded_resource: { uri: 'file://a.txt', mime_type: 'text/plain', data: 'hi' } },
        ],
      });
      const { content } = await asked;
      assert.deepEqual(
        content.map((each) => each.type),
        ['image', 'resource', 'resource'],
      );
      assert.equal(content[1].resource.uri, 'attachment://image/0');
      assert.equal(Buffer.from(content[2].resource.blob, 'base64').toString(), 'hi');
    });

    test('structured questions are passed on unchanged', async () => {
      const asked = ask('Pick', undefined, {
        questions: [{ question: 'Which?', header: 'H', options: [{ label: 'a', description: 'd' }] }],
      });
      const { message } = await server.callWith('Pick');
      assert.deepEqual(message.Request.Questions, [
        { question: 'Which?', header: 'H', options: [{ label: 'a', description: 'd' }], custom: true },
      ]);
      server.answer(message.ID, { contents: [textContent('a')] });
      await asked;
    });

    test('reports keep the name used by the agent', async () => {
      for (const [tool, method] of [
        ['task_finish', 'TaskFinish'],
        ['work_report', 'WorkReport'],
      ]) {
        const reported = call(client, {
          name: tool,
          arguments: { project_directory: '/p', summary: tool },
        });
        const { method: used, message } = await server.callWith(tool);
        assert.equal(used, method);
        server.answer(message.ID, { contents: [textContent('well done')] });
        assert.equal((await reported).content[0].text, 'well done');
      }
    });

    test('concurrent calls are answered in any order', async () => {
      const names = ['one', 'two', 'three', 'four', 'five'];
      const asked = names.map((each) => ask(each));
      for (const each of names) await server.callWith(each);
      for (const each of [...names].reverse()) {
        const { message } = await server.callWith(each);
        server.answer(message.ID, { contents: [textContent(`answer ${each}`)] });
      }
      const results = await Promise.all(asked);
      assert.deepEqual(
        results.map((each) => each.content[0].text),
        names.map((each) => `answer ${each}`),
      );
      assert.equal(new Set(server.calls.map((each) => each.message.ID)).size, names.length);
    });

    test('other requests are answered during a waiting question', async () => {
      const asked = ask('wait');
      const { message } = await server.callWith('wait');
      assert.equal((await client.listTools()).tools.length, 3);
      server.answer(message.ID, { contents: [textContent('ok')] });
      await asked;
    });

    test('a call cancelled by the agent is cancelled on the server', async () => {
      const stop = new AbortController();
      const asked = ask('never mind', { signal: stop.signal });
      const { message } = await server.callWith('never mind');
      stop.abort('changed my mind');
      await assert.rejects(asked);
      await server.until(() => server.cancellations.length === 1 && !server.isHeld(message.ID));
      const [{ key, reason, authorization }] = server.cancellations;
      assert.equal(key, message.ID);
      assert.match(reason, /agent cancelled/);
      assert.equal(authorization, 'Bearer secret');
      assert.equal((await client.listTools()).tools.length, 3);
    });

    test('a server restarted during a question costs the agent nothing', async () => {
      const asked = ask('still there?');
      const first = await server.callWith('still there?');
      await server.kill();
      await server.start();
      const second = await server.call(1);
      assert.equal(second.message.ID, first.message.ID);
      assert.deepEqual(second.body, first.body);
      server.answer(second.message.ID, { contents: [textContent('yes')] });
      assert.equal((await asked).content[0].text, 'yes');
    });

    test('a question to a server shutting down is asked again', async () => {
      const asked = ask('again');
      const { message } = await server.callWith('again');
      server.answer(message.ID, { IsError: true, Meta: [{ key: 'error', value: 'shutting_down' }] });
      await server.call(1);
      server.answer(message.ID, { contents: [textContent('ok')] });
      assert.equal((await asked).isError ?? false, false);
    });

    test('an unanswered question ends in words', async () => {
      const asked = ask('anybody?');
      const { message } = await server.callWith('anybody?');
      server.answer(message.ID, {
        IsError: true,
        Meta: [
          { key: 'error', value: 'timeout' },
          { key: 'message', value: 'after 600 seconds' },
        ],
      });
      const result = await asked;
      assert.equal(result.isError, true);
      assert.match(result.content[0].text, /Nobody answered in time: after 600 seconds/);
    });

    test('a refused token is reported in words', async () => {
      server.refusal = () => ({
        status: 401,
        body: JSON.stringify({ code: 'unauthenticated', message: 'Unknown token.' }),
      });
      const result = await ask('q');
      assert.equal(result.isError, true);
      assert.match(result.content[0].text, /unauthenticated: Unknown token/);
      assert.doesNotMatch(result.content[0].text, /secret/);
    });

    test('an unreasonable timeout is clamped with a notice', async () => {
      const asked = ask('quick', undefined, { timeout: 1 });
      const { message } = await server.callWith('quick');
      assert.equal(message.Request.Timeout, 5);
      server.answer(message.ID, { contents: [textContent('ok')] });
      const { content } = await asked;
      assert.equal(content[0].text, 'ok');
      assert.match(content[1].text, /raised to 5 seconds/);
    });

    test('a missing argument and an unknown tool are answered', async () => {
      const result = await call(client, { name: 'ask_question', arguments: { project_directory: '/p' } });
      assert.equal(result.isError, true);
      assert.equal(result.content[0].text, 'required argument "question" not found');
      await assert.rejects(call(client, { name: 'no_such_tool', arguments: {} }), /Unknown tool/);
    });

    test('a client that closes leaves no question behind', async () => {
      const asked = ask('bye');
      asked.catch(() => {});
      const { message } = await server.callWith('bye');
      await client.close();
      await server.until(() => server.cancellations.length === 1);
      assert.equal(server.cancellations[0].key, message.ID);
      assert.match(server.cancellations[0].reason, /agent has gone|was stopped/);
    });
  });
}
