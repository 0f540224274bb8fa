// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { kExamples } from './examples';

it.each(Object.entries(kExamples))('the settings for %s are those of the document', (_, example) => {
  const document = readFileSync(new URL('../../../docs/notifications.md', import.meta.url), 'utf8');
  expect(document).toContain(example);
});
