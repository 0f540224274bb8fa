// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { KeyPress } from '@/inbox/keys';

export type PlaceName = 'inbox' | 'runs' | 'chat' | 'studies' | 'people' | 'search' | 'statistics' | 'settings';

// The effect of a key of the whole console.
export type ShellAct =
  | { do: 'palette' }
  | { do: 'keys' } // opens the sheet of keys
  | { do: 'search' } // focuses the search field of the page, or opens the search page
  | { do: 'go'; to: PlaceName };

export type KeyPage = 'everywhere' | 'palette' | 'inbox' | 'runs' | 'chat' | 'replay' | 'search';

// `keys`: alternatives. 'Mod' is Ctrl, on a Mac also ⌘; keys pressed one after the other are separated by a space.
export interface KeyRow {
  keys: readonly string[];
  words: string; // a message below shell.keys.do
  act?: ShellAct;
}

export interface KeySection {
  page: KeyPage;
  rows: readonly KeyRow[];
}

const go = (letter: string, to: PlaceName): KeyRow => ({
  keys: [`g ${letter}`],
  words: `go.${to}`,
  act: { do: 'go', to },
});

// All keys of the console, by page. The sheet of keys shows this table. ShellKeys recognises the rows with `act`; the
// other rows describe keys that pages and fields handle.
export const kKeyTable: readonly KeySection[] = [
  {
    page: 'everywhere',
    rows: [
      { keys: ['Mod+k'], words: 'palette', act: { do: 'palette' } },
      { keys: ['?'], words: 'keys', act: { do: 'keys' } },
      { keys: ['/'], words: 'search', act: { do: 'search' } },
      go('i', 'inbox'),
      go('r', 'runs'),
      go('c', 'chat'),
      go('s', 'studies'),
      go('p', 'people'),
      go('t', 'statistics'),
      go(',', 'settings'),
      { keys: ['Escape'], words: 'close' },
    ],
  },
  {
    page: 'palette',
    rows: [
      { keys: ['ArrowUp', 'ArrowDown'], words: 'move' },
      { keys: ['Enter'], words: 'open' },
    ],
  },
  {
    page: 'inbox',
    rows: [
      { keys: ['j'], words: 'next' },
      { keys: ['k'], words: 'previous' },
      { keys: ['1–9'], words: 'choose' },
      { keys: ['Enter'], words: 'write' },
      { keys: ['Mod+Enter'], words: 'sendAnswer' },
      { keys: ['Escape'], words: 'leave' },
    ],
  },
  {
    page: 'runs',
    rows: [
      { keys: ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'], words: 'node' },
      { keys: ['Enter', 'Space'], words: 'inspect' },
      { keys: ['+', '-'], words: 'zoom' },
      { keys: ['0'], words: 'fit' },
    ],
  },
  {
    page: 'chat',
    rows: [
      { keys: ['Enter'], words: 'send' },
      { keys: ['Shift+Enter'], words: 'line' },
      { keys: ['Mod+f'], words: 'find' },
      { keys: ['1', '2', '3', 'd'], words: 'decide' },
      { keys: ['Escape'], words: 'stop' },
    ],
  },
  {
    page: 'replay',
    rows: [
      { keys: ['Space', 'k'], words: 'play' },
      { keys: ['j', 'l'], words: 'leap' },
      { keys: ['ArrowLeft', 'ArrowRight'], words: 'step' },
      { keys: ['Shift+ArrowLeft', 'Shift+ArrowRight'], words: 'record' },
      { keys: ['ArrowUp', 'ArrowDown'], words: 'speed' },
      { keys: ['Home', 'End'], words: 'ends' },
      { keys: ['e', 's'], words: 'refused' },
      { keys: ['i'], words: 'inspector' },
    ],
  },
  { page: 'search', rows: [{ keys: ['ArrowDown', 'ArrowUp'], words: 'results' }] },
];

const kChordMs = 1500; // time for the second key

function keysWithActs(): Map<string, ShellAct> {
  const found = new Map<string, ShellAct>();
  for (const { rows } of kKeyTable) {
    for (const { act, keys } of rows) if (act) keys.forEach((key) => found.set(key, act));
  }
  return found;
}

// Recognises the keys of the table that have an act. The second key of a chord counts within kChordMs.
export class ShellKeys {
  private readonly acts = keysWithActs();
  private first = '';
  private until = 0;

  // The act of a key; 'held': the first key of a chord; null: another key. `now`: ms.
  press({ altKey, composing, ctrlKey, key, metaKey, typing }: KeyPress, now: number): ShellAct | 'held' | null {
    const first = now <= this.until ? this.first : '';
    this.first = '';
    if (composing || altKey) return null;
    const name = key.length === 1 ? key.toLowerCase() : key;
    if (ctrlKey || metaKey) return this.acts.get(`Mod+${name}`) ?? null;
    if (typing) return null;
    if (first !== '') return this.acts.get(`${first} ${name}`) ?? null;
    if (this.begins(name)) {
      this.first = name;
      this.until = now + kChordMs;
      return 'held';
    }
    return this.acts.get(name) ?? null;
  }

  private begins(name: string): boolean {
    return [...this.acts.keys()].some((keys) => keys.startsWith(`${name} `));
  }
}

const kSigns: Record<string, string> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
};

// The caps to draw for an entry of `keys`: [['Ctrl', 'K']], for a chord [['g'], ['i']].
export function keyCaps(keys: string, isMac: boolean): string[][] {
  return keys.split(' ').map((press) => {
    const parts = press.length > 1 ? press.split('+') : [press];
    return parts.map((part) => {
      if (part === 'Mod') return isMac ? '⌘' : 'Ctrl';
      if (parts.length > 1 && part.length === 1) return part.toUpperCase();
      return kSigns[part] ?? part;
    });
  });
}

export function isMac(): boolean {
  return /mac|iphone|ipad/i.test(navigator.userAgent);
}

// The section of the table for a route; null: the page has no keys of its own.
export function keyPageOf(route: string): KeyPage | null {
  if (route.startsWith('replay')) return 'replay';
  if (route.startsWith('run')) return 'runs';
  if (route === 'item') return 'inbox';
  return kKeyTable.find(({ page }) => page === route)?.page ?? null;
}
