// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { TlsInfo } from './http_tokens';

// The places from which devices reach the server: anywhere, the same network, or this computer alone.
export type Reach = 'away' | 'near' | 'here';
export type Way = 'tailnet' | 'near';

export const kWays: readonly Way[] = ['tailnet', 'near'];

export function reachOf(tls: TlsInfo): Reach {
  if (tls.away !== '') return 'away';
  return tls.origins.length > 0 ? 'near' : 'here';
}

// The commands that make the server reachable in this way: of a server that a person started, the command that replaces
// its own; of a service, its settings and its restart.
export function commandsOf(way: Way, tls: TlsInfo): string[] {
  const address = `0.0.0.0:${tls.port}`;
  if (tls.service === 'none') {
    const start =
      tls.port === kUsualPort ? 'parley serve --tailscale' : `parley serve --listen 127.0.0.1:${tls.port} --tailscale`;
    return [way === 'tailnet' ? start : `parley serve --listen ${address} --tls auto`];
  }
  const isUser = tls.service === 'user';
  const folder = isUser ? '~/.config/systemd/user/parley.service.d' : '/etc/systemd/system/parley.service.d';
  const [asRoot, systemctl] = isUser ? ['', 'systemctl --user'] : ['sudo ', 'sudo systemctl'];
  const settings = way === 'tailnet' ? ['PARLEY_TAILSCALE=true'] : [`PARLEY_LISTEN=${address}`, 'PARLEY_TLS=auto'];
  const lines = ['[Service]', ...settings.map((each) => `Environment=${each}`)].join('\\n');
  return [
    `${asRoot}mkdir -p ${folder} && printf '${lines}\\n' | ${asRoot}tee ${folder}/reach.conf`,
    `${systemctl} daemon-reload && ${systemctl} restart parley`,
  ];
}

const kUsualPort = 22080;
