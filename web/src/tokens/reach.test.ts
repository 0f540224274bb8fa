// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import type { TlsInfo } from './http_tokens';
import { phoneOrigins } from './pairing_link';
import { commandsOf, reachOf } from './reach';

const tls = (more: Partial<TlsInfo>): TlsInfo => ({
  mode: 'off',
  fingerprint: '',
  expiresAt: null,
  authorityExpiresAt: null,
  origins: [],
  away: '',
  port: 22080,
  service: 'none',
  ...more,
});

describe('reach of a server', () => {
  it('is anywhere, the same network, or this computer', () => {
    expect(reachOf(tls({ origins: ['https://desk.ts.net:22080'], away: 'https://desk.ts.net:22080' }))).toBe('away');
    expect(reachOf(tls({ origins: ['https://192.168.1.5:22080'] }))).toBe('near');
    expect(reachOf(tls({}))).toBe('here');
  });

  it('is offered to a phone from anywhere first', () => {
    const info = tls({
      origins: ['https://desk.ts.net:22080', 'https://192.168.1.5:22080'],
      away: 'https://desk.ts.net:22080',
    });
    expect(phoneOrigins('https://192.168.1.5:22080', info)).toEqual([
      'https://desk.ts.net:22080',
      'https://192.168.1.5:22080',
    ]);
  });
});

describe('commands', () => {
  it('replace the command of a person, with the port of the server', () => {
    expect(commandsOf('tailnet', tls({}))).toEqual(['parley serve --tailscale']);
    expect(commandsOf('tailnet', tls({ port: 9000 }))).toEqual(['parley serve --listen 127.0.0.1:9000 --tailscale']);
    expect(commandsOf('near', tls({ port: 9000 }))).toEqual(['parley serve --listen 0.0.0.0:9000 --tls auto']);
  });

  it('set and restart a service of the user or of the system', () => {
    expect(commandsOf('tailnet', tls({ service: 'user' }))).toEqual([
      "mkdir -p ~/.config/systemd/user/parley.service.d && printf '[Service]\\nEnvironment=PARLEY_TAILSCALE=true\\n' | tee ~/.config/systemd/user/parley.service.d/reach.conf",
      'systemctl --user daemon-reload && systemctl --user restart parley',
    ]);
    const [edit, restart] = commandsOf('near', tls({ service: 'system' }));
    expect(edit).toContain('Environment=PARLEY_LISTEN=0.0.0.0:22080\\nEnvironment=PARLEY_TLS=auto');
    expect(edit).toContain('| sudo tee /etc/systemd/system/parley.service.d/reach.conf');
    expect(restart).toBe('sudo systemctl daemon-reload && sudo systemctl restart parley');
  });
});
