// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// HAProxy with deploy/cluster/haproxy.cfg, started as its first lines say, in front of three stand-ins for nodes.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { writeCertificate } from '../e2e/lib/certificate.js';
import { freePort } from '../lib/free_port.mjs';

const kConf = fileURLToPath(new URL('../../deploy/cluster/haproxy.cfg', import.meta.url));
const kPrograms = '/usr/sbin:/usr/bin:/bin';
const kName = 'parley.example.org';
const kUpgrade = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

// What a server answers to that key, without which HAProxy refuses the upgrade.
const kAccept = 's3pPLMBiTxaQ9kYGzzhZRbK+xOo=';

// Resolves when the condition holds; fails after 20 s.
async function until(condition, said) {
  for (let tries = 0; tries < 1000; tries += 1) {
    if (await condition()) return;
    await pause(20);
  }
  assert.fail(said);
}

// A stand-in for a node. /hold is never answered, /cut ends the connection, everything else is answered with the name.
class Node {
  ready = true;
  requests = []; // without those of health checks
  held = 0;
  sockets = new Set(); // of upgraded connections

  constructor(name) {
    this.name = name;
    this.server = http.createServer((request, response) => this.#answer(request, response));
    this.server.on('upgrade', (request, socket) => this.#upgrade(request, socket));
  }

  async start() {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    this.address = `127.0.0.1:${this.server.address().port}`;
  }

  #answer(request, response) {
    const { url } = request;
    if (url === '/readyz') return response.writeHead(this.ready ? 200 : 503).end();
    this.requests.push(request);
    if (url.startsWith('/cut')) return request.socket.destroy();
    if (!url.startsWith('/hold')) return response.end(this.name);
    this.held += 1;
    response.on('close', () => (this.held -= 1));
  }

  #upgrade(request, socket) {
    this.requests.push(request);
    const fields = `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${kAccept}`;
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${fields}\r\n\r\n`);
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket)).on('error', () => {});
    socket.pipe(socket);
  }

  async end() {
    if (!this.server.listening) return;
    for (const socket of this.sockets) socket.destroy();
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }
}

class Balancer {
  log = '';
  nodes = ['node-1', 'node-2', 'node-3'].map((name) => new Node(name));
  #child;
  #folder = mkdtempSync(path.join(tmpdir(), 'parley-balancer-'));
  #secure;

  async start({ tls = false } = {}) {
    for (const node of this.nodes) await node.start();
    this.port = await freePort();
    this.#secure = tls;
    const env = { PATH: kPrograms, PARLEY_BIND: `127.0.0.1:${this.port}` };
    for (const [at, node] of this.nodes.entries()) env[`PARLEY_NODE_${at + 1}`] = node.address;
    if (tls) {
      const at = (name) => path.join(this.#folder, name);
      writeCertificate({ key: at('key.pem'), cert: at('cert.pem'), name: kName });
      env.PARLEY_CERTIFICATE = at('both.pem');
      writeFileSync(env.PARLEY_CERTIFICATE, readFileSync(at('cert.pem'), 'utf8') + readFileSync(at('key.pem'), 'utf8'));
    }
    this.#child = spawn('haproxy', ['-db', '-f', kConf], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child.on('error', (error) => (this.log += error.message));
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (this.log += text));
    await until(
      () =>
        this.ask('/').then(
          ({ status }) => status === 200,
          () => false,
        ),
      `HAProxy does not answer: ${this.log}`,
    );
    for (const node of this.nodes) node.requests = [];
  }

  // A request that has been sent.
  send(target, { method = 'GET', headers = {} } = {}) {
    const more = { agent: false, rejectUnauthorized: false };
    const { request } = this.#secure ? https : http;
    const host = { Host: `${kName}:${this.port}`, ...headers };
    const sent = request({ host: '127.0.0.1', port: this.port, path: target, method, headers: host, ...more });
    sent.end();
    return sent;
  }

  // Resolves with {status, body}.
  ask(target, options) {
    return new Promise((resolve, reject) => {
      const sent = this.send(target, options);
      sent.on('error', reject).on('response', (answer) => {
        let body = '';
        answer.setEncoding('utf8').on('data', (text) => (body += text));
        answer.on('end', () => resolve({ status: answer.statusCode, body }));
      });
    });
  }

  // Resolves with the upgraded connection.
  upgrade(target) {
    return new Promise((resolve, reject) => {
      const sent = this.send(target, { headers: kUpgrade }).on('error', reject);
      sent.on('response', (answer) => reject(new Error(`no upgrade: ${answer.statusCode}`)));
      sent.on('upgrade', (_, socket) => resolve(socket.on('error', () => {})));
    });
  }

  requests() {
    return this.nodes.flatMap((node) => node.requests);
  }

  async end() {
    if (this.#child?.exitCode === null) {
      const ended = once(this.#child, 'exit');
      this.#child.kill('SIGTERM');
      await ended;
    }
    for (const node of this.nodes) await node.end();
    rmSync(this.#folder, { recursive: true });
  }
}

const balanced = (play, options) => async () => {
  const balancer = new Balancer();
  try {
    await balancer.start(options);
    await play(balancer);
  } finally {
    await balancer.end();
  }
};

// Resolves with the names of the nodes that answer a dozen requests.
async function answering(balancer) {
  const answers = await Promise.all(Array.from({ length: 12 }, () => balancer.ask('/')));
  for (const { status } of answers) assert.equal(status, 200);
  return new Set(answers.map(({ body }) => body));
}

async function echoes(socket, text) {
  assert.ok(!socket.destroyed, 'the WebSocket was closed');
  socket.write(text);
  const closed = once(socket, 'close').then(() => assert.fail('the WebSocket was closed'));
  const [back] = await Promise.race([once(socket, 'data'), closed]);
  closed.catch(() => {});
  assert.equal(back.toString(), text);
}

test(
  'a node that is not ready gets no new requests and keeps its open WebSockets',
  balanced(async (balancer) => {
    const socket = await balancer.upgrade('/agent/ws');
    const home = balancer.nodes.find((node) => node.sockets.size === 1);
    home.ready = false;
    await until(() => balancer.log.includes(`Server nodes/${home.name} is DOWN`), 'the node stays in use');
    assert.equal((await answering(balancer)).has(home.name), false);
    await echoes(socket, 'still open');
    home.ready = true;
    await until(async () => (await answering(balancer)).has(home.name), 'the node is not used again');
    await echoes(socket, 'and again');
    socket.destroy();
    await until(() => home.sockets.size === 0, 'the end of the client does not reach the node');
  }),
);

test(
  'requests for a node that is gone go to another one',
  balanced(async (balancer) => {
    await balancer.nodes[1].end();
    assert.equal((await answering(balancer)).has('node-2'), false);
    assert.equal((await balancer.ask('/', { method: 'POST' })).status, 200);
  }),
);

test(
  'a request that a node may have carried out is not sent again',
  balanced(async (balancer) => {
    for (const method of ['GET', 'POST']) {
      assert.equal((await balancer.ask(`/cut/${method}`, { method })).status, 502);
      assert.equal(balancer.requests().filter(({ url }) => url === `/cut/${method}`).length, 1);
    }
  }),
);

test(
  'the end of a waiting caller reaches the node',
  balanced(async (balancer) => {
    const sent = balancer.send('/hold').on('error', () => {});
    await until(() => balancer.nodes.some((node) => node.held === 1), 'the call does not arrive');
    sent.destroy();
    await until(() => balancer.nodes.every((node) => node.held === 0), 'the call is held for nobody');
  }),
);

test(
  'what clients say about themselves is not passed on',
  balanced(async (balancer) => {
    const claims = {
      Forwarded: 'for=192.0.2.7',
      Via: '1.1 elsewhere',
      'X-Real-IP': '192.0.2.7',
      'X-Forwarded-For': '192.0.2.7',
      'X-Forwarded-Host': 'evil.example',
      'X-Forwarded-Proto': 'https',
    };
    assert.equal((await balancer.ask('/v1/me?token=mine', { headers: claims })).status, 200);
    const [{ url, headers }] = balancer.requests();
    assert.equal(url, '/v1/me?token=mine');
    assert.equal(headers.host, `${kName}:${balancer.port}`);
    const said = Object.keys(headers).filter((name) => /^(x-|forwarded|via)/.test(name));
    assert.deepEqual(said.sort(), ['x-forwarded-for', 'x-forwarded-proto']);
    assert.equal(headers['x-forwarded-for'], '127.0.0.1');
    assert.equal(headers['x-forwarded-proto'], 'http');
  }),
);

test(
  'figures of the nodes are not published',
  balanced(async (balancer) => {
    // Forms of the path that a node takes for /metrics, and some more.
    const forms = ['/metrics', '/metrics?all', '//metrics', '/%6detrics', '/%2fmetrics', '/./metrics', '/x/../metrics'];
    for (const form of [...forms, '/x/%2e%2e/metrics', '/METRICS', '/metrics/', '/metrics/..'])
      assert.equal((await balancer.ask(form)).status, 404, form);
    assert.deepEqual(balancer.requests(), []);
    assert.equal((await balancer.ask('/v1/sessions/a%2Fmetrics.x/events')).status, 200);
  }),
);

test(
  'the log holds no token and no secret of a link',
  balanced(async (balancer) => {
    await balancer.ask('/v1/me?token=hidden-1', { headers: { Referer: `http://${kName}/?token=hidden-2` } });
    await balancer.ask('/a/hidden-3');
    (await balancer.upgrade('/ws?token=hidden-4')).destroy();
    await balancer.ask('/cut?token=hidden-5');
    await until(() => ['/v1/me', '/a/...', '/ws', '/cut'].every((each) => balancer.log.includes(`${each}"`)), 'no log');
    assert.doesNotMatch(balancer.log, /hidden|token/);
  }),
);

test(
  'a certificate makes it speak TLS',
  balanced(
    async (balancer) => {
      const socket = await balancer.upgrade('/agent/ws');
      await echoes(socket, 'by TLS');
      socket.destroy();
      assert.equal(balancer.requests()[0].headers['x-forwarded-proto'], 'https');
    },
    { tls: true },
  ),
);
