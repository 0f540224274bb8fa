// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Thousands of connections without a token that make the server hold bytes: unfinished requests, answers
// that nobody takes, TLS. Their memory has a bound, others are served meanwhile, and so are callers of the
// same address afterwards. PARLEY_CROWD=10000 is the full size (make crowd).
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { request as requestTls } from 'node:https';
import { createServer } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { kLoginFlags } from './lib/actors.js';
import { Crowd, kFirstAddress } from './lib/crowd.js';
import { growth, Server } from './lib/server.js';
import { frame } from './lib/wire.js';

const kFull = process.env.PARLEY_CROWD !== undefined;
const kCount = Number(process.env.PARLEY_CROWD ?? 3_000);
const kAddresses = kFull ? 200 : 1;
// In MiB. The unknown callers of one address may hold 16 MiB, all together 64. The allocator needs up to half as
// much again, a connection itself less than 5 KiB, and the bystanders and the caches of the server 12 MiB.
const kBound = kFull ? 128 : 1.5 * 16 + (kCount * 5) / 1024 + 12;
const kPatienceMs = 60_000;
const kPauseMs = 20;
const kCalmRounds = 3;
const kBehaving = 10;
// TLS sessions of 16 KiB, and handshakes and answers at the same time, for which one address has room.
const kSessions = 500;
const kSessionsAtOnce = 20;
const kOwnConnections = 4; // most connections of the test itself

const get = (path, fields = '') => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${fields}\r\n`;
const head = (path, fields) =>
  `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n${fields}\r\n\r\n`;
const halfBody = (path) => head(path, 'Content-Length: 65536') + 'a'.repeat(65_535);
const upgrade = (path, more = []) =>
  Buffer.concat([
    Buffer.from(
      get(
        path,
        'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n',
      ),
    ),
    ...more,
  ]);
const times = (count, bytes) => Array(count).fill(bytes);
const kFields = 'X-Unfinished: ' + 'a'.repeat(100) + '\r\n';

// Rows {what, bytes(server), mark, least}: each connection sends the bytes and reads nothing. The figures that
// match `mark` grow by at least `least` of the number of connections.
const kAnswered = /^parley_http_requests_total\{.*status="200"/;
const kRefused = /^parley_http_rejected_total/;
const kOpened = /^parley_http_requests_total\{.*status="101"/;
const kRows = [
  { what: 'IdleConnections', bytes: () => '', mark: /^parley_connections$/, least: 1 },
  { what: 'Scripts', bytes: (server) => get(server.script).repeat(3), mark: kAnswered, least: 1 },
  {
    what: 'CompressedScripts',
    bytes: (server) => get(server.script, 'Accept-Encoding: gzip\r\n').repeat(5),
    mark: kAnswered,
    least: 1,
  },
  { what: 'ApiDescription', bytes: () => get('/v1/openapi.json'), mark: kAnswered, least: 1 },
  { what: 'PipelinedApiDescriptions', bytes: () => get('/v1/openapi.json').repeat(16), mark: kAnswered, least: 1 },
  { what: 'PipelinedMetrics', bytes: () => get('/metrics').repeat(4), mark: kAnswered, least: 1 },
  {
    what: 'PagesOfConsent',
    bytes: () => get('/authorize?response_type=code').repeat(8),
    mark: /route="\/authorize"/,
    least: 1,
  },
  {
    what: 'HalfHeads',
    bytes: () => get('/', kFields.repeat(130)).slice(0, -2),
    mark: /reason="assembly_full"/,
    least: 0.5,
  },
  {
    what: 'HeadsAwaitingBodies',
    bytes: () => head('/nowhere', kFields.repeat(120) + 'Content-Length: 10') + 'a',
    mark: /reason="assembly_full"/,
    least: 0.5,
  },
  { what: 'HalfBodies', bytes: () => halfBody('/v1/interactions'), mark: kRefused, least: 0.5 },
  { what: 'HalfBodiesOfMcp', bytes: () => halfBody('/mcp'), mark: kRefused, least: 0.5 },
  { what: 'HalfForms', bytes: () => halfBody('/token'), mark: kRefused, least: 0.5 },
  {
    what: 'HalfChunks',
    bytes: () => head('/nowhere', 'Transfer-Encoding: chunked') + '10000\r\n' + 'a'.repeat(65_000),
    mark: kRefused,
    least: 0.5,
  },
  {
    what: 'RefusedHeads',
    bytes: () => get('/', 'X-Large: ' + 'a'.repeat(17_000)),
    mark: /reason="header_too_large"/,
    least: 1,
  },
  {
    what: 'RefusedBodies',
    bytes: () => head('/nowhere', 'Content-Length: 1000000') + 'a'.repeat(30_000),
    mark: /reason="body_too_large"/,
    least: 1,
  },
  { what: 'IdleWebSockets', bytes: () => upgrade('/ws'), mark: kOpened, least: 1 },
  {
    what: 'HalfMessages',
    bytes: () => upgrade('/ws', [frame(1, 'a'.repeat(65_000)).subarray(0, 64_000)]),
    mark: /closed_total\{code="1013"/,
    least: 0.5,
  },
  {
    what: 'HalfFragments',
    bytes: () => upgrade('/agent/ws', [frame(1, 'a'.repeat(30_000), false), frame(0, 'a'.repeat(30_000), false)]),
    mark: /closed_total\{code="1013"/,
    least: 0.5,
  },
  { what: 'Pings', bytes: () => upgrade('/ws', times(600, frame(9, 'p'.repeat(120)))), mark: kOpened, least: 1 },
  {
    what: 'ErrorsOfRelay',
    bytes: () => upgrade('/agent/ws', times(100, frame(1, '{"v":"mvp-0.2"}'))),
    mark: /messages_total\{direction="in"/,
    least: 1,
  },
  { what: 'FirstBytesOfTls', tls: true, bytes: () => '\x16', mark: /^parley_connections$/, least: 1 },
  {
    what: 'HalfRecordsOfTls',
    tls: true,
    bytes: () => Buffer.concat([Buffer.from([0x16, 3, 1, 0x40, 0]), Buffer.alloc(16_000)]),
    mark: /^parley_connections_cut$/,
    least: 0.5,
  },
  { what: 'HalfHandshakes', tls: true, bytes: firstFlight, mark: /^parley_connections_cut$/, least: 0.5 },
  {
    what: 'PlainHeadsOnTlsPort',
    tls: true,
    bytes: () => 'GET /' + 'a'.repeat(8_000),
    mark: /^parley_connections_cut$/,
    least: 0.1,
  },
];

// The first bytes that a TLS client sends.
async function firstFlight() {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const client = connectTls({ port: listener.address().port, host: '127.0.0.1' }).on('error', () => undefined);
  const [accepted] = await once(listener, 'connection');
  const [bytes] = await once(accepted, 'data');
  client.destroy();
  accepted.destroy();
  listener.close();
  return bytes;
}

// One request without a token from the address of the crowd, on a connection of its own; resolves with {status, size}.
async function behave(server, method, path, body = '') {
  const url = new URL(server.url);
  const send = url.protocol === 'https:' ? requestTls : request;
  const asked = send({
    host: url.hostname,
    port: url.port,
    method,
    path,
    localAddress: kFirstAddress,
    agent: false,
    timeout: kPatienceMs,
    headers: body === '' ? {} : { 'Content-Type': 'application/json', 'Content-Length': body.length },
  });
  asked.end(body);
  const [answer] = await once(asked, 'response');
  let size = 0;
  for await (const piece of answer) size += piece.length;
  return { status: answer.statusCode, size };
}

// The path of the largest script of the console that the page names.
async function largestScript(server) {
  const page = await (await fetch(server.url)).text();
  const sizes = new Map();
  for (const [, path] of page.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)) {
    sizes.set(path, (await (await fetch(server.url + path)).arrayBuffer()).byteLength);
  }
  const [script, size] = [...sizes].sort((a, b) => b[1] - a[1])[0];
  assert.ok(size > 100_000, 'a large script');
  Object.assign(server, { script, scriptBytes: size });
}

// Polls until `good(figures)`, while another client is served.
async function reach(server, good, what) {
  for (const end = Date.now() + kPatienceMs; ; await pause(kPauseMs)) {
    await server.serves();
    const now = await server.metrics();
    if (good(now)) return now;
    assert.ok(Date.now() < end, what);
  }
}

// Waits until the server has dealt with what the crowd has sent.
async function settle(server, before, { what, mark, least }) {
  let last = '';
  let rounds = 0;
  await reach(
    server,
    (now) => {
      const marked = growth(before, now, mark) >= least * kCount;
      const figures = [
        marked,
        now.get('parley_assembling_bytes'),
        now.get('parley_connections_cut'),
        growth(before, now, kRefused),
      ].join();
      rounds = figures === last ? rounds + 1 : 0;
      last = figures;
      return marked && rounds >= kCalmRounds;
    },
    `${what}: the server deals with it`,
  );
}

async function startServer(tls) {
  const server = await Server.start({
    settings: '[log]\nlevel = "warn"\n',
    flags: tls ? ['--tls', 'auto'] : kLoginFlags,
  });
  await largestScript(server);
  await server.serves();
  return server;
}

async function servesNeighbours(server) {
  for (let i = 0; i < kBehaving; ++i) {
    assert.deepEqual(await behave(server, 'GET', server.script), { status: 200, size: server.scriptBytes });
    assert.equal((await behave(server, 'GET', '/v1/openapi.json')).status, 200);
    assert.equal((await behave(server, 'POST', '/v1/interactions', 'a'.repeat(60_000))).status, 401);
  }
  await server.serves();
}

function staysWithin(server, calm, what) {
  const grown = server.peak - calm;
  console.log(`# ${what}: ${grown.toFixed(1)} of ${kBound.toFixed(0)} MiB`);
  assert.ok(
    grown <= kBound,
    `${what}: ${grown.toFixed(1)} MiB for ${kCount} connections, more than ${kBound.toFixed(0)}`,
  );
}

describe(`${kCount} connections without a token`, () => {
  before(() => {
    // The certificate is of the server's own authority. Connections go to 127.0.0.1 only.
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  });
  after(() => delete process.env.NODE_TLS_REJECT_UNAUTHORIZED);

  for (const row of kRows) {
    it(`${row.what}_CostBoundedMemory_OthersAreServed`, async () => {
      const server = await startServer(row.tls);
      let crowd;
      try {
        const calm = server.resident;
        const figures = await server.metrics();
        crowd = await server.servesDuring(Crowd.gather(server.port, kCount, kAddresses, await row.bytes(server)));
        await settle(server, figures, row);
        await crowd.leave();
        crowd = undefined;
        await reach(server, (now) => now.get('parley_connections') <= kOwnConnections, 'the crowd is gone');
        await servesNeighbours(server);
        staysWithin(server, calm, row.what);
        assert.equal((await server.metrics()).get('parley_contained_errors'), 0);
      } finally {
        await crowd?.leave();
        await server.end();
      }
    });
  }

  // Encrypted answers are never shared: those that wait count to the address, whose connections are cut.
  it('TlsSessions_WithUntakenAnswers_CostBoundedMemory', async () => {
    const server = await startServer(true);
    const sockets = [];
    const open = async () => {
      const socket = connectTls({ port: server.port, host: '127.0.0.1', localAddress: kFirstAddress });
      sockets.push(socket);
      const opened = once(socket, 'secureConnect').catch(() => undefined);
      socket
        .on('error', () => undefined)
        .pause()
        .write(get(server.script).repeat(20));
      await opened;
    };
    try {
      const calm = server.resident;
      const done = (async () => {
        while (sockets.length < kSessions) await Promise.all(Array.from({ length: kSessionsAtOnce }, open));
      })();
      await server.servesDuring(done);
      await reach(server, (now) => now.get('parley_connections_cut') > 0, 'connections are cut');
      staysWithin(server, calm, 'TLS answers');
    } finally {
      for (const socket of sockets) socket.destroy();
      await server.end();
    }
  });

  // The buffers of a session grew with its largest answer, and stayed.
  it('TlsSessions_BehindLargeAnswers_CostBoundedMemory', async () => {
    const server = await startServer(true);
    const sockets = [];
    const take = async () => {
      const socket = connectTls({ port: server.port, host: '127.0.0.1', localAddress: kFirstAddress });
      sockets.push(socket);
      socket.on('error', () => undefined).write(`${get(server.script)}${halfBody('/nowhere')}a`);
      for (let got = 0; got < server.scriptBytes;) got += (await once(socket, 'data'))[0].length;
    };
    try {
      const calm = server.resident;
      const done = (async () => {
        while (sockets.length < kSessions) await Promise.all(Array.from({ length: kSessionsAtOnce }, take));
      })();
      await server.servesDuring(done);
      staysWithin(server, calm, 'TLS sessions');
      for (const socket of sockets.splice(0)) socket.destroy();
      await reach(server, (now) => now.get('parley_connections') <= kOwnConnections, 'the sessions are gone');
      await servesNeighbours(server);
    } finally {
      for (const socket of sockets) socket.destroy();
      await server.end();
    }
  });
});
