// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { lineTrouble } from './feed';

describe('what a person is told of a line', () => {
  it('is nothing while it stands, and nothing of a short break', () => {
    expect(lineTrouble({ phase: 'live' })).toBeNull();
    expect(lineTrouble({ phase: 'waiting', retryAt: 0, attempt: 1 })).toBeNull();
    expect(lineTrouble({ phase: 'failed', reason: 'notFound', status: 404 })).toBeNull();
  });

  it('is that the server is away, and that the token is not valid', () => {
    expect(lineTrouble({ phase: 'waiting', retryAt: 0, attempt: 2 })).toBe('away');
    expect(lineTrouble({ phase: 'failed', reason: 'signedOut', status: 401 })).toBe('signedOut');
  });
});
