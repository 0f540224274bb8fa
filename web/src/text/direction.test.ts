// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { directionOf } from './direction';

it.each([
  ['', 'ltr'],
  ['42: ', 'ltr'],
  ['Run it?', 'ltr'],
  ['运行吗？', 'ltr'],
  ['להריץ git push?', 'rtl'],
  ['1. هل أتابع؟', 'rtl'],
  ['git push: להריץ?', 'ltr'],
] as const)('the direction of "%s" is %s', (text, direction) => {
  expect(directionOf(text)).toBe(direction);
});
