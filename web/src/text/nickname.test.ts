// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { isMadeUp, validNickname } from './nickname';
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

  it.each([
    ['Merry Otter 20', true],
    ['Clever Robin 36', true],
    ['快乐的水獭20', true],
    ['Merry Otter', false],
    ['Robin', false],
    ['Quick Otter 200', false],
    ['', false],
  ])('%j was made up: %s', (name, madeUp) => {
    expect(isMadeUp(name)).toBe(madeUp);
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
