// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The MCP clients of the tests; each row is one that real agents use.
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { mcpProgram } from './programs.js';

const me = { name: 'test-agent', version: '1.0.0' };

async function connect(client, Transport, args, home) {
  const transport = new Transport({
    command: mcpProgram(),
    args,
    env: home.env,
    cwd: home.path,
    stderr: 'ignore',
  });
  await client.connect(transport);
  return client;
}

export const clients = [
  {
    name: 'sdk 1.x',
    revision: '2025-11-25',
    connect: (args, home, options = {}, prepare) => {
      const client = new Client1(me, options);
      prepare?.(client);
      return connect(client, Stdio1, args, home);
    },
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

// Resolves at the first notification that fits.
const told = (client, kind, fits = () => true) =>
  new Promise((resolve) => {
    client.setNotificationHandler(kind, ({ params }) => {
      if (fits(params)) resolve();
    });
  });

async function connectHttp(client, Transport, url, token, prepare) {
  prepare?.(client);
  await client.connect(
    new Transport(new URL('/mcp', url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } }),
  );
  return client;
}

const kNames = { updated: 'notifications/resources/updated', listChanged: 'notifications/resources/list_changed' };

// The same clients over HTTP. `options`: those of the client, such as its capabilities; `prepare`: sets its handlers.
// onUpdate and onList, of one client of each generation, ask for notifications about resources; the promise in their
// result ({ told }) resolves at the first one.
export const httpClients = [
  {
    name: 'sdk 1.x over HTTP',
    revision: '2025-11-25',
    connect: (url, token, options = {}, prepare) => connectHttp(new Client1(me, options), Http1, url, token, prepare),
    call: (client, params, options) => client.callTool(params, undefined, options),
    async onUpdate(client, uri) {
      const first = told(client, ResourceUpdatedNotificationSchema, (params) => params.uri === uri);
      await client.subscribeResource({ uri });
      return { told: first };
    },
    async onList(client) {
      const first = told(client, ResourceListChangedNotificationSchema);
      await client.listResources();
      return { told: first };
    },
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
      connectHttp(
        new Client2(me, { ...options, versionNegotiation: { mode: { pin: '2026-07-28' } } }),
        Http2,
        url,
        token,
        prepare,
      ),
    call: (client, params, options) => client.callTool(params, options),
    async onUpdate(client, uri) {
      const first = told(client, kNames.updated, (params) => params.uri === uri);
      await client.listen({ resourceSubscriptions: [uri] });
      return { told: first };
    },
    async onList(client) {
      const first = told(client, kNames.listChanged);
      await client.listen({ resourcesListChanged: true });
      return { told: first };
    },
  },
];
