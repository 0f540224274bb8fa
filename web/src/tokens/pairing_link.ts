// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { TlsInfo } from './http_tokens';

const kLoopback = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/;

// True if only programs on the same computer can open the address.
export function isLoopback(origin: string): boolean {
  return kLoopback.test(new URL(origin).hostname);
}

// The addresses that a phone may open: the one that works from anywhere, then that of the page, which is known to
// work, before the others of the server.
export function phoneOrigins(page: string, tls: TlsInfo | null): string[] {
  const away = tls === null || tls.away === '' ? [] : [tls.away];
  const all = [...away, page, ...(tls?.origins ?? [])].filter((origin) => !isLoopback(origin));
  return [...new Set(all)];
}

// Browsers offer push notifications and the microphone to https pages only.
export function isPlain(origin: string): boolean {
  return origin.startsWith('http:');
}

// An address of the console on a server. `folder`: the path of its page, with a slash at the end.
export function consoleAddress(origin: string, folder: string, route: string): string {
  return `${origin}${folder}#/${route}`;
}

// The link that signs a device in and keeps the token there. The token is in the fragment, which browsers do
// not send to the server.
export function pairingLink(origin: string, folder: string, token: string): string {
  return consoleAddress(origin, folder, `inbox?token=${encodeURIComponent(token)}&keep=1`);
}
