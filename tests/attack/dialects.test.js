// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Clients of the dialects that send more than the server may hold, or to which it must send more.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { growth, report, Server } from './lib/server.js';
import { frame, framesIn, Socket } from './lib/wire.js';

const kMiB = 1024 * 1024;
const kShareMiB = 200;

// A frame of the assistant protocol with two texts: Cmd (field 1) and StrParam (field 12).
function login(token) {
  const text = (field, value) => Buffer.concat([Buffer.from([(field << 3) | 2, value.length]), Buffer.from(value)]);
  return frame(2, Buffer.concat([text(1, 'UserLogin'), text(12, token)]));
}

describe('a guest of a study', () => {
  let server;
  let calm;
  beforeEach(async () => {
    server = await Server.start({ settings: '[log]\nlevel = "warn"\n' });
    await server.serves();
    calm = server.peak;
  });
  afterEach(async () => {
    report('a guest that floods', server, calm);
    await server.end();
  });

  it('Flood_OfRecords_EndsAtStudyLimit', async () => {
    const host = await Socket.open(server.port, '/agent/ws');
    const agent = await Socket.open(server.port, '/agent/ws');
    const say = (wire, type, payload) => wire.send(JSON.stringify({ v: 'mvp-0.2', id: type, type, payload }));
    await say(host, 'relay.join', { role: 'host', sessionId: 'flood' });
    await host.frames((all) => all.some((one) => one.payload.includes('relay.joined')), 'the join of the host');
    host.discard();
    const beat = setInterval(() => host.write(frame(9, 'alive')), 5_000);
    await say(agent, 'relay.join', { role: 'agent', sessionId: 'flood' });
    await agent.frames((all) => all.some((one) => one.payload.includes('relay.joined')), 'the join of the agent');
    const refused = (bytes, closed) => closed || bytes.includes('"type":"error"');
    const before = await server.metrics();
    const message = (n) =>
      frame(
        1,
        JSON.stringify({ v: 'mvp-0.2', id: `m${n}`, type: 'agent.message', payload: { text: 'a'.repeat(kMiB) } }),
      );
    const flood = (async () => {
      for (let sent = 0; sent < 600 && !refused(agent.received, agent.closed); ++sent) {
        if (!(await agent.write(message(sent)))) break;
        await agent.until(() => true, 'nothing').catch(() => undefined);
      }
    })();
    await server.servesDuring(flood);
    const all = await agent.until(refused, 'the refusal in words');
    const last = framesIn(all).at(-1);
    const words = last.payload.subarray(last.opcode === 8 ? 2 : 0).toString('utf8');
    assert.match(words, /limit|bytes|records/, 'it says why');
    assert.ok(server.peak < calm + kShareMiB, `${server.peak.toFixed(0)} MiB`);
    assert.ok(growth(before, await server.metrics(), /^parley_relay_limited_total|^parley_work_refused/) > 0);
    clearInterval(beat);
    await server.serves();
    host.end();
    agent.end();
  });
});

describe('a client of the assistant protocol', () => {
  let server;
  beforeEach(async () => (server = await Server.start({ settings: '[log]\nlevel = "warn"\n' })));
  afterEach(() => server.end());

  it('TenThousandPings_InOneWrite_KeepConnection', async () => {
    const socket = await Socket.open(server.port, '/ws');
    await socket.write(login(server.token));
    await socket.frames((all) => all.length > 0, 'the login');
    await server.servesDuring(socket.write(Buffer.concat(Array(10_000).fill(frame(9, 'p')))));
    // A later ping is answered, and the connection stays open.
    await socket.write(frame(9, 'last'));
    await socket.frames(
      (all) => all.some((one) => one.opcode === 10 && one.payload.toString() === 'last'),
      'the last pong',
    );
    assert.ok(!socket.closed);
    socket.end();
  });

  it('OpenQuestionsOverQueue_KeepReaderConnected', async () => {
    const text = 'q'.repeat(3 * kMiB);
    for (let n = 0; n < 4; ++n) {
      const asked = await server.call('POST', '/v1/interactions', { key: `large-${n}`, prompt: { text } });
      assert.equal(asked.status, 201);
    }
    const pending = Buffer.from('GetPendingMessages');
    const token = Buffer.from(server.token);
    const request = Buffer.concat([
      Buffer.from([0x0a, pending.length]),
      pending,
      Buffer.from([0x8a, 0x01, token.length + 2, 0x0a, token.length]),
      token,
    ]);
    for (let attempt = 0; attempt < 2; ++attempt) {
      const socket = await Socket.open(server.port, '/ws');
      await socket.write(Buffer.concat([login(server.token), frame(2, request)]));
      await server.servesDuring(
        socket.until(
          (bytes) => [0, 1, 2, 3].every((n) => bytes.includes(`large-${n}`)) && bytes.length > 12 * kMiB,
          'all open questions',
        ),
      );
      assert.ok(!socket.closed);
      socket.end();
    }
  });
});
