// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// A log that is not read, and text of strangers in the log.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { Server } from './lib/server.js';
import { Wire } from './lib/wire.js';

describe('the log', () => {
  let server;
  after(() => server?.end());

  it('UnreadStderr_StopsNoRequest', async () => {
    server = await Server.start({ readsLog: false });
    // A pipe holds 64 KiB and the server 4,096 lines; each request is a line of about 100 bytes.
    const some = Buffer.from('GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'.repeat(100));
    const wire = await Wire.open(server.port);
    for (let answered = 100; answered <= 8_000; answered += 100) {
      await wire.write(some);
      await wire.until((bytes) => bytes.toString('latin1').split('HTTP/1.1 200').length > 100, 'a hundred answers');
      wire.received = Buffer.alloc(0);
    }
    wire.end();
    await server.serves();
    const dropped = (await server.metrics()).get('parley_log_lines_dropped');
    assert.ok(dropped > 0, 'what was dropped is counted');
    // A late reader finds the first lines, still in the pipe, and a note about the loss.
    let log = '';
    server.child.stderr.setEncoding('utf8').on('data', (text) => (log += text));
    for (const until = Date.now() + 60_000; !/\d+ lines of this log were dropped/.test(log) && Date.now() < until;)
      await server.serves();
    assert.match(log, /\d+ lines of this log were dropped/);
  });

  it('HiddenCharactersOfStrangers_AreEscaped', async () => {
    await server?.end();
    server = await Server.start({ flags: ['--log-level', 'debug'] });
    const wire = await Wire.open(server.port);
    await wire.write('GET /%1B%5B2Jx%0A2026-01-01%E2%80%AEtxt HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    await wire.answer();
    await wire.write('GET /\u009b2J\u202e HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    await wire.until((_, closed) => closed || wire.received.length > 0, 'an answer').catch(() => undefined);
    await server.serves();
    wire.end();
    // eslint-disable-next-line no-control-regex -- that none is there is the test
    assert.doesNotMatch(server.log, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/);
  });
});
