// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { friendlyNickname, validNickname } from './nickname';
import { randomId } from './random_id';

describe('nickname', () => {
  it.each([
    ['Al', 'Al'],
    ['  Ada   B ', 'Ada B'],
    ['小林', '小林'],
    ['a', null],
    [' a ', null],
    ['x'.repeat(20), 'x'.repeat(20)],
    ['x'.repeat(21), null],
    ['🙂🙂', '🙂🙂'],
  ])('%j', (text, name) => {
    expect(validNickname(text)).toBe(name);
  });

  it.each(['en', 'zh'] as const)('is permitted when generated (%s)', (language) => {
    for (let i = 0; i < 100; i += 1) {
      const name = friendlyNickname(language, () => i / 100);
      expect(validNickname(name)).toBe(name);
    }
  });
});

describe('randomId', () => {
  it('is a version 4 UUID of the given bytes', () => {
    expect(randomId((bytes) => bytes.fill(0xff))).toBe('ffffffff-ffff-4fff-bfff-ffffffffffff');
  });

  it('differs each time', () => {
    expect(randomId()).not.toBe(randomId());
  });
});
