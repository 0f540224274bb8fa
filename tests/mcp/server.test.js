// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The real agentassistant-mcp with real MCP clients and the real server; answers come over the server's
// WebSocket.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { clients } from './lib/clients.js';
import { Home, parleyProgram, run, untilOut } from './lib/programs.js';
import { Ui } from './lib/ui.js';

const token = 'a-token-of-this-test';

async function startServer(home, listen = '127.0.0.1:0') {
  const server = run(
    parleyProgram(),
    ['serve', '--listen', listen, '--data', join(home.path, '.local/share/parley'), '--token', token],
    home,
  );
  await untilOut(server, '\n');
  server.url = /ready (http:\/\/\S+)/.exec(server.out)[1];
  return server;
}

for (const { name, connect, call } of clients) {
  describe(`${name} and the real server`, () => {
    let home;
    let server;
    let client;
    let ui;
    const ask = (question, options, more = {}) =>
      call(
        client,
        {
          name: 'ask_question',
          arguments: { project_directory: '/p', question, ...more },
        },
        options,
      );

    beforeEach(async () => {
      home = new Home();
      server = await startServer(home);
      client = await connect([], home); // without configuration: discovers the server
      ui = await Ui.login(server.url, token);
    });
    afterEach(async () => {
      ui.close();
      await client.close();
      server.child.kill('SIGKILL');
      await server.exited;
      home.remove();
    });

    test('a question is answered by a person', async () => {
      const asked = ask('Which colour?');
      ui.answer(await ui.question('Which colour?'), 'blue');
      const result = await asked;
      assert.equal(result.content[0].text, 'blue');
      assert.equal(result.isError ?? false, false);
    });

    test('several questions are answered in any order', async () => {
      const names = ['one', 'two', 'three'];
      const asked = names.map((each) => ask(each));
      for (const each of [...names].reverse()) ui.answer(await ui.question(each), `answer ${each}`);
      const results = await Promise.all(asked);
      assert.deepEqual(
        results.map((each) => each.content[0].text),
        names.map((each) => `answer ${each}`),
      );
    });

    test('a cancelled question disappears from the person with the reason', async () => {
      const stop = new AbortController();
      const asked = ask('never mind', { signal: stop.signal });
      const { ID } = await ui.question('never mind');
      stop.abort('changed my mind');
      await assert.rejects(asked);
      const { RequestCancelled } = await ui.until((each) => each.Cmd === 'RequestCancelled');
      assert.equal(RequestCancelled.request_id, ID);
      assert.match(RequestCancelled.reason, /agent cancelled/);
    });

    test('an agent that disconnects takes its question along', async () => {
      ask('bye').catch(() => {});
      const { ID } = await ui.question('bye');
      await client.close();
      const { RequestCancelled } = await ui.until((each) => each.Cmd === 'RequestCancelled');
      assert.equal(RequestCancelled.request_id, ID);
    });

    test('kill -9 of the server during a question costs the agent nothing', async () => {
      const asked = ask('still there?');
      const { ID } = await ui.question('still there?');
      const address = server.url.replace('http://', '');
      server.child.kill('SIGKILL');
      await server.exited;
      ui.close();
      server = await startServer(home, address);
      ui = await Ui.login(server.url, token);
      const again = await ui.question('still there?');
      assert.equal(again.ID, ID);
      ui.answer(again, 'yes');
      assert.equal((await asked).content[0].text, 'yes');
    });

    test('a server that returns at another port is found', async () => {
      const asked = ask('moved?');
      await ui.question('moved?');
      server.child.kill('SIGKILL');
      await server.exited;
      ui.close();
      server = await startServer(home);
      ui = await Ui.login(server.url, token);
      ui.answer(await ui.question('moved?'), 'found');
      assert.equal((await asked).content[0].text, 'found');
    });

    test('an unanswered question ends in words', async () => {
      const result = await ask('anybody?', undefined, { timeout: 5 });
      assert.equal(result.isError, true);
      assert.match(result.content[0].text, /5 seconds/);
    });
  });
}

describe('the window of an agent on stdio', () => {
  let home;
  let server;
  let client;
  let ui;
  let reply;
  beforeEach(async () => {
    home = new Home();
    server = await startServer(home);
    client = await clients[0].connect(['--elicit'], home, { capabilities: { elicitation: {} } }, (made) =>
      made.setRequestHandler(ElicitRequestSchema, () => reply()),
    );
    ui = await Ui.login(server.url, token);
  });
  afterEach(async () => {
    ui.close();
    await client.close();
    server.child.kill('SIGKILL');
    await server.exited;
    home.remove();
  });
  const ask = (question) =>
    clients[0].call(client, { name: 'ask_question', arguments: { project_directory: '/p', question } });

  test('an answer there takes the question out of the inbox', async () => {
    const shown = new Promise((show) => {
      reply = () => new Promise((answer) => show(answer));
    });
    const asked = ask('here?');
    const { ID } = await ui.question('here?');
    const answer = await shown; // the inbox and the window show it in any order
    answer({ action: 'accept', content: { answer: 'here' } });
    assert.equal((await asked).content[0].text, 'here');
    const { RequestCancelled } = await ui.until((each) => each.Cmd === 'RequestCancelled');
    assert.equal(RequestCancelled.request_id, ID);
  });

  test('an answer in the inbox counts, too', async () => {
    reply = () => new Promise(() => {});
    const asked = ask('there?');
    ui.answer(await ui.question('there?'), 'there');
    assert.equal((await asked).content[0].text, 'there');
  });
});
