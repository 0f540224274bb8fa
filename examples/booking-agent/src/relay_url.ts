// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

// "http://host:22080" -> "ws://host:22080/agent/ws?token=..."
export function relayUrl(server: string, token: string | undefined): string {
  const url = new URL('/agent/ws', server);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  if (token) url.searchParams.set('token', token);
  return url.toString();
}
