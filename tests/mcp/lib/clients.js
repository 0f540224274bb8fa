// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The MCP clients of the tests; each row is one that real agents use.
import { Client as Client2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';
import { StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { mcpProgram } from './programs.js';

const me = { name: 'test-agent', version: '1.0.0' };

async function connect(client, Transport, args, home) {
  const transport = new Transport({
    command: mcpProgram(), args, env: home.env, cwd: home.path, stderr: 'ignore',
  });
  await client.connect(transport);
  return client;
}

export const clients = [
  {
    name: 'sdk 1.x',
    revision: '2025-11-25',
    connect: (args, home) => connect(new Client1(me), Stdio1, args, home),
    call: (client, params, options) => client.callTool(params, undefined, options),
  },
  {
    name: 'client 2.x, handshake',
    revision: '2025-11-25',
    connect: (args, home) => connect(new Client2(me), Stdio2, args, home),
    call: (client, params, options) => client.callTool(params, options),
  },
  {
    name: 'client 2.x, revision 2026-07-28',
    revision: '2026-07-28',
    connect: (args, home) =>
      connect(new Client2(me, { versionNegotiation: { mode: { pin: '2026-07-28' } } }), Stdio2, args, home),
    call: (client, params, options) => client.callTool(params, options),
  },
];

async function connectHttp(client, Transport, url, token, prepare) {
  prepare?.(client);
  await client.connect(new Transport(new URL('/mcp', url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } }));
  return client;
}

// The same clients over HTTP. `options`: those of the client, such as its capabilities; `prepare`: sets its handlers.
export const httpClients = [
  {
    name: 'sdk 1.x over HTTP',
    revision: '2025-11-25',
    connect: (url, token, options = {}, prepare) => connectHttp(new Client1(me, options), Http1, url, token, prepare),
    call: (client, params, options) => client.callTool(params, undefined, options),
  },
  {
    name: 'client 2.x over HTTP, handshake',
    revision: '2025-11-25',
    connect: (url, token, options = {}, prepare) => connectHttp(new Client2(me, options), Http2, url, token, prepare),
    call: (client, params, options) => client.callTool(params, options),
  },
  {
    name: 'client 2.x over HTTP, revision 2026-07-28',
    revision: '2026-07-28',
    connect: (url, token, options = {}, prepare) =>
      connectHttp(new Client2(me, { ...options, versionNegotiation: { mode: { pin: '2026-07-28' } } }), Http2, url, token, prepare),
    call: (client, params, options) => client.callTool(params, options),
  },
];
