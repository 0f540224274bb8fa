// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Attacks without a token, and with tokens that send too much. Without the server's limits each attack
// would take more memory than the server may allocate.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { growth, report, Server } from './lib/server.js';
import { frame, frameHead, Socket, Wire } from './lib/wire.js';

const kMiB = 1024 * 1024;
const kConnections = 40;
// Limit of the memory that one attack may take in addition to that of an idle server.
const kShareMiB = 200;
// A token may have 128 MiB of incomplete requests; their buffers grow by doubling.
const kTokenShareMiB = 512;
const kRejected = /^parley_http_rejected_total|^parley_websocket_(closed_total\{code="(1008|1009|1013|4401)"|rejected)/;

describe('without a token', () => {
  let server;
  let calm;
  let metrics;
  let attack;
  beforeEach(async (test) => {
    server = await Server.start({ settings: '[log]\nlevel = "warn"\n' });
    await server.serves();
    attack = test.name;
    calm = server.peak;
    metrics = await server.metrics();
  });
  afterEach(async () => {
    report(attack, server, calm);
    await server.end();
  });

  async function holds(what, connections, share = kShareMiB) {
    await server.serves();
    for (const one of connections) one.end();
    assert.ok(server.peak < calm + share, `${what}: ${server.peak.toFixed(0)} MiB`);
    await server.serves();
  }

  it('PipelinedRequests_WithoutReading_AreNotAnswered', async () => {
    const request = Buffer.from('GET /v1/openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    const wire = await Wire.open(server.port);
    wire.stopReading();
    await server.servesDuring(wire.write(Buffer.concat(Array(7_300).fill(request)), 3_000));
    await holds('pipelined GETs', []);
    // Once the client reads, it receives complete answers in order.
    wire.socket.resume();
    const answers = await wire.until((bytes) => bytes.length > 4 * kMiB, 'the answers');
    assert.match(answers.subarray(0, 15).toString('latin1'), /^HTTP\/1\.1 200 /);
    assert.ok(!/HTTP\/1\.1 [345]/.test(answers.toString('latin1')));
    wire.end();
  });

  // Sends a body of 60 MiB until the server stops reading or closes.
  async function pour(path, chunked, authorization = '') {
    const wire = await Wire.open(server.port);
    const length = chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${60 * kMiB}`;
    await wire.write(
      `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n${authorization}${length}\r\n\r\n`,
    );
    const piece = Buffer.alloc(kMiB, 'a');
    const part = chunked ? Buffer.concat([Buffer.from(`${kMiB.toString(16)}\r\n`), piece, Buffer.from('\r\n')]) : piece;
    for (let sent = 0; sent < 59 && (await wire.write(part)); ++sent);
    return wire;
  }

  for (const [what, path, chunked] of [
    ['AnnouncedBodies', '/v1/interactions', false],
    ['ChunkedBodies', '/v1/interactions', true],
    ['BodiesOfRpcs', '/agentassistproto.SrvAgentAssist/AskQuestion', false],
    ['BodiesToNowhere', '/nowhere', true],
  ]) {
    it(`${what}_OfStrangers_AreRefusedBeforeBuffering`, async () => {
      const all = await server.servesDuring(
        Promise.all(Array.from({ length: kConnections }, () => pour(path, chunked))),
      );
      for (const wire of all) {
        const { status, text } = await wire.answer();
        assert.ok([401, 404, 413, 415, 503].includes(status), `${status} ${text}`);
        assert.match(text, /[a-z]+ [a-z]+/i, 'it says why');
      }
      await holds(what, all);
      const now = await server.metrics();
      assert.ok(growth(metrics, now, /^parley_http_(rejected|requests)_total.*(reason|status="4)/) > 0);
    });
  }

  it('HalfBodies_OfOneToken_StayWithinShare', async () => {
    const authorization = `Authorization: Bearer ${server.token}\r\n`;
    const all = await server.servesDuring(
      Promise.all(Array.from({ length: kConnections }, () => pour('/v1/interactions', false, authorization))),
    );
    const refused = [];
    for (const wire of all) {
      if (wire.closed || wire.received.length > 0) refused.push(await wire.answer());
    }
    await holds('half bodies with a token', all, kTokenShareMiB);
    assert.ok(refused.length > 0);
    for (const { status, text } of refused) {
      assert.ok([413, 503].includes(status), `${status} ${text}`);
      assert.match(text, /[a-z]+ [a-z]+/i, 'it says why');
    }
    assert.ok(growth(metrics, await server.metrics(), kRejected) > 0);
  });

  // Sends the first 15 MiB of a message of 16 MiB, which never ends.
  async function flood(path) {
    const wire = await Socket.open(server.port, path);
    await wire.write(frameHead(16 * kMiB));
    const piece = Buffer.alloc(kMiB, 'a');
    for (let sent = 0; sent < 15 && (await wire.write(piece)); ++sent);
    return wire;
  }

  it('HalfMessages_OfGuests_StayWithinShare', async () => {
    const all = await server.servesDuring(Promise.all(Array.from({ length: kConnections }, () => flood('/agent/ws'))));
    // Some connections fit into the share; the others get a reason, unless unread input reset the connection.
    await Promise.any(all.map((wire) => wire.until((_, closed) => closed, 'a refusal')));
    for (const wire of all) {
      const told = await wire.frames(() => true, 'what is there').catch(() => []);
      const close = told.find((one) => one.opcode === 8);
      if (close) assert.match(close.payload.subarray(2).toString('utf8'), /[a-z]+ [a-z]+/i, 'it says why');
    }
    assert.ok(all.some((wire) => wire.closed || wire.socket.destroyed));
    assert.ok(
      growth(metrics, await server.metrics(), /^parley_websocket_(no_room_total|closed_total\{code="10(08|09|13)")/) >
        0,
    );
    await holds('half messages of guests', all, kTokenShareMiB);
  });

  for (const path of ['/ws', '/loom/ws']) {
    it(`HalfMessages_To${path}_BeforeLogin_AreRefused`, async () => {
      const all = await server.servesDuring(
        Promise.all(Array.from({ length: kConnections }, () => flood(path).catch((error) => error))),
      );
      const open = all.filter((one) => one instanceof Socket);
      for (const refused of all.filter((one) => !(one instanceof Socket)))
        assert.match(refused.message, /refused: HTTP\/1\.1 401/);
      for (const wire of open) {
        const { code, reason } = await wire.closing();
        assert.ok([1008, 1009, 1013, 4401].includes(code), `${code} ${reason}`);
        assert.match(reason, /[a-z]+ [a-z]+/i, 'it says why');
      }
      await holds(`half messages to ${path}`, open);
    });
  }

  it('Fragments_WithoutEnd_AreRefused', async () => {
    const wire = await Socket.open(server.port, '/ws');
    await wire.write(frame(1, 'a', false));
    const piece = frame(0, Buffer.alloc(kMiB, 'a'), false);
    for (let sent = 0; sent < 64 && (await wire.write(piece)); ++sent);
    const { code, reason } = await wire.closing();
    assert.ok([1008, 1009, 1013].includes(code), `${code} ${reason}`);
    await holds('fragments', [wire]);
    assert.ok(growth(metrics, await server.metrics(), kRejected) > 0);
  });
});

describe('slow bodies', () => {
  let server;
  before(async () => (server = await Server.start({ settings: '[timeouts]\nbody = "1s"\n' })));
  after(() => server.end());

  // One byte every 200 ms, so that no pause reaches the time-out of 1 s.
  it('SlowBodies_AreRefused', async () => {
    const wires = await Promise.all(Array.from({ length: kConnections }, () => Wire.open(server.port)));
    for (const wire of wires) {
      await wire.write(
        `POST /v1/interactions HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${server.token}\r\n` +
          'Content-Type: application/json\r\nContent-Length: 50000\r\n\r\n',
      );
    }
    const trickle = setInterval(() => wires.forEach((wire) => wire.closed || wire.socket.write('a')), 200);
    try {
      const answers = await server.servesDuring(Promise.all(wires.map((wire) => wire.answer())));
      for (const { status, text } of answers) {
        assert.equal(status, 408, text);
        assert.match(text, /[a-z]+ [a-z]+/i, 'it says why');
      }
    } finally {
      clearInterval(trickle);
      wires.forEach((wire) => wire.end());
    }
    assert.ok((await server.metrics()).get('parley_http_rejected_total{reason="timeout"}') >= kConnections);
    await server.serves();
  });
});
