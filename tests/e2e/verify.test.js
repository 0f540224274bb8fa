// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The chain of decisions, as `parley verify` checks it and as others can check it by the text of docs/events.md alone.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Server } from './lib/server.js';
import { staged } from './lib/stage.js';

const kSound = 0;
const kChanged = 8;
const kProgram = join(process.env.PARLEY_BIN_DIR ?? '.', 'parley');

const sha256 = (text) => createHash('sha256').update(text, 'utf8').digest('hex');
const field = (name, value) => `${name} ${Buffer.byteLength(value)}\n${value}\n`;

function verify(server, ...args) {
  const done = spawnSync(kProgram, ['verify', '--data', server.data, ...args], { env: server.env, encoding: 'utf8' });
  return { code: done.status, out: done.stdout, err: done.stderr };
}

async function call(server, path, body, expected = 200) {
  const headers = { Authorization: `Bearer ${server.token}`, 'Content-Type': 'application/json' };
  const response = await fetch(`${server.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  assert.equal(response.status, expected, await response.clone().text());
  return response.json();
}

const shownOf = (text) => sha256(field('text', text));

// A server with an answer without and one with the text that was shown, and a cancelled question.
async function decided(play) {
  const server = new Server();
  try {
    await server.start();
    await server.settle('Run `make`?', 'yes');
    await call(server, '/v1/interactions', { key: 'shown', prompt: { text: 'Run `ls`?' } }, 201);
    await call(server, '/v1/interactions/shown/answer', { text: 'no', shown_sha256: shownOf('Run `rm`?') }, 400);
    await call(server, '/v1/interactions/shown/answer', { text: 'no', shown_sha256: shownOf('Run `ls`?') });
    await call(server, '/v1/interactions', { key: 'cancelled', prompt: { text: 'Wait?' } }, 201);
    await call(server, '/v1/interactions/cancelled/cancel', { reason: 'Not needed.' });
    await play(server);
  } finally {
    await server.end();
  }
}

test('the export is verified by its documented form alone, beside a running server that is killed and started again', async () => {
  await decided(async (server) => {
    await server.kill();
    await server.start();
    await server.settle('After the restart?', 'yes');
    const file = join(server.home, 'decisions.jsonl');
    const { code, out } = verify(server, '--out', file);
    assert.equal(code, kSound, out);
    assert.match(out, /4 decisions/);
    assert.match(out, /with the text that was shown: 1\n/);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const lines = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.equal(lines.length, 4);
    let previous = '0'.repeat(64);
    for (const line of lines) {
      const { workspace, session, at, closed_sha256: closed } = line;
      const text =
        field('previous', previous) +
        field('workspace', workspace) +
        field('number', String(line.number)) +
        field('session', session) +
        field('seq', String(line.seq)) +
        field('at', at) +
        field('closed', closed);
      assert.equal(line.hash, sha256(text));
      assert.equal(closed, sha256(line.closed));
      assert.equal(JSON.parse(line.closed).opened_sha256, sha256(line.opened));
      previous = line.hash;
    }
    assert.match(out, new RegExp(`head ${previous}`));
    assert.equal(JSON.parse(lines[1].closed).shown.sha256, shownOf('Run `ls`?'));
    assert.equal(verify(server, file).code, kSound);
    assert.equal(verify(server, '--head', lines[1].hash, '--head', previous).code, kSound);
    const told = JSON.parse(verify(server, '--json').out);
    assert.equal(told.sound, true);
    assert.equal(told.workspaces[0].head, previous);
  });
});

test('a changed export is told with its decision, an unknown head and a file of another kind with the next step', async () => {
  await decided(async (server) => {
    const file = join(server.home, 'decisions.jsonl');
    assert.equal(verify(server, '--out', file).code, kSound);
    const kept = readFileSync(file, 'utf8');
    writeFileSync(file, kept.replace('Run `make`?', 'Run `true`?'));
    const question = verify(server, file);
    assert.equal(question.code, kChanged);
    assert.match(question.out, /CHANGED: Decision 1 of workspace .*: its question is not the one that was answered/);
    writeFileSync(file, kept.split('\n').slice(1).join('\n'));
    assert.match(verify(server, file).out, /Decision 2 .* it follows decision 0; those between are missing/);
    const unknown = verify(server, '--head', 'f'.repeat(64));
    assert.equal(unknown.code, kChanged);
    assert.match(unknown.out, /No decision has the hash f{64}/);
    writeFileSync(file, '{"hello":1}\n');
    const foreign = verify(server, file);
    assert.notEqual(foreign.code, kSound);
    assert.match(
      foreign.err,
      /Line 1: .*workspace is missing[^]*next: +Files to verify are written by `parley verify --out FILE`/,
    );
  });
});

test(
  'a page tells the hash of the card that it shows',
  staged(async (stage) => {
    const { server } = stage;
    const choices = [
      { label: 'Allow once', description: '' },
      { label: 'Deny', description: '' },
    ];
    const prompts = {
      text: { text: 'Shall I go on?' },
      permission: {
        text: '```sh\nmake test\n```',
        questions: [{ text: '```sh\nmake test\n```', header: 'Bash', choices }],
      },
      plain: {
        text: 'Which colour, 你好?',
        questions: [
          {
            text: 'Which colour, 你好?',
            header: 'Colour',
            choices: [
              { label: 'Red', description: 'as a rose' },
              { label: 'Blue', description: '' },
            ],
          },
        ],
      },
    };
    const person = await stage.person();
    const { page } = person;
    const chosen = (key, label) => page.locator(`[data-card=${key}] button.choice`).filter({ hasText: label });
    const answers = {
      text: () => person.answer('Shall I go on?', 'Yes.'),
      permission: () => chosen('permission', 'Allow once').click(),
      plain: () => chosen('plain', 'Red').click(),
    };
    for (const [key, prompt] of Object.entries(prompts)) {
      await call(server, '/v1/interactions', { key, prompt }, 201);
      await answers[key]();
      await page.locator(`[data-card=${key}][data-state=answered]`).waitFor();
      const { outcome } = await (
        await fetch(`${server.url}/v1/interactions/${key}`, { headers: { Authorization: `Bearer ${server.token}` } })
      ).json();
      assert.equal(outcome.shown.told, 'client', key);
    }
    const { code, out } = verify(server);
    assert.equal(code, kSound, out);
    assert.match(out, /with the text that was shown: 3\n/);
  }),
);
