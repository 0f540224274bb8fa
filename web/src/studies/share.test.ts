// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { share } from './share';

const clone = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;

describe('sharing', () => {
  const before = { a: [1, { b: 'x' }], c: { d: null } };

  it('gives the old object for an equal one', () => {
    expect(share(before, clone(before))).toBe(before);
  });

  it('keeps equal parts of a changed object', () => {
    const after = share(before, { a: [1, { b: 'x' }, 3], c: { d: null, e: 1 } });
    expect(after).toEqual({ a: [1, { b: 'x' }, 3], c: { d: null, e: 1 } });
    expect(after.a[1]).toBe(before.a[1]);
  });

  it.each([
    [{ a: 1, b: 2 }, { a: 1 }],
    [[1, 2], [1]],
    [{ a: undefined }, { b: undefined }],
    [[], {}],
    [{ a: [] }, { a: {} }],
    [null, {}],
    ['1', 1],
  ])('tells %j from %j', (one, other) => {
    expect(share(one, clone(other))).toEqual(clone(other));
    expect(share(other, clone(one))).toEqual(clone(one));
  });

  it('never changes the old object', () => {
    const copy = clone(before);
    share(before, { a: [2], c: { d: 4 } });
    expect(before).toEqual(copy);
  });
});
