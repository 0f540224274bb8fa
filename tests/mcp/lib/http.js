// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// MCP over HTTP without a client library: what is sent and what comes back, byte by byte.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { parleyProgram, run, untilOut } from './programs.js';

export const kToken = 'a-token-of-this-test';
export const kModern = '2026-07-28';

// Starts the server on the home's data directory; a second start on the same `listen` finds its data.
export async function startServer(home, { listen = '127.0.0.1:0', args = [] } = {}) {
  const server = run(
    parleyProgram(),
    ['serve', '--listen', listen, '--data', join(home.path, '.local/share/parley'), '--token', kToken, ...args],
    home,
  );
  await untilOut(server, '\n');
  server.url = /ready (http:\/\/\S+)/.exec(server.out)[1];
  server.listen = new URL(server.url).host;
  server.kill = async () => {
    server.child.kill('SIGKILL');
    await server.exited;
  };
  return server;
}

// Reads the events of a stream until `enough` says so or it ends: [{id, data}], data parsed.
export async function events(response, enough = () => false) {
  const found = [];
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return found;
    text += value;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const fields = Object.fromEntries(
        text
          .slice(0, end)
          .split('\n')
          .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      );
      text = text.slice(end + 2);
      if (fields.data === undefined) continue;
      found.push({ id: fields.id, data: fields.data === '' ? null : JSON.parse(fields.data) });
      if (!enough(found)) continue;
      await reader.cancel().catch(() => {});
      return found;
    }
  }
}

export class Caller {
  #next = 0;

  constructor(url, token = kToken) {
    this.url = new URL('/mcp', url);
    this.token = token;
  }

  fetch(method, headers, body, more = {}) {
    return fetch(this.url, {
      method,
      headers: {
        Authorization: `Bearer ${this.token}`,
        Accept: 'application/json, text/event-stream',
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      ...more,
    });
  }

  // Sends a request of revision 2026-07-28.
  modern(method, params = {}, { capabilities = {}, headers = {}, ...more } = {}) {
    const name = params.name ?? params.uri ?? params.taskId;
    return this.fetch(
      'POST',
      {
        'MCP-Protocol-Version': kModern,
        'Mcp-Method': method,
        ...(name === undefined ? {} : { 'Mcp-Name': name }),
        ...headers,
      },
      {
        jsonrpc: '2.0',
        id: ++this.#next,
        method,
        params: {
          ...params,
          _meta: {
            'io.modelcontextprotocol/protocolVersion': kModern,
            'io.modelcontextprotocol/clientCapabilities': capabilities,
            ...params._meta,
          },
        },
      },
      more,
    );
  }

  // Begins a session of an older revision.
  async initialize({ revision = '2025-11-25', capabilities = {} } = {}) {
    const response = await this.fetch(
      'POST',
      {},
      {
        jsonrpc: '2.0',
        id: ++this.#next,
        method: 'initialize',
        params: { protocolVersion: revision, capabilities, clientInfo: { name: 'raw', version: '1' } },
      },
    );
    assert.equal(response.status, 200);
    this.session = { 'Mcp-Session-Id': response.headers.get('mcp-session-id'), 'MCP-Protocol-Version': revision };
    return (await response.json()).result;
  }

  legacy(method, params = {}, more = {}) {
    return this.fetch('POST', this.session, { jsonrpc: '2.0', id: ++this.#next, method, params }, more);
  }
}

// The parameters of a call that asks a question.
export const asking = (question, more = {}) => ({
  name: 'ask_question',
  arguments: { project_directory: '/p', question },
  ...more,
});

// The only message of an answer, JSON or a stream.
export async function answerOf(response) {
  if (response.headers.get('content-type')?.startsWith('application/json')) return response.json();
  return (await events(response)).at(-1).data;
}
