// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The resources of /mcp: the real server with real MCP clients over HTTP.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { httpClients } from './lib/clients.js';
import { kModern } from './lib/http.js';
import { Home, parleyProgram, run, untilOut } from './lib/programs.js';

const token = 'a-token-of-this-test';
const picture = Buffer.from('89504e470d0a1a0a', 'hex').toString('base64');
const questions = 55; // more than a page of resources

let home;
let server;

async function startServer() {
  const data = join(home.path, 'data');
  const started = run(parleyProgram(), ['serve', '--listen', '127.0.0.1:0', '--data', data, '--token', token], home);
  await untilOut(started, '\n');
  started.url = /ready (http:\/\/\S+)/.exec(started.out)[1];
  started.data = data;
  return started;
}

async function call(method, path, body) {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

// Asks and does not wait. A question ends 2 seconds after the loss of its only caller, so that this
// request stays open.
const ask = (key, text) => {
  void call('POST', '/v1/interactions', { key, prompt: { text }, wait: 60 }).catch(() => {});
  return eventually(() => call('GET', `/v1/interactions/${encodeURIComponent(key)}`));
};
const answer = (key, body) => call('POST', `/v1/interactions/${encodeURIComponent(key)}/answer`, body);

// Repeats until `attempt` does not fail, for a minute at most.
async function eventually(attempt) {
  const end = Date.now() + 60_000;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

async function endedRun() {
  const { id } = await call('POST', '/v1/runs', { message: 'Say hello.', model: 'offline/demo' });
  return eventually(async () => {
    const found = await call('GET', `/v1/runs/${id}`);
    assert.notEqual(found.ended_at, null);
    return found;
  });
}

// A token with a workspace of its own; the server knows it within a second.
async function newToken(name, rights) {
  const words = ['token', 'create', '--name', name, '--rights', rights, '--data', server.data];
  const made = run(parleyProgram(), words, home);
  await made.exited;
  return made.out.trim().split(/\s+/).at(-1);
}

async function allResources(client) {
  const pages = [];
  let cursor;
  do {
    const page = await client.listResources(cursor === undefined ? undefined : { cursor });
    pages.push(page.resources.map(({ uri }) => uri));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return pages;
}

const inbox = async () => (await call('GET', '/v1/me')).session;

before(async () => {
  home = new Home();
  server = await startServer();
  await ask('with/picture', 'Which logo?\nThe old one, or the new one?');
  await answer('with/picture', {
    nickname: 'Ann',
    contents: [
      { type: 'text', text: 'This one.' },
      { type: 'image', mime_type: 'image/png', data: picture },
    ],
  });
  for (let i = 1; i < questions; i += 1) {
    await ask(`key-${i}`, `Question ${i}?`);
    await answer(`key-${i}`, { text: 'yes' });
  }
  server.run = await endedRun();
});

after(async () => {
  server.child.kill('SIGKILL');
  await server.exited;
  home.remove();
});

for (const { name, revision, connect, onUpdate, onList } of httpClients.filter((each) => each.onUpdate)) {
  const modern = revision === kModern;
  describe(`the resources of /mcp, ${name}`, () => {
    let client;
    const url = () => `${server.url}/mcp`;
    const read = async (uri) => (await client.readResource({ uri })).contents[0];

    before(async () => {
      client = await connect(url(), token);
    });
    after(() => client.close());

    test('the list has pages and holds each resource once', async () => {
      const pages = await allResources(client);
      // Client 2.x collects the pages by itself.
      assert.ok(modern || pages.length > 1);
      const uris = pages.flat();
      assert.equal(new Set(uris).size, uris.length);
      assert.ok(uris.includes('parley://question/with%2Fpicture'));
      assert.ok(uris.includes(`parley://run/${server.run.id}`));
      assert.ok(uris.includes(`parley://session/${server.run.session_id}`));
      assert.ok(uris.includes(`parley://session/${await inbox()}`));
      await assert.rejects(client.listResources({ cursor: 'bad' }), { code: -32602 });
    });

    test('the templates are listed', async () => {
      const { resourceTemplates } = await client.listResourceTemplates();
      assert.deepEqual(
        resourceTemplates.map(({ uriTemplate }) => uriTemplate),
        ['parley://question/{key}', 'parley://run/{id}', 'parley://session/{id}', 'parley://attachment/{key}/{n}'],
      );
    });

    test('a question is its state in the form of /v1', async () => {
      const { text, mimeType } = await read('parley://question/with%2Fpicture');
      assert.equal(mimeType, 'application/json');
      assert.deepEqual(JSON.parse(text), await call('GET', '/v1/interactions/with%2Fpicture'));
    });

    test('a run is its summary', async () => {
      const { text, mimeType } = await read(`parley://run/${server.run.id}`);
      assert.equal(mimeType, 'application/json');
      assert.deepEqual(JSON.parse(text), server.run);
    });

    test('an inbox is a transcript with links to attachments', async () => {
      const { text, mimeType } = await read(`parley://session/${await inbox()}`);
      assert.equal(mimeType, 'text/markdown');
      assert.match(text, /The old one, or the new one\?[^]*### Answer of this-run[^]*This one\./);
      assert.match(text, /\[image\/png\]\(parley:\/\/attachment\/with%2Fpicture\/1\)/);
    });

    test('the session of a run is its conversation', async () => {
      const { text } = await read(`parley://session/${server.run.session_id}`);
      assert.match(text, /## User\n\nSay hello\./);
      assert.match(text, /## Assistant/);
    });

    test('an attachment is a blob', async () => {
      const { blob, mimeType } = await read('parley://attachment/with%2Fpicture/1');
      assert.equal(blob, picture);
      assert.equal(mimeType, 'image/png');
    });

    test('a missing resource is an error that names it', async () => {
      for (const uri of ['parley://question/none', 'parley://attachment/with%2Fpicture/2', 'file:///etc/passwd']) {
        await assert.rejects(client.readResource({ uri }), (error) => {
          assert.equal(error.code, modern ? -32602 : -32002);
          assert.equal(error.data.uri, uri);
          return true;
        });
      }
    });

    test('another workspace sees nothing of it', async () => {
      const other = await newToken(`other-${modern}`, 'ask,read,run');
      const foreign = await eventually(() => connect(url(), other));
      try {
        assert.deepEqual((await allResources(foreign)).flat(), []);
        for (const uri of [
          'parley://question/with%2Fpicture',
          'parley://attachment/with%2Fpicture/1',
          `parley://run/${server.run.id}`,
          `parley://session/${server.run.session_id}`,
          `parley://session/${await inbox()}`,
        ]) {
          await assert.rejects(foreign.readResource({ uri }), { code: modern ? -32602 : -32002 }, uri);
        }
      } finally {
        await foreign.close();
      }
    });

    test('a token without the right to read has no resources', async () => {
      const asker = await newToken(`asker-${modern}`, 'ask');
      const without = await eventually(() => connect(url(), asker));
      try {
        assert.equal(without.getServerCapabilities().resources, undefined);
        assert.equal(client.getServerCapabilities().resources.subscribe, true);
      } finally {
        await without.close();
      }
    });

    test('ids of templates are completed', async () => {
      const values = async (uri, argument, context) =>
        (await client.complete({ ref: { type: 'ref/resource', uri }, argument, context })).completion;
      assert.deepEqual(await values('parley://question/{key}', { name: 'key', value: 'with' }), {
        values: ['with/picture'],
        total: 1,
        hasMore: false,
      });
      const some = await values('parley://question/{key}', { name: 'key', value: 'key-5' });
      assert.deepEqual(some.values.slice(-6), ['key-54', 'key-53', 'key-52', 'key-51', 'key-50', 'key-5']);
      const runs = await values('parley://run/{id}', { name: 'id', value: server.run.id.slice(0, 12) });
      assert.ok(runs.values.includes(server.run.id));
      const sessions = await values('parley://session/{id}', { name: 'id', value: 'assistant-' });
      assert.deepEqual(sessions.values, [await inbox()]);
      const numbers = await values(
        'parley://attachment/{key}/{n}',
        { name: 'n', value: '' },
        { arguments: { key: 'with/picture' } },
      );
      assert.deepEqual(numbers.values, ['1']);
      await assert.rejects(values('parley://other/{id}', { name: 'id', value: '' }), { code: -32602 });
    });

    test('a subscribed question that is answered is reported', async () => {
      const key = `subscribed-${modern}`;
      const uri = `parley://question/${key}`;
      await ask(key, 'Now?');
      const { told } = await onUpdate(client, uri);
      await answer(key, { text: 'now' });
      await told;
      assert.equal(JSON.parse((await read(uri)).text).state, 'answered');
    });

    test('a new question changes the list', async () => {
      const { told } = await onList(client);
      const key = `new-${modern}`;
      await ask(key, 'New?');
      await told;
      assert.ok((await client.listResources()).resources.some(({ uri }) => uri === `parley://question/${key}`));
      await answer(key, { text: 'yes' });
    });
  });
}
