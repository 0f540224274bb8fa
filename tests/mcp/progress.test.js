// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// A held call reports progress to its client about every 25 seconds. The only slow test here.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { clients } from './lib/clients.js';
import { Home } from './lib/programs.js';
import { ScriptedServer } from './lib/scripted-server.js';
import { textContent } from './lib/wire.js';

describe('progress', { concurrency: true }, () => {
  for (const { name, connect, call } of clients) {
    test(`is reported to ${name}`, async () => {
      const home = new Home();
      const server = await new ScriptedServer().start();
      const client = await connect(['-port', String(server.port), '--token=secret'], home);
      let tell;
      const told = new Promise((resolve) => (tell = resolve));
      const asked = call(
        client,
        { name: 'ask_question', arguments: { project_directory: '/p', question: 'slow' } },
        { onprogress: tell },
      );
      const { message } = await server.callWith('slow');
      const progress = await told;
      assert.equal(progress.progress, 25);
      assert.equal(progress.total, 600);
      assert.match(progress.message, /Waiting for the person/);
      server.answer(message.ID, { contents: [textContent('ok')] });
      assert.equal((await asked).content[0].text, 'ok');
      await client.close();
      await server.kill();
      home.remove();
    });
  }
});
