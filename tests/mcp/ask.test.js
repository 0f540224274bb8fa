// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// `parley ask` from a shell, against a scripted Connect server.
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { Home, parleyProgram, run } from './lib/programs.js';
import { ScriptedServer } from './lib/scripted-server.js';
import { textContent } from './lib/wire.js';

describe('parley ask', () => {
  let home;
  let server;
  const start = (...args) => run(parleyProgram(), ['ask', '--url', server.url, '--token', 'secret', ...args], home);

  beforeEach(async () => {
    home = new Home();
    server = await new ScriptedServer().start();
  });
  afterEach(async () => {
    await server.kill();
    home.remove();
  });

  test('prints only the answer and exits with 0', async () => {
    const program = start('--option', 'A', '--option', 'B', '--timeout', '30', 'Which?');
    const { message } = await server.callWith('Which?');
    assert.equal(message.Request.Timeout, 30);
    assert.equal(message.Request.ProjectDirectory, home.path);
    assert.deepEqual(message.Request.Questions, [
      { question: 'Which?', options: [{ label: 'A' }, { label: 'B' }], custom: true },
    ]);
    server.answer(message.ID, { contents: [textContent('B')] });
    assert.equal((await program.exited).code, 0);
    assert.equal(program.out, 'B\n');
    assert.equal(program.err, '');
  });

  // The forms in which clients send the choice.
  for (const [answer, printed] of [
    ['Q: Deploy now?\nA: yes', 'yes'],
    ['Q: Deploy now?\nA: later', 'later (Recommended)'],
    ['later', 'later (Recommended)'],
    ['Q: Deploy now?\nA: not on a Friday', 'not on a Friday'],
    ['Q: Which one?\nA: yes', 'Q: Which one?\nA: yes'],
  ]) {
    test(`prints the choice alone for ${JSON.stringify(answer)}`, async () => {
      const program = start('--option', 'yes', '--option', 'later (Recommended)', 'Deploy now?');
      const { message } = await server.callWith('Deploy now?');
      server.answer(message.ID, { contents: [textContent(answer)] });
      assert.equal((await program.exited).code, 0);
      assert.equal(program.out, `${printed}\n`);
    });
  }

  test('without options the answer stays as it is', async () => {
    const program = start('Deploy now?');
    const { message } = await server.callWith('Deploy now?');
    server.answer(message.ID, { contents: [textContent('Q: Deploy now?\nA: yes')] });
    assert.equal((await program.exited).code, 0);
    assert.equal(program.out, 'Q: Deploy now?\nA: yes\n');
  });

  test('reads the question from stdin', async () => {
    const program = start('-');
    program.child.stdin.end('First line\nsecond\n');
    const { message } = await server.callWith('First line\nsecond');
    server.answer(message.ID, { contents: [textContent('ok')] });
    assert.equal((await program.exited).code, 0);
  });

  test('prints the whole answer as JSON', async () => {
    const program = start('--json', 'q');
    const { message } = await server.callWith('q');
    server.answer(message.ID, { contents: [textContent('yes')], Meta: [{ key: 'k', value: 'v' }] });
    await program.exited;
    const { status, text, content } = JSON.parse(program.out);
    assert.deepEqual([status, text, content], ['answered', 'yes', [{ type: 'text', text: 'yes' }]]);
  });

  for (const [error, code] of [
    ['timeout', 3],
    ['cancelled', 4],
    ['other', 1],
  ]) {
    test(`exits with ${code} when the server says ${error}`, async () => {
      const program = start('q');
      const { message } = await server.callWith('q');
      server.answer(message.ID, { IsError: true, Meta: [{ key: 'error', value: error }] });
      assert.equal((await program.exited).code, code);
      assert.equal(program.out, '');
      assert.notEqual(program.err, '');
    });
  }

  test('exits with 5 without a server', async () => {
    await server.kill();
    const program = start('--timeout', '1', 'q');
    assert.equal((await program.exited).code, 5);
    assert.match(program.err, /parley serve/);
    await server.start();
  });

  test('a proxy of the environment gets nothing', async () => {
    let connections = 0;
    const proxy = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    try {
      const address = `http://127.0.0.1:${proxy.address().port}`;
      const args = ['ask', '--url', 'http://192.0.2.1:8080', '--token', 'secret', '--timeout', '1', 'q'];
      const program = run(parleyProgram(), args, home, { http_proxy: address, all_proxy: address });
      assert.notEqual((await program.exited).code, 0);
      assert.equal(connections, 0);
    } finally {
      proxy.close();
    }
  });

  test('exits with 2 for an empty question', async () => {
    assert.equal((await start(' ').exited).code, 2);
  });

  test('Ctrl-C cancels the question everywhere', async () => {
    const program = start('q');
    const { message } = await server.callWith('q');
    program.child.kill('SIGINT');
    assert.equal((await program.exited).code, 4);
    assert.equal(server.cancellations[0].key, message.ID);
  });

  test('a question is asked again after a restart of the server', async () => {
    const program = start('q');
    const { message } = await server.callWith('q');
    await server.kill();
    await server.start();
    await server.call(1);
    server.answer(message.ID, { contents: [textContent('still here')] });
    assert.equal((await program.exited).code, 0);
    assert.equal(program.out, 'still here\n');
  });
});
