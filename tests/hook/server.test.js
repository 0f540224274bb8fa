// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Which server a hook calls, and silence if that does not answer as it should.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';
import { certificate } from '../e2e/lib/receivers.js';
import { holdLock } from '../lib/data_lock.mjs';
import { folder, isSilent, kGeminiPermission, kMake, settingsFor, withServer } from './hook_world.js';
import { Hook } from './hooks.js';

// A server of another, which counts its connections.
async function withPlanted(use) {
  let connections = 0;
  const server = createServer((_, response) => response.end('{}'));
  server.on('connection', () => (connections += 1));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await use(`http://127.0.0.1:${server.address().port}`);
    assert.equal(connections, 0, 'no connection to the planted server');
  } finally {
    server.close();
  }
}

// The file of a running server. Its lock is held, so that only the place and the process tell it from a real one.
async function plant(path, url, pid = process.pid) {
  mkdirSync(join(path, 'parley'), { recursive: true });
  const lock = await holdLock(join(path, 'parley'));
  const file = join(path, 'parley', 'endpoint.json');
  writeFileSync(file, JSON.stringify({ url, token: 'planted-token-planted-token', pid }));
  chmodSync(file, 0o600);
  return lock;
}

test(
  'no server: silence',
  folder(async (path) => {
    await isSilent(new Hook(['claude', '--data', path], kMake));
  }),
);

test(
  'a server that refuses or is silent: silence, at once',
  folder(async (path) => {
    const silent = createServer(() => undefined);
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    for (const port of [1, silent.address().port]) {
      for (const [agent, input] of [
        ['claude', kMake],
        ['codex', kMake],
        ['gemini', kGeminiPermission],
      ]) {
        await isSilent(new Hook([agent, '--data', path, '--config', settingsFor(path, port), '--wait', '1'], input));
      }
    }
    silent.closeAllConnections();
    silent.close();
  }),
);

test(
  'a server that is never ready: asked again, then silence',
  folder((path) =>
    withServer(
      (_, response) => response.writeHead(503).end('{}'),
      async (port, calls) => {
        await isSilent(new Hook(['claude', '--data', path, '--config', settingsFor(path, port), '--wait', '1'], kMake));
        assert.ok(calls.length > 1, `${calls.length} attempts`);
      },
    ),
  ),
);

test(
  'a server that is late to say who is there is asked',
  folder((path) =>
    withServer(
      (request, response) => {
        const counts = request.url.startsWith('/v1/me');
        if (counts) setTimeout(() => response.end('{"screens":1}'), 1000);
        else response.writeHead(401).end('{}');
      },
      async (port, calls) => {
        await isSilent(new Hook(['codex', '--data', path, '--config', settingsFor(path, port), '--wait', '5'], kMake));
        assert.match(calls.at(-1), /AskQuestion$/);
      },
    ),
  ),
);

test(
  'a connection that is closed within the answer: silence',
  folder((path) =>
    withServer(
      (request, response) => {
        response.writeHead(200, { 'Content-Type': 'application/proto', 'Content-Length': 100 });
        response.write('half', () => request.socket.destroy());
      },
      async (port, calls) => {
        await isSilent(new Hook(['claude', '--data', path, '--config', settingsFor(path, port), '--wait', '1'], kMake));
        assert.ok(calls.length > 0, 'it was asked');
      },
    ),
  ),
);

test(
  'a repository cannot name the server',
  folder(async (path) =>
    withPlanted(async (url) => {
      const locks = [await plant(path, url), await plant(join(path, '.local/share'), url)];
      writeFileSync(
        join(path, 'agentassistant-mcp.toml'),
        `agentassistant_server_base_url = "${url}"\nagentassistant_server_token = "t"\n`,
      );
      const data = join(path, 'data');
      mkdirSync(data);
      const env = { HOME: path, XDG_DATA_HOME: path, XDG_CONFIG_HOME: path, PARLEY_DATA: join(path, 'parley') };
      await isSilent(new Hook(['claude', '--data', data], kMake, { cwd: path, env }));
      for (const lock of locks) await lock.release();
    }),
  ),
);

// An address of a documentation network, so that only a proxy could reach it.
const kFarAway = 'http://192.0.2.1:8080';
const kProxyVariables = ['http_proxy', 'https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'];

function farAway(path, url, more = '') {
  const config = join(path, 'config.toml');
  writeFileSync(config, `agentassistant_server_base_url = "${url}"\nagentassistant_server_token = "t"\n${more}`);
  return ['--data', path, '--config', config, '--wait', '1'];
}

test(
  'a proxy of the environment gets nothing, whatever the hook sends',
  folder(async (path) =>
    withPlanted(async (proxy) => {
      const env = Object.fromEntries(kProxyVariables.map((name) => [name, proxy]));
      for (const url of [kFarAway, kFarAway.replace('http:', 'https:')]) {
        const args = farAway(path, url);
        await isSilent(new Hook(['claude', ...args], kMake, { env }));
        await isSilent(new Hook(['codex', ...args], kMake, { env }));
        await isSilent(new Hook(['gemini', ...args], kGeminiPermission, { env }));
      }
    }),
  ),
);

test(
  'a proxy of the settings file is used, also against no_proxy',
  folder((path) =>
    withServer(
      (_, response) => response.writeHead(503).end(),
      async (port, calls) => {
        const args = farAway(path, kFarAway, `agentassistant_server_proxy = "http://127.0.0.1:${port}"\n`);
        await isSilent(new Hook(['claude', ...args], kMake, { env: { no_proxy: '*' } }));
        assert.match(calls[0] ?? '', /^http:\/\/192\.0\.2\.1:8080\//);
      },
    ),
  ),
);

test(
  'no file of the environment gets TLS secrets',
  folder(async (path) => {
    const pair = certificate();
    const server = createTlsServer(pair);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const secrets = join(path, 'keys.log');
      const handshake = once(server, 'secureConnection');
      const args = farAway(
        path,
        `https://127.0.0.1:${server.address().port}`,
        `agentassistant_server_ca_file = "${pair.file}"\n`,
      );
      await isSilent(new Hook(['claude', ...args], kMake, { env: { SSLKEYLOGFILE: secrets } }));
      await handshake;
      assert.equal(existsSync(secrets), false);
    } finally {
      server.close();
      rmSync(pair.folder, { recursive: true });
    }
  }),
);

// The process id of a killed server can be that of another program by now, and its port too.
test(
  'the file of a killed server is not followed',
  folder(async (path) => {
    const data = join(path, 'parley');
    await withServer(
      (_, response) => response.writeHead(503).end(),
      async (port, calls) => {
        const lock = await plant(path, `http://127.0.0.1:${port}`);
        await isSilent(new Hook(['claude', '--data', data, '--wait', '1'], kMake));
        assert.ok(calls.length > 0, 'a server with its lock is called');
        await lock.release();
        calls.length = 0;
        await isSilent(new Hook(['claude', '--data', data, '--wait', '1'], kMake));
        assert.deepEqual(calls, []);
      },
    );
  }),
);

const kOtherUser = 65534;
const kNeedsRoot = process.getuid() === 0 ? false : 'only root can start a process of another user';

test(
  'the server of another user is not called',
  { skip: kNeedsRoot },
  folder(async (path) =>
    withPlanted(async (url) => {
      const other = spawn('sleep', ['100'], { stdio: 'ignore', uid: kOtherUser, gid: kOtherUser });
      try {
        await once(other, 'spawn');
        const lock = await plant(path, url, other.pid);
        await isSilent(new Hook(['claude', '--data', join(path, 'parley')], kMake));
        await lock.release();
      } finally {
        other.kill('SIGKILL');
      }
    }),
  ),
);
