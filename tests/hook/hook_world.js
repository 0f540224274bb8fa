// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Inputs of agents, and servers that are none of Parley's, for the tests of a hook as a process.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const kClaude = { session_id: 's', transcript_path: '/t', cwd: '/p', permission_mode: 'default' };
export const kMake = {
  ...kClaude,
  hook_event_name: 'PermissionRequest',
  tool_name: 'Bash',
  tool_input: { command: 'make' },
};
export const kGemini = { session_id: 'g', transcript_path: '/t', cwd: '/p', timestamp: '2026-11-26T10:00:00Z' };
export const kGeminiPermission = {
  ...kGemini,
  hook_event_name: 'Notification',
  notification_type: 'ToolPermission',
  message: 'Tool Shell requires permission',
  details: { type: 'exec', command: 'make' },
};
export const kAllowed =
  '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}\n';

export async function isSilent(hook) {
  const { code, err, out, signal } = await hook.ended;
  assert.deepEqual({ code, err, out, signal }, { code: 0, err: '', out: '', signal: null });
}

// A test with a folder of its own.
export function folder(use) {
  return async () => {
    const path = mkdtempSync(join(tmpdir(), 'parley-hook-'));
    try {
      await use(path);
    } finally {
      rmSync(path, { recursive: true, force: true });
    }
  };
}

// A server with these settings in a file.
export function settingsFor(path, port) {
  const config = join(path, 'config.toml');
  writeFileSync(config, `agentassistant_server_port = ${port}\nagentassistant_server_token = "t"\n`);
  return config;
}

// Calls `use(port, calls)` with a server that answers by `answer`; `calls` has the paths asked for.
export async function withServer(answer, use) {
  const calls = [];
  const server = createServer((request, response) => {
    calls.push(request.url);
    request.resume();
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await use(server.address().port, calls);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
