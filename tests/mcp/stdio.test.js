// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// agentassistant-mcp as a process: its streams, signals, flags and settings.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { holdLock } from '../lib/data_lock.mjs';
import { Home, mcpProgram, messages, run, untilOut } from './lib/programs.js';
import { ScriptedServer } from './lib/scripted-server.js';
import { textContent } from './lib/wire.js';

const line = (message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
const ping = (id) => line({ id, method: 'ping' });
const ask = (id, question) =>
  line({
    id,
    method: 'tools/call',
    params: { name: 'ask_question', arguments: { project_directory: '/p', question } },
  });

describe('agentassistant-mcp', () => {
  let home;
  let server;
  const start = (...args) => run(mcpProgram(), args, home);
  const here = () => ['--port', String(server.port), '--token', 'secret'];

  let lock;
  // The discovery file of a running server of this user; this test is its process.
  const announce = async (url, token) => {
    const data = join(home.path, '.local/share/parley');
    mkdirSync(data, { recursive: true });
    lock ??= await holdLock(data);
    writeFileSync(join(data, 'endpoint.json'), JSON.stringify({ url, token, pid: process.pid }), { mode: 0o600 });
  };

  beforeEach(async () => {
    home = new Home();
    server = await new ScriptedServer().start();
  });
  afterEach(async () => {
    await lock?.release();
    lock = undefined;
    await server.kill();
    home.remove();
  });

  test('closed stdin ends it with 0 and cancels waiting calls', async () => {
    const program = start(...here());
    program.child.stdin.write(ask(1, 'open'));
    const { message } = await server.callWith('open');
    program.child.stdin.end();
    assert.deepEqual(await program.exited, { code: 0, signal: null });
    assert.equal(server.cancellations[0].key, message.ID);
    assert.match(server.cancellations[0].reason, /agent has gone/);
    assert.equal(program.out, '');
  });

  for (const signal of ['SIGTERM', 'SIGINT']) {
    test(`${signal} ends it with 0 and cancels waiting calls`, async () => {
      const program = start(...here());
      program.child.stdin.write(ask(1, 'open'));
      await server.callWith('open');
      program.child.kill(signal);
      assert.deepEqual(await program.exited, { code: 0, signal: null });
      assert.equal(server.cancellations.length, 1);
    });
  }

  test('a lost reader ends it with 0 and cancels waiting calls', async () => {
    const program = start(...here());
    program.child.stdin.write(ask(1, 'open'));
    await server.callWith('open');
    program.child.stdout.destroy();
    program.child.stdin.write(ping(2));
    assert.equal((await program.exited).code, 0);
    assert.equal(server.cancellations.length, 1);
  });

  test('a hanging server does not delay the end', async () => {
    const program = start(...here());
    program.child.stdin.write(ask(1, 'open'));
    await server.callWith('open');
    await server.kill();
    const began = Date.now();
    program.child.stdin.end();
    assert.equal((await program.exited).code, 0);
    assert.ok(Date.now() - began < 60_000);
    await server.start();
  });

  test('non-JSON-RPC lines are answered and change nothing else', async () => {
    const program = start(...here());
    program.child.stdin.write(ask(1, 'open'));
    program.child.stdin.write('rubbish\n{"jsonrpc":"2.0"}\n\xff\n[]\n\n{"jsonrpc":"1.0","id":5,"method":"ping"}\n');
    program.child.stdin.write(ping('last'));
    await untilOut(program, '"last"');
    const codes = messages(program).map((each) => [each.id, each.error?.code]);
    assert.deepEqual(codes, [
      [null, -32700],
      [null, -32600],
      [null, -32700],
      [null, -32600],
      [5, -32600],
      ['last', undefined],
    ]);
    const { message } = await server.callWith('open');
    server.answer(message.ID, { contents: [textContent('fine')] });
    await untilOut(program, '"fine"');
    program.child.stdin.end();
    assert.equal((await program.exited).code, 0);
  });

  test('with --max-call a call ends early, and await_answer gets the answer', async () => {
    const program = start(...here(), '--max-call', '5');
    program.child.stdin.write(ask(1, 'slow'));
    const { message } = await server.callWith('slow');
    await untilOut(program, '"id":1');
    const [early] = messages(program);
    assert.equal(early.result.isError, false);
    const [, id] = /await_answer with id "(\d+)"/.exec(early.result.content[0].text);
    assert.equal(server.cancellations.length, 0);
    const params = { name: 'await_answer', arguments: { id } };
    program.child.stdin.write(line({ id: 2, method: 'tools/call', params }));
    program.child.stdin.write(ping(3));
    await untilOut(program, '"id":3');
    server.answer(message.ID, { contents: [textContent('at last')] });
    await untilOut(program, '"at last"');
    // A question that no call waits for is withdrawn with the program.
    program.child.stdin.write(ask(4, 'left'));
    const left = await server.callWith('left');
    await untilOut(program, '"id":4');
    program.child.stdin.end();
    assert.equal((await program.exited).code, 0);
    assert.equal(server.cancellations[0].key, left.message.ID);
  });

  test('--no-project-config ignores the settings of the working directory', async () => {
    writeFileSync(
      join(home.path, 'agentassistant-mcp.toml'),
      'agentassistant_server_base_url = "http://127.0.0.1:1"\n',
    );
    await announce(`http://127.0.0.1:${server.port}`, 'secret');
    const program = start('--no-project-config');
    program.child.stdin.write(ask(1, 'open'));
    await server.callWith('open');
    program.child.stdin.end();
    assert.equal((await program.exited).code, 0);
  });

  test('an overlong line is answered and skipped', async () => {
    const program = start(...here());
    const piece = 'x'.repeat(1 << 20);
    for (let i = 0; i < 17; ++i) program.child.stdin.write(piece);
    program.child.stdin.write(`\n${ping(7)}`);
    await untilOut(program, '"id":7');
    assert.deepEqual(
      messages(program).map((each) => each.id),
      [null, 7],
    );
    program.child.stdin.end();
    await program.exited;
  });

  test('an answer of many megabytes arrives whole', async () => {
    const program = start(...here());
    program.child.stdin.write(ask(1, 'big'));
    const { message } = await server.callWith('big');
    const words = 'é'.repeat(6 << 20);
    server.answer(message.ID, { contents: [textContent(words)] });
    await untilOut(program, '"isError":false}}\n');
    const [answer] = messages(program);
    assert.equal(answer.result.content[0].text.length, words.length);
    program.child.stdin.end();
    await program.exited;
  });

  test('an answer over 64 MiB is an error in words', async () => {
    const program = start(...here());
    program.child.stdin.write(ask(1, 'huge'));
    const { message } = await server.callWith('huge');
    server.answer(message.ID, { contents: [textContent('x'.repeat(65 << 20))] });
    await untilOut(program, '"id":1');
    assert.match(messages(program)[0].result.content[0].text, /larger than 64 MiB/);
    program.child.stdin.end();
    await program.exited;
  });

  test('the token is never on stderr', async () => {
    const program = start(...here());
    server.refusal = () => ({ status: 401, body: '{"code":"unauthenticated","message":"no"}' });
    program.child.stdin.write(ask(1, 'q'));
    await untilOut(program, '"id":1');
    program.child.stdin.end();
    await program.exited;
    assert.doesNotMatch(program.err + program.out, /secret/);
  });

  test('the running server and its token are found without configuration', async () => {
    await announce(server.url, 'found');
    const program = start();
    program.child.stdin.write(ask(1, 'q'));
    const { message } = await server.callWith('q');
    assert.equal(message.UserToken, 'found');
    program.child.stdin.end();
    await program.exited;
  });

  test('a server started later still gets the question', async () => {
    const program = start();
    program.child.stdin.write(ask(1, 'early'));
    program.child.stdin.write(ping(2));
    await untilOut(program, '"id":2');
    await announce(server.url, 'found');
    const { message } = await server.callWith('early');
    server.answer(message.ID, { contents: [textContent('late')] });
    await untilOut(program, '"late"');
    program.child.stdin.end();
    await program.exited;
  });

  test('a settings file wins over the running server, flags over the file', async () => {
    await announce('http://127.0.0.1:9', 'found');
    writeFileSync(
      join(home.path, 'agentassistant-mcp.toml'),
      [
        'agentassistant_server_host = "127.0.0.1"',
        `agentassistant_server_port = ${server.port}`,
        'agentassistant_server_token = "file-token"',
      ].join('\n'),
    );
    for (const [args, token] of [
      [[], 'file-token'],
      [['-token', 'flag-token'], 'flag-token'],
    ]) {
      const program = start(...args);
      program.child.stdin.write(ask(1, token));
      const { message } = await server.callWith(token);
      assert.equal(message.UserToken, token);
      program.child.stdin.end();
      await program.exited;
    }
  });

  test('a wrong settings file is named with line and key', async () => {
    writeFileSync(join(home.path, 'agentassistant-mcp.toml'), '\nagentassistant_server_port = "x"\n');
    const program = start();
    assert.equal((await program.exited).code, 2);
    assert.match(program.err, /agentassistant-mcp\.toml:2: agentassistant_server_port: must be a number/);
    assert.equal(program.out, '');
  });

  test('--web opens the page with the escaped token and goes on serving', async () => {
    const bin = join(home.path, 'bin');
    const seen = join(home.path, 'seen');
    mkdirSync(bin);
    writeFileSync(
      join(bin, 'xdg-open'),
      `#!/bin/sh\necho noise\nprintf %s "$1" > ${seen}.part\nmv ${seen}.part ${seen}\n`,
    );
    chmodSync(join(bin, 'xdg-open'), 0o755);
    const path = process.env.PATH;
    process.env.PATH = `${bin}:${path}`;
    const program = start('--port', String(server.port), '--token', 'a&b#c', '-web');
    process.env.PATH = path;
    program.child.stdin.write(ping(1));
    await untilOut(program, '"id":1');
    while (!existsSync(seen)) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(readFileSync(seen, 'utf8'), `${server.url}/?token=a%26b%23c`);
    program.child.stdin.end();
    assert.equal((await program.exited).code, 0);
    assert.deepEqual(
      messages(program).map((each) => each.id),
      [1],
    );
  });
});
