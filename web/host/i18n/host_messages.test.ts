// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { flat, placeholders } from '@/i18n/message_checks';
import { hostEn } from './host_en';
import { hostZh } from './host_zh';

const english = flat(hostEn);
const chinese = flat(hostZh);

it('has every message in both languages', () => {
  expect([...chinese.keys()].sort()).toEqual([...english.keys()].sort());
});

it.each([...english.keys()])('%s has the same placeholders, and text', (key) => {
  expect(placeholders(chinese.get(key) ?? '')).toEqual(placeholders(english.get(key) ?? ''));
  expect(chinese.get(key)?.trim()).toBeTruthy();
  expect(english.get(key)?.trim()).toBeTruthy();
});
