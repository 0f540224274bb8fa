// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Every route, socket and message of the server, and requests to them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { fileURLToPath } from 'node:url';

const kDocument = fileURLToPath(new URL('../../../docs/rights.md', import.meta.url));
const kPatienceMs = 60_000;
// Wrong and missing tokens are counted per address; after more than this in a minute answers are
// delayed.
const kGuessesOfOneAddress = 8;
let guesses = 0;

// The rows {method, where, need} of the table of docs/rights.md. A unit test keeps it equal to the
// server's table, and the server does not start if a route has no row there; so no route is missing.
export function rows() {
  const table = readFileSync(kDocument, 'utf8').split('## Who may do what')[1];
  const found = [...table.matchAll(/^\| `([^`]+)` \| `([^`]+)` \| (.+) \|$/gm)];
  assert.ok(found.length > 150, 'the table of rights is read');
  return found.map(([, method, where, need]) => ({ method, where, need }));
}

export const isSocket = (row) => row.method === 'WS';
export const isMessage = (row) => row.method === 'message';
export const changesState = (row) => !['GET', 'WS', 'message'].includes(row.method);

// The path of a row. `names`: values of the names in braces; the default is "x".
export function pathOf(row, names = {}) {
  return row.where.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(names[name] ?? 'x')).replace(/\*$/, 'x/y');
}

// An address of this computer for a caller with a missing or wrong token.
export const guessAddress = () => `127.0.1.${1 + (Math.floor(guesses++ / kGuessesOfOneAddress) % 250)}`;

// Sends one request on a connection of its own; resolves with {status, headers, text}. `body`: an
// object, sent as JSON, or text of the type in `headers`. `wrong`: the token is not a valid one.
export function send(server, { method, path, token = '', wrong = token === '', headers = {}, body }) {
  const wanted = method === 'WS' ? 'GET' : method;
  const upgrade = {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
  };
  const text = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const options = {
    host: '127.0.0.1',
    port: server.port,
    method: wanted,
    path,
    localAddress: wrong ? guessAddress() : undefined,
    agent: false,
    timeout: kPatienceMs,
    headers: {
      ...(token === '' ? {} : { Authorization: `Bearer ${token}` }),
      ...(method === 'WS' ? upgrade : { Connection: 'close' }),
      ...(text === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
      ...headers,
    },
  };
  return new Promise((resolve, reject) => {
    const sent = request(options);
    sent.on('error', reject);
    sent.on('timeout', () => sent.destroy(new Error(`no answer: ${method} ${path}`)));
    sent.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve({ status: response.statusCode, headers: response.headers, text: '' });
    });
    sent.on('response', (response) => {
      let all = '';
      response
        .setEncoding('utf8')
        .on('data', (piece) => (all += piece))
        .on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text: all }));
    });
    sent.end(text);
  });
}

// The member `data` of an answer in the format of front ends; its code must be 200.
export async function dataOf(answer) {
  const { status, text } = await answer;
  const { code, data } = JSON.parse(text);
  assert.ok(status === 200 && code === 200, text);
  return data;
}

// A multipart/form-data request with one file.
export function formOf(field, name, type, bytes) {
  return {
    headers: { 'Content-Type': 'multipart/form-data; boundary=b' },
    body: `--b\r\nContent-Disposition: form-data; name="${field}"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n${bytes}\r\n--b--\r\n`,
  };
}
