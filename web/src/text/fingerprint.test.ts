// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { fingerprint } from './fingerprint';

// Vectors of the authors of the hash.
it.each([
  ['', 'cbf29ce484222325'],
  ['a', 'af63dc4c8601ec8c'],
  ['foobar', '85944171f73967e8'],
])('a fingerprint of %j', (text, hash) => {
  expect(fingerprint(text)).toBe(hash);
});
