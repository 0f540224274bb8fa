// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// A real nginx with deploy/nginx.conf, in front of the real server.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort } from '../lib/free_port.mjs';
import { writeCertificate } from './lib/certificate.js';
import { Server } from './lib/server.js';

const kName = 'parley.example.org';
const kConf = fileURLToPath(new URL('../../deploy/nginx.conf', import.meta.url));
const kAway = fileURLToPath(new URL('../../docs/away.md', import.meta.url));
const kLive = `/etc/letsencrypt/live/${kName}`;
const kUpgrade = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

// deploy/nginx.conf as the command of docs/away.md makes it for kName.
function siteOfPage() {
  const [, ...expressions] = /sudo sed -e '([^']+)' -e '([^']+)'/.exec(readFileSync(kAway, 'utf8')) ?? [];
  assert.equal(expressions.length, 2, 'docs/away.md has the command');
  const named = expressions.map((each) => each.replaceAll('YOUR.NAME', kName));
  return execFileSync('sed', ['-e', named[0], '-e', named[1], kConf], { encoding: 'utf8' });
}

// nginx with siteOfPage(), in which only paths, port and server address are replaced.
class Nginx {
  #folder;
  #child;

  static async start(server) {
    const nginx = new Nginx();
    nginx.#folder = join(server.home, 'nginx');
    mkdirSync(join(nginx.#folder, 'logs'), { recursive: true });
    nginx.port = await freePort();
    nginx.#write(server);
    const conf = join(nginx.#folder, 'main.conf');
    nginx.#child = spawn('/usr/sbin/nginx', ['-p', nginx.#folder, '-c', conf, '-g', 'daemon off;'], {
      stdio: 'ignore',
    });
    for (let tries = 0; tries < 200; tries += 1) {
      const answer = await nginx.get('/healthz').catch(() => undefined);
      if (answer?.status === 200) return nginx;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error('nginx did not get ready');
  }

  #write(server) {
    const at = (name) => join(this.#folder, name);
    writeCertificate({ key: at('key.pem'), cert: at('cert.pem'), name: kName });
    const page = siteOfPage();
    for (const needed of [`server_name ${kName};`, `${kLive}/fullchain.pem`, `${kLive}/privkey.pem`])
      assert.ok(page.includes(needed), needed);
    const site = page
      .replace('listen 443 ssl', `listen 127.0.0.1:${this.port} ssl`)
      .replace(`${kLive}/fullchain.pem`, at('cert.pem'))
      .replace(`${kLive}/privkey.pem`, at('key.pem'))
      .replaceAll('/var/log/nginx/', at('logs/'))
      .replace('http://127.0.0.1:22080', server.url);
    writeFileSync(at('site.conf'), site);
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (it) => `${it}_temp_path ${at(`${it}_temp`)};`,
    );
    writeFileSync(
      at('main.conf'),
      [
        `pid ${at('nginx.pid')};`,
        `error_log ${at('logs/main.log')} crit;`,
        'events { worker_connections 64; }',
        `http { access_log off; ${paths.join(' ')} include ${at('site.conf')}; }`,
      ].join('\n'),
    );
  }

  // Resolves with {status, body}; a successful upgrade is closed at once.
  get(path, headers = {}) {
    return new Promise((resolve, reject) => {
      const asked = request({
        host: '127.0.0.1',
        port: this.port,
        path,
        headers: { Host: kName, ...headers },
        rejectUnauthorized: false,
      });
      asked.on('upgrade', (answer, socket) => {
        socket.destroy();
        resolve({ status: answer.statusCode, body: '' });
      });
      asked.on('response', (answer) => {
        let body = '';
        answer.setEncoding('utf8').on('data', (text) => (body += text));
        answer.on('end', () => resolve({ status: answer.statusCode, body }));
      });
      asked.on('error', reject).end();
    });
  }

  log() {
    return ['parley.log', 'parley-error.log', 'main.log']
      .map((name) => readFileSync(join(this.#folder, 'logs', name), 'utf8'))
      .join('\n');
  }

  async end() {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGQUIT');
    await ended;
  }
}

const proxied = (toml, play) => async () => {
  const server = new Server();
  let nginx;
  try {
    server.configure(toml);
    await server.start();
    nginx = await Nginx.start(server);
    await play(server, nginx);
  } finally {
    await nginx?.end();
    await server.end();
  }
};

const kGuestDoors = ['/v1/booking/movies', '/booking/movies', '/v1/study-kit'];
// Settings of an older deploy/nginx.conf, which did not name the public URL.
const kNameAllowed = `allowed_origins = ["https://${kName}"]\n`;

test(
  'requests through nginx are no guests',
  proxied(`public_url = "https://${kName}"\n`, async (server, nginx) => {
    for (const path of kGuestDoors) assert.equal((await nginx.get(path)).status, 401, path);
    assert.equal((await nginx.get('/agent/ws', kUpgrade)).status, 401);
    const Authorization = `Bearer ${server.token}`;
    assert.equal((await nginx.get('/v1/booking/movies', { Authorization })).status, 200);
    assert.equal((await nginx.get('/agent/ws', { ...kUpgrade, Authorization })).status, 101);
  }),
);

test(
  'requests through nginx are no guests without a configured public URL',
  proxied(kNameAllowed, async (server, nginx) => {
    for (const path of kGuestDoors) assert.equal((await nginx.get(path)).status, 401, path);
    assert.equal((await nginx.get('/agent/ws', kUpgrade)).status, 401);
    assert.equal((await fetch(`${server.url}/v1/booking/movies`)).status, 200);
  }),
);

test(
  'a setting admits guests from elsewhere',
  proxied(`${kNameAllowed}external_agent.require_token = "no"\n`, async (server, nginx) => {
    assert.equal((await nginx.get('/v1/booking/movies')).status, 200);
    assert.equal((await nginx.get('/v1/booking/movies', { 'Sec-Fetch-Site': 'cross-site' })).status, 403);
  }),
);

test(
  'the logs of nginx hold no token, and no secret of an answer link',
  proxied(`public_url = "https://${kName}"\n`, async (server, nginx) => {
    const Referer = `https://${kName}/?token=${server.token}`;
    assert.equal((await nginx.get(`/v1/booking/movies?token=${server.token}`, { Referer })).status, 200);
    assert.equal((await nginx.get(`/agent/ws?token=${server.token}`, { ...kUpgrade, Referer })).status, 101);
    assert.equal((await nginx.get('/a/secret-of-a-link')).status, 404);
    await server.kill();
    assert.equal((await nginx.get(`/v1/me?token=${server.token}`)).status, 502);
    await server.start();
    for (let tries = 0; tries < 200 && !nginx.log().includes('/v1/me'); tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 25));
    assert.match(nginx.log(), /GET \/v1\/booking\/movies" 200/);
    assert.ok(!nginx.log().includes(server.token));
    assert.ok(!nginx.log().includes('token='));
    assert.match(nginx.log(), /GET \/a\/\.\.\." 404/);
  }),
);
