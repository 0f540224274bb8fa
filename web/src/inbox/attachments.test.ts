// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import {
  addressName,
  type Attached,
  fileAddresses,
  kMaxAnswerBytes,
  kMaxAttachments,
  pathContent,
  refusalOf,
  sizeWords,
  usedBytes,
} from './attachments';

function held(size: number): Attached {
  return { id: 'x', name: 'x', kind: 'file', size, seconds: 0, content: pathContent('file:///x') };
}

describe('attachments of an answer', () => {
  it('have room for 11 MB together', () => {
    expect(refusalOf(kMaxAnswerBytes, [])).toBeNull();
    expect(refusalOf(kMaxAnswerBytes + 1, [])).toBe('tooLarge');
    expect(refusalOf(kMaxAnswerBytes, [held(1)])).toBe('noRoom');
    expect(usedBytes([held(3), held(4)])).toBe(7);
  });

  it('are bounded in number', () => {
    const many = Array.from({ length: kMaxAttachments }, () => held(0));
    expect(refusalOf(0, many.slice(1))).toBeNull();
    expect(refusalOf(0, many)).toBe('tooMany');
  });

  it('tell their size in short', () => {
    expect([0, 1023, 1024, 200_000, 1_572_864, 30 * 1024 * 1024].map(sizeWords)).toEqual([
      '0 B',
      '1023 B',
      '1 KB',
      '195 KB',
      '1.5 MB',
      '30 MB',
    ]);
  });
});

describe('addresses of files', () => {
  it('are the lines of a list of a file manager', () => {
    expect(fileAddresses('# two\r\nfile:///srv/a/b.txt\r\nfile:///srv/a/c%20d.png\r\n')).toEqual([
      'file:///srv/a/b.txt',
      'file:///srv/a/c%20d.png',
    ]);
    expect(addressName('file:///srv/a/c%20d.png')).toBe('c d.png');
    expect(addressName('file:///srv/a/')).toBe('a');
    expect(addressName('file:///100%')).toBe('100%');
  });

  it('are not taken out of other text', () => {
    expect(fileAddresses('see file:///srv/a/b.txt')).toEqual([]);
    expect(fileAddresses('file:///a\nand more')).toEqual([]);
    expect(fileAddresses('https://example.org/a')).toEqual([]);
    expect(fileAddresses('')).toEqual([]);
  });
});
