// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { clockTime } from './clock_time';

it.each([
  [0, '0:00'],
  [7.9, '0:07'],
  [299.99, '4:59'],
  [300, '5:00'],
  [3601, '60:01'],
  [-1, '0:00'],
])('%d seconds on a clock', (seconds, words) => {
  expect(clockTime(seconds)).toBe(words);
});
