// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// A held call through a proxy that cuts connections on which nothing has come for a while.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { test } from 'node:test';
import { Caller, answerOf, asking, kToken, startServer } from './lib/http.js';
import { Home } from './lib/programs.js';
import { Ui } from './lib/ui.js';

// The server sends a comment every 15 s; the proxies of the field wait for 60 s and longer.
const kPatienceMs = 17_000;
const kHeldMs = 20_000;

async function startProxy(port) {
  let cut = 0;
  const proxy = createServer((client) => {
    const server = connect(port, '127.0.0.1');
    server.setTimeout(kPatienceMs, () => {
      cut += 1;
      client.destroy();
      server.destroy();
    });
    client.on('error', () => server.destroy()).on('close', () => server.destroy());
    server.on('error', () => client.destroy()).on('close', () => client.destroy());
    client.pipe(server);
    server.pipe(client);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return { url: `http://127.0.0.1:${proxy.address().port}`, cut: () => cut, end: () => proxy.close() };
}

test('a held call outlives the patience of a proxy', async () => {
  const home = new Home();
  const server = await startServer(home);
  const proxy = await startProxy(new URL(server.url).port);
  const ui = await Ui.login(server.url, kToken);
  try {
    const caller = new Caller(proxy.url);
    const asked = caller.modern('tools/call', asking('still there?')).then(answerOf);
    const question = await ui.question('still there?');
    await delay(kHeldMs);
    ui.answer(question, 'still here');
    assert.equal((await asked).result.content[0].text, 'still here');
    assert.equal(proxy.cut(), 0);
  } finally {
    ui.close();
    proxy.end();
    await server.kill();
    home.remove();
  }
});
