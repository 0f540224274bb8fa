// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The MCP clients of the tests; each row is one that real agents use.
import { Client as Client2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
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
