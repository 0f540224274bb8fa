// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { withAffixes } from './reply_affixes';

const kBoth = { prefix: 'Briefly: ', suffix: '\nRun the tests.' };

describe('reply affixes', () => {
  it('join words as they are written', () => {
    expect(withAffixes('yes', kBoth)).toBe('Briefly: yes\nRun the tests.');
  });

  it('get lines of their own around line pairs', () => {
    expect(withAffixes('Q: a\nA: b', kBoth, true)).toBe('Briefly:\nQ: a\nA: b\nRun the tests.');
    expect(withAffixes('Q: a\nA: b', { prefix: ' ', suffix: '!' }, true)).toBe('Q: a\nA: b\n!');
  });

  it('add nothing to an empty answer', () => {
    expect(withAffixes('', kBoth)).toBe('');
    expect(withAffixes('', kBoth, true)).toBe('');
  });
});
