// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// The plugin of OpenCode that `parley setup` writes, with a client that records its posts and a program in the
// place of `parley hook opencode`.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const source = readFileSync(join(here, '../../src/agents/setup/opencode_plugin.js'), 'utf8');
const scratch = mkdtempSync(join(tmpdir(), 'parley-plugin-'));
after(() => rmSync(scratch, { recursive: true, force: true }));
let count = 0;

// The plugin with this program, and a list of its posts.
async function plugin(script) {
  count += 1;
  const program = join(scratch, `hook-${count}.sh`);
  writeFileSync(program, `#!/bin/sh\ncd '${scratch}'\n${script}\n`);
  chmodSync(program, 0o700);
  const file = join(scratch, `plugin-${count}.mjs`);
  writeFileSync(
    file,
    source.replace(/^const kCommand = .*$/m, `const kCommand = ${JSON.stringify([program, 'hook', 'opencode'])};`),
  );
  const module = await import(pathToFileURL(file).href);
  const posts = [];
  const hooks = await module.ParleyPlugin({
    client: { _client: { post: async (what) => posts.push(what) } },
    directory: '/p',
  });
  return { event: (type, properties) => hooks.event({ event: { type, properties } }), posts };
}

// Waits until `ready()` is true, at most two minutes.
async function until(ready) {
  for (let i = 0; i < 12000 && !ready(); i += 1) await new Promise((done) => setTimeout(done, 10));
  assert.ok(ready());
}

test('a permission is answered', async () => {
  const { event, posts } = await plugin(`cat >asked.json; echo '{"reply":"reject","message":"use ninja"}'`);
  await event('permission.asked', { id: 'per 1', sessionID: 's', permission: 'bash' });
  await until(() => posts.length === 1);
  assert.equal(posts[0].url, '/permission/per%201/reply');
  assert.deepEqual(posts[0].body, { reply: 'reject', message: 'use ninja' });
  assert.deepEqual(JSON.parse(readFileSync(join(scratch, 'asked.json'), 'utf8')), {
    event: 'permission.asked',
    properties: { id: 'per 1', sessionID: 's', permission: 'bash' },
    directory: '/p',
  });
});

test('a question is answered', async () => {
  const { event, posts } = await plugin(`cat >/dev/null; echo '{"answers":[["A"],["B","C"]]}'`);
  await event('question.asked', { id: 'q1', sessionID: 's', questions: [] });
  await until(() => posts.length === 1);
  assert.equal(posts[0].url, '/question/q1/reply');
  assert.deepEqual(posts[0].body, { answers: [['A'], ['B', 'C']] });
});

test('silence, faults and unknown answers post nothing', async () => {
  const scripts = [
    'cat >/dev/null',
    'exit 7',
    'cat >/dev/null; echo no',
    `cat >/dev/null; echo '{"reply":"yes"}'`,
    `cat >/dev/null; echo '{"answers":"A"}'`,
  ];
  for (const [index, script] of scripts.entries()) {
    const { event, posts } = await plugin(`trap 'touch ended-${index}' EXIT\n${script}`);
    await event(index === 4 ? 'question.asked' : 'permission.asked', { id: 'x' });
    await until(() => existsSync(join(scratch, `ended-${index}`)));
    await new Promise((done) => setTimeout(done, 50));
    assert.deepEqual(posts, []);
  }
});

test('an answer elsewhere ends the program', async () => {
  const { event, posts } = await plugin(
    `trap 'touch stopped; exit 0' TERM\ncat >/dev/null\ntouch started\nwhile :; do sleep 0.02; done`,
  );
  await event('permission.asked', { id: 'p9' });
  await until(() => existsSync(join(scratch, 'started')));
  await event('permission.replied', { sessionID: 's', requestID: 'p9', reply: 'once' });
  await until(() => existsSync(join(scratch, 'stopped')));
  assert.deepEqual(posts, []);
});

test('ended turns and faults are told', async () => {
  const { event, posts } = await plugin('cat >told.json.new; mv told.json.new told.json');
  await event('session.idle', { sessionID: 's' });
  await until(() => existsSync(join(scratch, 'told.json')));
  assert.equal(JSON.parse(readFileSync(join(scratch, 'told.json'), 'utf8')).event, 'session.idle');
  assert.deepEqual(posts, []);
});
