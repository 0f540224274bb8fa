// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import jsQR from 'jsqr';
import { describe, expect, it } from 'vitest';
import { tokenInUrl } from '@/stores/account';
import { deviceGroups, freeName } from './device_groups';
import type { TlsInfo, Token } from './http_tokens';
import { isLoopback, pairingLink, phoneOrigins } from './pairing_link';
import { platformOf } from './platform';
import { qrMatrix, qrPicture } from './qr_code';

const kLink = pairingLink('https://192.168.1.5:22080', '/', 'prl_0123456789abcdefABCDEF-_0123456789abcdefABCD');

function token(id: string, workspace: string): Token {
  return { id, workspace, name: id, rights: ['read'], createdAt: 1, expiresAt: null, lastSeenAt: null, revoked: false };
}

function tls(origins: string[]): TlsInfo {
  return {
    mode: 'auto',
    fingerprint: '',
    expiresAt: null,
    authorityExpiresAt: null,
    origins,
    away: '',
    port: 22080,
    service: 'none',
  };
}

// The picture for a camera: black modules of `scale` pixels on white.
function scan(rows: boolean[][], scale = 4): string | undefined {
  const side = rows.length * scale;
  const pixels = new Uint8ClampedArray(side * side * 4).fill(255);
  for (let y = 0; y < side; y += 1) {
    for (let x = 0; x < side; x += 1) {
      if (rows[Math.floor(y / scale)]?.[Math.floor(x / scale)])
        pixels.fill(0, (y * side + x) * 4, (y * side + x) * 4 + 3);
    }
  }
  return jsQR(pixels, side, side)?.data;
}

// The modules that a path of qrPicture() fills.
function drawn({ path, size }: { path: string; size: number }): boolean[][] {
  const rows = Array.from({ length: size }, () => Array.from({ length: size }, () => false));
  for (const [, x, y, width, back] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-(\d+)z/g)) {
    expect(back).toBe(width);
    rows[Number(y)]?.fill(true, Number(x), Number(x) + Number(width));
  }
  return rows;
}

describe('the QR code', () => {
  it('decodes to the link', () => {
    expect(scan(qrMatrix(kLink))).toBe(kLink);
  });

  it('decodes to a long name in any script', () => {
    const link = pairingLink('https://a-host-with-a-long-name.example.org:22080', '/', `名${'x'.repeat(120)}`);
    expect(scan(qrMatrix(link))).toBe(link);
  });

  it('is drawn as its matrix, with a quiet zone of four modules', () => {
    const picture = qrPicture(kLink);
    const rows = drawn(picture);
    expect(rows).toEqual(qrMatrix(kLink));
    expect([...rows.slice(0, 4), ...rows.slice(-4)].flat()).not.toContain(true);
    expect(rows.flatMap((row) => [...row.slice(0, 4), ...row.slice(-4)])).not.toContain(true);
  });
});

describe('the link of a phone', () => {
  it('signs in with a token that no request contains', () => {
    const link = pairingLink('https://h', '/', 'a+b/c&d');
    expect(new URL(link).search).toBe('');
    expect(tokenInUrl(link)).toEqual({ token: 'a+b/c&d', keep: true, cleaned: 'https://h/#/inbox' });
    expect(pairingLink('https://h', '/console/', 'a')).toBe('https://h/console/#/inbox?token=a&keep=1');
  });

  it.each([
    ['http://localhost:22080', true],
    ['http://127.0.0.1', true],
    ['https://127.1.2.3:1', true],
    ['http://[::1]:22080', true],
    ['http://192.168.1.5:22080', false],
    ['https://localhost.example.org', false],
    ['https://host.local', false],
  ])('%s is of this computer only: %s', (origin, expected) => {
    expect(isLoopback(origin)).toBe(expected);
  });

  it('has the address of the page before those of the server, each once', () => {
    const origins = ['https://192.168.1.5:22080', 'https://host.local:22080'];
    expect(phoneOrigins('http://localhost:22080', tls(origins))).toEqual(origins);
    expect(phoneOrigins('https://host.local:22080', tls(origins))).toEqual([
      'https://host.local:22080',
      'https://192.168.1.5:22080',
    ]);
    expect(phoneOrigins('https://parley.example.org', null)).toEqual(['https://parley.example.org']);
    expect(phoneOrigins('http://127.0.0.1:22080', tls([]))).toEqual([]);
  });
});

describe('devices', () => {
  it('are grouped by workspace, the own one first', () => {
    const tokens = [token('phone', 'w'), token('agent', 'other'), token('own', 'w')];
    const { elsewhere, here } = deviceGroups(tokens, { name: 'own', tokenId: 'own', workspace: 'w', rights: [] });
    expect(here.map(({ id }) => id)).toEqual(['own', 'phone']);
    expect(elsewhere.map(({ id }) => id)).toEqual(['agent']);
  });

  it('get a name that no other has', () => {
    expect(freeName('Phone', [])).toBe('Phone');
    expect(
      freeName('Phone', [
        { ...token('1', 'w'), name: 'Phone' },
        { ...token('2', 'w'), name: 'Phone 2' },
      ]),
    ).toBe('Phone 3');
  });

  it.each([
    ['Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/140 Mobile', 5, 'android'],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605 Safari/604', 5, 'ios'],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605 Safari/605', 5, 'ios'],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605 Safari/605', 0, 'computer'],
    ['Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/140', 10, 'computer'],
  ])('%s with %s touch points: %s', (agent, touch, platform) => {
    expect(platformOf(agent, touch)).toBe(platform);
  });
});
