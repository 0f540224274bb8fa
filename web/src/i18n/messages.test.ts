// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { decisionEn } from './decision_en';
import { en } from './en';
import { enPages } from './en_pages';
import { zh } from './zh';

interface Tree {
  [key: string]: string | Tree;
}

function flat(tree: Tree, prefix = ''): Map<string, string> {
  const found = new Map<string, string>();
  for (const [key, value] of Object.entries(tree)) {
    if (typeof value === 'string') found.set(prefix + key, value);
    else for (const [name, text] of flat(value, `${prefix}${key}.`)) found.set(name, text);
  }
  return found;
}

const places = (text: string) =>
  [...new Set([...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1]))].sort();

describe('messages', () => {
  const english = flat({ ...en, ...enPages, decision: decisionEn });
  const chinese = flat(zh);

  it('has every message in both languages', () => {
    expect([...chinese.keys()].sort()).toEqual([...english.keys()].sort());
  });

  it.each([...english.keys()])('%s has the same placeholders, and text', (key) => {
    expect(places(chinese.get(key) ?? '')).toEqual(places(english.get(key) ?? ''));
    expect(chinese.get(key)?.trim()).toBeTruthy();
    expect(english.get(key)?.trim()).toBeTruthy();
  });

  it('never says oops', () => {
    expect([...english.values()].join(' ')).not.toMatch(/oops/i);
  });
});
