// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { explanationOf, kExplanationMember } from './explanation';

describe('the explanation of a call', () => {
  it('is read in both languages', () => {
    const en = { dangers: '**Careful:**', touches: '- Programs: `rm`' };
    const zh = { dangers: '**注意：**', touches: '- 程序：`rm`' };
    expect(explanationOf({ [kExplanationMember]: { dangerous: true, argument: 'cmd', en, zh } })).toEqual({
      dangerous: true,
      argument: 'cmd',
      en,
      zh,
    });
  });

  it('is none where the server gives none', () => {
    expect(explanationOf({})).toBeNull();
    expect(explanationOf({ [kExplanationMember]: null })).toBeNull();
    expect(explanationOf({ [kExplanationMember]: 'x' })).toBeNull();
  });

  it('that does not say so is no harmless one', () => {
    const none = { dangers: '', touches: '' };
    expect(explanationOf({ [kExplanationMember]: {} })).toEqual({ dangerous: true, argument: '', en: none, zh: none });
    expect(explanationOf({ [kExplanationMember]: { dangerous: false } })?.dangerous).toBe(false);
  });
});
