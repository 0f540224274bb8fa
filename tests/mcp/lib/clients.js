// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The MCP clients of the tests; each row is one that real agents use.
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  ResourceListChangedNotificationSchema, ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
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

async function connectHttp(client, Transport, url, token) {
  await client.connect(new Transport(new URL(url), {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
  }));
  return client;
}

const once = (client, schema, fits = () => true) => new Promise((resolve) => {
  client.setNotificationHandler(schema, ({ params }) => {
    if (fits(params)) resolve();
  });
});

// The clients of /mcp. onUpdate and onList ask for notifications; the promise inside their result
// ({ told }) resolves at the first one.
export const httpClients = [
  {
    name: 'sdk 1.x',
    modern: false,
    connect: (url, token) => connectHttp(new Client1(me), Http1, url, token),
    async onUpdate(client, uri) {
      const told = once(client, ResourceUpdatedNotificationSchema, (params) => params.uri === uri);
      await client.subscribeResource({ uri });
      return { told };
    },
    async onList(client) {
      const told = once(client, ResourceListChangedNotificationSchema);
      await client.listResources();
      return { told };
    },
  },
  {
    name: 'client 2.x, revision 2026-07-28',
    modern: true,
    connect: (url, token) =>
      connectHttp(new Client2(me, { versionNegotiation: { mode: { pin: '2026-07-28' } } }), Http2, url, token),
    async onUpdate(client, uri) {
      const told = once(client, 'notifications/resources/updated', (params) => params.uri === uri);
      await client.listen({ resourceSubscriptions: [uri] });
      return { told };
    },
    async onList(client) {
      const told = once(client, 'notifications/resources/list_changed');
      await client.listen({ resourcesListChanged: true });
      return { told };
    },
  },
];
