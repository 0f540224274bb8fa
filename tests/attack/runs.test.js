// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Limits of the memory that a model or a cloned folder can make the server allocate.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { Model } from './lib/model.js';
import { report, Server } from './lib/server.js';

const kMiB = 1024 * 1024;
const kShareMiB = 250;

describe('runs', () => {
  let model;
  let server;
  let calm;
  let attack;
  beforeEach(async (test) => {
    attack = test.name;
    model = await Model.start();
    server = await Server.start({ settings: model.settings });
    await server.serves();
    calm = server.peak;
  });
  afterEach(async () => {
    report(attack, server, calm);
    await server.end();
    await model.end();
  });

  // Executes a run with one call; resolves with the end of the call and the reply.
  async function run(call, folder = server.home) {
    model.call = call;
    const begun = await server.call('POST', '/v1/runs', {
      message: 'Go on.',
      model: 'scripted/words',
      approve: 'auto',
      working_folder: folder,
    });
    const answer = await begun.text();
    if (!begun.ok) return { status: begun.status, answer };
    const { id } = JSON.parse(answer);
    const events = await fetch(`${server.url}/v1/runs/${id}/events`, {
      headers: { Authorization: `Bearer ${server.token}` },
      signal: AbortSignal.timeout(40_000),
    });
    const frames = (await events.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    return { end: frames.find((one) => one.type === 'tool_end'), reply: frames.at(-1) };
  }

  for (const [tool, args] of [
    ['edit', { path: 'big.txt', oldString: 'a', newString: 'b'.repeat(4_096), replaceAll: true }],
    [
      'multiedit',
      {
        path: 'big.txt',
        edits: ['a', 'b', 'c', 'd'].map((letter, at) => ({
          oldString: letter,
          newString: String.fromCharCode(98 + at).repeat(64),
          replaceAll: true,
        })),
      },
    ],
  ]) {
    it(`${tool}_MakingGigabytes_IsRefusedInWords`, async () => {
      const text = 'a'.repeat(kMiB);
      writeFileSync(join(server.home, 'big.txt'), text);
      const { end, reply } = await server.servesDuring(run({ name: tool, arguments: args }));
      assert.equal(end.is_error, true);
      assert.match(end.result, /large|big|bytes|MiB|limit/);
      assert.equal(reply.stop_reason, 'end_turn', 'the run goes on');
      assert.equal(readFileSync(join(server.home, 'big.txt'), 'utf8'), text, 'nothing was changed');
      assert.ok(server.peak < calm + kShareMiB, `${server.peak.toFixed(0)} MiB`);
      await server.serves();
    });
  }

  it('ProfileOfAliases_IsRefusedInWords', async () => {
    const folder = join(server.home, 'cloned');
    const agents = join(folder, '.loom', 'agents');
    mkdirSync(agents, { recursive: true });
    // Nine levels of YAML aliases, each with nine references to the one below.
    const levels = Array.from(
      { length: 8 },
      (_, at) => `l${at + 1}: &l${at + 1} [${Array(9).fill(`*l${at}`).join(', ')}]`,
    );
    const laughs = ['name: laughs', `l0: &l0 ["${'lol'.repeat(10_000)}"]`, ...levels, 'description: *l8'].join('\n');
    writeFileSync(join(agents, 'laughs.yaml'), laughs);
    // A list of 50,000 references to a long text.
    const long = [
      'name: long',
      `description: &x "${'y'.repeat(40_000)}"`,
      `tools_allowed: [${Array(50_000).fill('*x').join(',')}]`,
    ].join('\n');
    writeFileSync(join(agents, 'long.yaml'), long);
    const listed = await server.servesDuring(
      server.call('GET', `/v1/agents?working_folder=${encodeURIComponent(folder)}`),
    );
    const text = await listed.text();
    assert.match(text, /laughs\.yaml/);
    assert.match(text, /long\.yaml/);
    assert.ok(text.length < 100_000, `${text.length} bytes`);
    const { reply } = await server.servesDuring(run({ name: 'ls', arguments: {} }, folder));
    assert.equal(reply.stop_reason, 'end_turn', 'other runs of the folder go on');
    assert.ok(server.peak < calm + kShareMiB, `${server.peak.toFixed(0)} MiB`);
    await server.serves();
  });
});
