// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// `parley serve --tailscale` with a stand-in for the program tailscale.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { execFileSync, spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from './lib/person.js';
import { Receiver } from './lib/receivers.js';
import { kTailnetAddress, kTailnetName, TailnetServer } from './lib/tailscale.js';

const kProgram = join(process.env.PARLEY_BIN_DIR ?? '.', 'parley');

const tailnet =
  (play, configure = () => {}) =>
  async () => {
    const server = new TailnetServer();
    try {
      await configure(server);
      await server.start();
      await play(server);
    } finally {
      await server.end();
    }
  };
// A server that was started without the tailnet.
const untold = (play) => tailnet(play, (server) => (server.more = []));
const post = (server, path, token = server.token) =>
  fetch(`${server.url}${path}`, { method: 'POST', headers: { Authorization: `Bearer ${token}` } });
const bearer = (server) => ({ Authorization: `Bearer ${server.token}` });

test(
  'the tailnet name is served by TLS beside loopback, with its Host and Origin',
  tailnet(async (server) => {
    assert.equal((await fetch(`${server.url}/healthz`)).status, 200, 'loopback stays as it was');
    assert.equal((await server.over('/healthz')).status, 200);
    const { origins, away } = JSON.parse((await server.over('/v1/tls', { headers: bearer(server) })).body);
    assert.deepEqual(origins, [server.away]);
    assert.equal(away, server.away);
    const upgrade = {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    };
    assert.equal((await server.over('/ws', { headers: { ...upgrade, Origin: server.away } })).status, 101);
    assert.equal(
      (await server.over('/ws', { headers: { ...upgrade, Origin: 'https://evil.example.org' } })).status,
      403,
    );
    assert.equal((await server.over('/healthz', { headers: { Host: 'evil.example.org' } })).status, 421);
    const foreign = await new Promise((resolve) =>
      get(`${server.url}/healthz`, { headers: { Host: kTailnetName } }, resolve),
    );
    assert.equal(foreign.statusCode, 421, 'loopback answers to its own names alone');
    foreign.resume();
  }),
);

test(
  'a server on every address serves the tailnet name with its own certificate',
  tailnet(
    async (server) => {
      assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
      for (let i = 0; i < 8; i += 1) assert.equal((await server.over('/healthz')).status, 200);
    },
    (server) => {
      server.host = '0.0.0.0';
      server.more.push('--allow-plain');
    },
  ),
);

test(
  'http on the tailnet is sent to https',
  tailnet(async (server) => {
    const plain = await new Promise((resolve) =>
      get(
        { host: kTailnetAddress, port: server.port, path: '/x', headers: { Host: `${kTailnetName}:${server.port}` } },
        resolve,
      ),
    );
    plain.resume();
    assert.equal(plain.statusCode, 307);
    assert.equal(plain.headers.location, `${server.away}/x`);
  }),
);

test(
  'the terminal prints the address that works away, and the certificate is private',
  tailnet(async (server) => {
    await until(async () => server.log.includes('keep=1'), 'the welcome');
    const [, token] =
      new RegExp(`On a phone {2}${server.away}/#/inbox\\?token=(prl_[\\w-]+)&keep=1`).exec(server.log) ?? [];
    const phone = JSON.parse((await server.over('/v1/me', { headers: { Authorization: `Bearer ${token}` } })).body);
    assert.deepEqual({ name: phone.name, rights: phone.rights }, { name: 'phone', rights: ['ask', 'answer', 'read'] });
    const own = JSON.parse((await server.over('/v1/me', { headers: bearer(server) })).body);
    assert.equal(phone.workspace, own.workspace, 'the same inbox');
    for (const file of ['tailnet.pem', 'tailnet.key'])
      assert.equal(statSync(join(server.data, file)).mode & 0o777, 0o600, file);
    assert.deepEqual(server.tailscale.calls, [
      'status --json --peers=false',
      `cert --cert-file=- --key-file=- ${kTailnetName}`,
    ]);
  }),
);

test(
  'a renewed certificate is served without a restart; a failed renewal keeps the old one',
  tailnet(async (server) => {
    const before = await server.met();
    const renewed = new X509Certificate(server.tailscale.issue()).fingerprint256;
    assert.notEqual(before, renewed);
    server.hangUp();
    await until(async () => (await server.met()) === renewed, 'the new certificate');
    server.tailscale.issue('other.tail1234.ts.net');
    server.hangUp();
    await until(async () => server.log.includes('It is for another name.'), 'the error');
    assert.equal(await server.met(), renewed);
  }),
);

test('notices carry the address that works away', async () => {
  const ntfy = await Receiver.start();
  try {
    await tailnet(
      async (server) => {
        const headers = { ...bearer(server), 'Content-Type': 'application/json' };
        await server.over('/v1/interactions', {
          method: 'POST',
          headers,
          body: JSON.stringify({ key: 'k', prompt: { text: 'Deploy?' } }),
        });
        const { click } = await ntfy.json();
        assert.ok(click.startsWith(`${server.away}/#/`), click);
      },
      (server) => server.configure(`[[notify.ntfy]]\nname = "phone"\nurl = "${ntfy.url}/topic"\n`),
    )();
  } finally {
    await ntfy.end();
  }
});

// The faults of Tailscale as a person reads them: {does: how the stand-in is changed, says: the lines}.
const kFaults = {
  absent: {
    does: (stand) => stand.answer('status', ''),
    path: '/nonexistent',
    says: [/tailscale cannot be started/, /No such file/, /tailscale\.com\/download/],
  },
  'not running': {
    does: (stand) => stand.answer('status', 'echo "failed to connect to local tailscaled" >&2; exit 1'),
    says: [/status` fails/, /failed to connect/, /systemctl enable --now tailscaled/],
  },
  'not logged in': {
    does: (stand) => stand.state({ BackendState: 'NeedsLogin' }),
    says: [/not connected/, /Nobody is logged in/, /sudo tailscale up/],
  },
  stopped: {
    does: (stand) => stand.state({ BackendState: 'Stopped' }),
    says: [/not connected/, /is stopped/, /sudo tailscale up/],
  },
  'wrong JSON': {
    does: (stand) => stand.answer('status', 'echo "<html>"'),
    says: [/not understood/, /no JSON/, /Update Tailscale/],
  },
  'a name that is no host name': {
    does: (stand) => stand.state({ Self: { DNSName: '$(reboot).ts.net.' } }),
    says: [/not understood/, /no host name: "\$\(reboot\)/, /Update/],
  },
  'every address': {
    does: (stand) => stand.state({ Self: { TailscaleIPs: ['0.0.0.0'] } }),
    says: [/not understood/, /no address of a tailnet/, /Update/],
  },
  'an address of another computer': {
    does: (stand) => stand.state({ Self: { TailscaleIPs: ['100.64.99.99'] } }),
    says: [/cannot listen on the tailnet/, /100\.64\.99\.99/, /tailscale ip/],
  },
  'HTTPS off': {
    does: (stand) => stand.state({ CertDomains: null }),
    says: [/no certificate/, /HTTPS is off/, /admin\/dns/],
  },
  'no right to the certificate': {
    does: (stand) => stand.answer('cert', 'echo "Access denied: cert access denied" >&2; exit 1'),
    says: [/cert` fails/, /Access denied/, /TS_PERMIT_CERT_UID=\w+ to/],
  },
  'a certificate for another name': {
    does: (stand) => stand.issue('other.tail1234.ts.net'),
    says: [/cannot be used/, /another name/, /openssl x509/],
  },
  'no certificate': {
    does: (stand) => stand.answer('cert', 'echo done'),
    says: [/cannot be used/, /no certificate/, /openssl x509/],
  },
};

for (const [name, { does, says, path }] of Object.entries(kFaults)) {
  test(`the start fails with what, why and what to do: ${name}`, async () => {
    const server = new TailnetServer();
    try {
      does(server.tailscale);
      const args = ['serve', '--listen', '127.0.0.1:0', '--data', server.data, '--tailscale', '--log-level', 'off'];
      const ran = spawnSync(kProgram, args, {
        env: { ...server.env, PATH: path ?? server.tailscale.path },
        encoding: 'utf8',
      });
      assert.equal(ran.status, 1, ran.stderr);
      const lines = ran.stderr.trim().split('\n');
      assert.equal(lines.length, 3, ran.stderr);
      ['parley: ', '  why:  ', '  next: '].forEach((start, i) => assert.ok(lines[i].startsWith(start), ran.stderr));
      says.forEach((pattern, i) => assert.match(lines[i], pattern));
    } finally {
      await server.end();
    }
  });
}

test('a token that can be guessed is refused with --tailscale', async () => {
  const server = new TailnetServer();
  try {
    assert.throws(
      () =>
        execFileSync(kProgram, ['serve', '--data', server.data, '--tailscale', '--token', 'short'], {
          env: server.env,
          stdio: 'pipe',
        }),
      /fewer than 16 characters/,
    );
  } finally {
    await server.end();
  }
});

test('a running server is opened to the tailnet by an administrator, and notices follow', async () => {
  const ntfy = await Receiver.start();
  try {
    await tailnet(
      async (server) => {
        const made = await fetch(`${server.url}/v1/tokens`, {
          method: 'POST',
          headers: { ...bearer(server), 'Content-Type': 'application/json' },
          body: JSON.stringify({ name: 'phone', rights: ['ask', 'answer', 'read'] }),
        });
        assert.equal((await post(server, '/v1/tailnet', (await made.json()).token)).status, 403);
        await assert.rejects(server.over('/healthz'), 'nobody listens there yet');
        for (let i = 0; i < 2; i += 1) {
          const opened = await post(server, '/v1/tailnet');
          assert.equal(opened.status, 200);
          assert.equal((await opened.json()).away, server.away);
        }
        assert.equal((await server.over('/healthz')).status, 200);
        await server.settle('Deploy?', 'yes');
        const { click } = await ntfy.json();
        assert.ok(click.startsWith(`${server.away}/#/`), click);
      },
      (server) => {
        server.more = [];
        server.configure(`[[notify.ntfy]]\nname = "phone"\nurl = "${ntfy.url}/topic"\n`);
      },
    )();
  } finally {
    await ntfy.end();
  }
});

test(
  'a running server says why it cannot be opened, and can be asked again',
  untold(async (server) => {
    server.tailscale.state({ BackendState: 'Stopped' });
    const refused = await post(server, '/v1/tailnet');
    assert.equal(refused.status, 400);
    assert.match(
      (await refused.json()).message,
      /not connected to its tailnet\. Tailscale is stopped\. Connect with `sudo tailscale up`/,
    );
    server.tailscale.state({});
    assert.equal((await post(server, '/v1/tailnet')).status, 200);
  }),
);

test(
  'a server whose token can be guessed is not opened',
  tailnet(
    async (server) => {
      const refused = await post(server, '/v1/tailnet');
      assert.equal(refused.status, 400);
      assert.match((await refused.json()).message, /can be guessed/);
    },
    (server) => {
      server.more = [];
      server.token = 'short';
    },
  ),
);

test(
  'a server ends at once while Tailscale hangs',
  untold(async (server) => {
    server.tailscale.answer('status', 'exec sleep 1000');
    post(server, '/v1/tailnet').catch(() => undefined); // ends with the server
    await until(async () => server.log.includes('asking Tailscale'), 'the call');
    assert.equal((await post(server, '/v1/tailnet')).status, 429, 'one call at a time');
  }),
); // end() checks the exit status
