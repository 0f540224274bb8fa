// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { en } from '@/i18n/en';
import type { KeyPress } from '@/inbox/keys';
import { keyCaps, keyPageOf, kKeyTable, ShellKeys } from './keys';

const press = (key: string, more: Partial<KeyPress> = {}): KeyPress => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  typing: false,
  composing: false,
  ...more,
});

describe('shell keys', () => {
  it('open the palette, also while typing', () => {
    const keys = new ShellKeys();
    expect(keys.press(press('k', { ctrlKey: true, typing: true }), 0)).toEqual({ do: 'palette' });
    expect(keys.press(press('K', { metaKey: true }), 0)).toEqual({ do: 'palette' });
  });

  it.each([
    ['i', 'inbox'],
    ['r', 'runs'],
    ['c', 'chat'],
    ['s', 'studies'],
    ['p', 'people'],
    ['t', 'statistics'],
    [',', 'settings'],
  ])('g %s goes to %s', (letter, to) => {
    const keys = new ShellKeys();
    expect(keys.press(press('g'), 0)).toBe('held');
    expect(keys.press(press(letter), 100)).toEqual({ do: 'go', to });
    expect(keys.press(press(letter), 200)).toBeNull();
  });

  it('forget the first key of a chord after a while, and after another key', () => {
    const keys = new ShellKeys();
    keys.press(press('g'), 0);
    expect(keys.press(press('i'), 5000)).toBeNull();
    keys.press(press('g'), 6000);
    expect(keys.press(press('x'), 6001)).toBeNull();
    expect(keys.press(press('i'), 6002)).toBeNull();
  });

  it('do nothing while typing or composing, or with other modifiers', () => {
    const keys = new ShellKeys();
    for (const key of ['?', '/', 'g']) {
      expect(keys.press(press(key, { typing: true }), 0)).toBeNull();
      expect(keys.press(press(key, { composing: true }), 0)).toBeNull();
      expect(keys.press(press(key, { altKey: true }), 0)).toBeNull();
      expect(keys.press(press(key, { ctrlKey: true }), 0)).toBeNull();
    }
    expect(keys.press(press('k', { ctrlKey: true, composing: true }), 0)).toBeNull();
    expect(keys.press(press('?'), 0)).toEqual({ do: 'keys' });
    expect(keys.press(press('/'), 0)).toEqual({ do: 'search' });
  });
});

describe('table of keys', () => {
  function wordsOf(path: string): unknown {
    return path
      .split('.')
      .reduce<unknown>((tree, name) => (tree as Record<string, unknown> | undefined)?.[name], en.shell.keys.do);
  }

  it('has words for every row and page', () => {
    for (const { page, rows } of kKeyTable) {
      expect(en.shell.keys.page[page]).toBeTruthy();
      for (const row of rows) expect(typeof wordsOf(row.words), row.words).toBe('string');
    }
  });

  it('has no key twice in a page', () => {
    for (const { rows } of kKeyTable) {
      const keys = rows.flatMap((row) => row.keys);
      expect(new Set(keys).size).toBe(keys.length);
    }
  });

  it('is drawn as caps', () => {
    expect(keyCaps('Mod+k', false)).toEqual([['Ctrl', 'K']]);
    expect(keyCaps('Mod+k', true)).toEqual([['⌘', 'K']]);
    expect(keyCaps('g ,', false)).toEqual([['g'], [',']]);
    expect(keyCaps('+', false)).toEqual([['+']]);
    expect(keyCaps('Shift+ArrowLeft', false)).toEqual([['Shift', '←']]);
  });

  it('knows the page of a route', () => {
    expect(keyPageOf('inbox')).toBe('inbox');
    expect(keyPageOf('item')).toBe('inbox');
    expect(keyPageOf('run-file')).toBe('runs');
    expect(keyPageOf('replay')).toBe('replay');
    expect(keyPageOf('settings')).toBeNull();
  });
});
