// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { lineTrouble } from './feed';

describe('the message about a line', () => {
  it('is empty for an open line and a short break', () => {
    expect(lineTrouble({ phase: 'live' })).toBeNull();
    expect(lineTrouble({ phase: 'waiting', retryAt: 0, attempt: 1 })).toBeNull();
    expect(lineTrouble({ phase: 'failed', reason: 'notFound', status: 404 })).toBeNull();
  });

  it('tells an absent server and an invalid token', () => {
    expect(lineTrouble({ phase: 'waiting', retryAt: 0, attempt: 2 })).toBe('away');
    expect(lineTrouble({ phase: 'failed', reason: 'signedOut', status: 401 })).toBe('signedOut');
  });
});
