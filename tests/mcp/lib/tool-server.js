// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// An MCP server made with the official SDK: tool-server.js stdio, or tool-server.js http, which
// writes its port on its first line.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

const text = (words) => ({ content: [{ type: 'text', text: words }] });

function makeServer() {
  const server = new McpServer({ name: 'tool-server', version: '1.0.0' });
  const state = { cancelled: 0 };
  server.registerTool(
    'cancelled',
    { description: 'How many calls were cancelled', annotations: { readOnlyHint: true } },
    () => text(String(state.cancelled)),
  );
  server.registerTool('pid', { description: 'Who serves' }, () => text(String(process.pid)));
  server.registerTool('refuse', { description: 'Fails' }, () => {
    throw new Error('refused');
  });
  server.registerTool('die', { description: 'Ends the server' }, () => process.exit(9));
  server.registerTool('steps', { description: 'Takes three steps' }, async (extra) => {
    for (let progress = 1; progress <= 3; ++progress) {
      await extra.sendNotification({
        method: 'notifications/progress',
        params: { progressToken: extra._meta.progressToken, progress, total: 3, message: 'step' },
      });
    }
    return text('done');
  });
  server.registerTool('wait', { description: 'Waits for its cancellation' }, async (extra) => {
    await extra.sendNotification({
      method: 'notifications/progress',
      params: { progressToken: extra._meta.progressToken, progress: 0 },
    });
    await new Promise((resolve) => extra.signal.addEventListener('abort', resolve));
    state.cancelled += 1;
    return text('cancelled');
  });
  server.registerTool('grow', { description: 'Adds a tool' }, () => {
    server.registerTool('grown', { description: 'New' }, () => text('new'));
    return text('ok');
  });
  return server;
}

async function serveHttp() {
  const transports = new Map();
  const listener = createServer(async (incoming, outgoing) => {
    const parts = [];
    for await (const part of incoming) parts.push(part);
    const body = parts.length > 0 ? JSON.parse(Buffer.concat(parts)) : undefined;
    let transport = transports.get(incoming.headers['mcp-session-id']);
    if (!transport && body?.method === 'initialize') {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => transports.set(id, transport),
      });
      await makeServer().connect(transport);
    }
    if (!transport) return void outgoing.writeHead(404).end();
    await transport.handleRequest(incoming, outgoing, body);
  });
  listener.listen(0, '127.0.0.1', () => console.log(listener.address().port));
}

if (process.argv[2] === 'http') {
  await serveHttp();
} else {
  await makeServer().connect(new StdioServerTransport());
}
