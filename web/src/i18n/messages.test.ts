// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { decisionEn } from './decision_en';
import { en } from './en';
import { enPages } from './en_pages';
import { flat, placeholders } from './message_checks';
import { zh } from './zh';

describe('messages', () => {
  const english = flat({ ...en, ...enPages, decision: decisionEn });
  const chinese = flat(zh);

  it('has every message in both languages', () => {
    expect([...chinese.keys()].sort()).toEqual([...english.keys()].sort());
  });

  it.each([...english.keys()])('%s has the same placeholders, and text', (key) => {
    expect(placeholders(chinese.get(key) ?? '')).toEqual(placeholders(english.get(key) ?? ''));
    expect(chinese.get(key)?.trim()).toBeTruthy();
    expect(english.get(key)?.trim()).toBeTruthy();
  });

  it('never says oops', () => {
    expect([...english.values()].join(' ')).not.toMatch(/oops/i);
  });
});
