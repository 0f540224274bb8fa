// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { countHidden, visibleParts, visibleText } from './visible_text';

interface Case {
  name: string;
  text: string;
  visible: string;
  hidden: number;
  one_line?: boolean;
}
const cases = JSON.parse(readFileSync('../tests/visible_text/cases.json', 'utf8')) as Case[];

describe('visibleText', () => {
  it.each(cases)('$name', ({ text, visible, hidden, one_line }) => {
    expect(visibleText(text, one_line)).toBe(visible);
    expect(visibleParts(text, one_line).filter((part) => part.hidden !== '')).toHaveLength(hidden);
    if (one_line !== true) expect(countHidden(text)).toBe(hidden);
  });

  it('writes lone surrogates out', () => {
    expect(visibleText('a\ud800b\udc00')).toBe('a<U+D800>b<U+DC00>');
  });

  it('is idempotent', () => {
    for (const { visible } of cases) expect(visibleText(visible)).toBe(visible);
  });
});
