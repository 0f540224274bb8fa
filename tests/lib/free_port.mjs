// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer } from 'node:net';

// A port of this computer that nobody uses now: for programs that do not say which one they took.
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
