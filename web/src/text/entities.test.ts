// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// @vitest-environment jsdom
import { decodeHTMLStrict as reference } from 'entities';
import { describe, expect, it } from 'vitest';
import { decodeHTMLStrict } from './entities';

const kReferences = [
  '&amp;',
  '&lt;',
  '&copy;',
  '&nbsp;',
  '&semi;',
  '&NewLine;',
  '&Tab;',
  '&bne;',
  '&fjlig;',
  '&Aacute;',
  '&afr;',
  '&notit;',
  '&nothing;',
  '&ampx;',
  '&constructor;',
  '&lang;',
  '&apos;',
  '&AMP;',
];

describe('character references', () => {
  it.each(kReferences)('%s is decoded as by the package', (text) => {
    expect(decodeHTMLStrict(text)).toBe(reference(text));
  });
});
