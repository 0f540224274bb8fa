// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

// Text from outside in visible form: characters that are invisible or change the display of others are escaped.
// Same rule as src/base/core/visible_text.h; tests/visible_text/cases.json tests both.

// A part of a text: unchanged text, or one hidden character.
export interface VisiblePart {
  readonly text: string;
  readonly hidden: string; // "U+202E"; empty for unchanged text
}

type Range = readonly [first: number, last: number];

// Without line feed and tab, which count as hidden only in single-line text.
const kHidden: readonly Range[] = [
  [0x0000, 0x0008],
  [0x000b, 0x001f],
  [0x007f, 0x009f],
  [0x00ad, 0x00ad],
  [0x034f, 0x034f],
  [0x061c, 0x061c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x2800, 0x2800],
  [0x3164, 0x3164],
  [0xd800, 0xdfff],
  [0xe000, 0xf8ff],
  [0xfdd0, 0xfdef],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0xfffe, 0xffff],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
  [0xf0000, 0xfffff],
  [0x100000, 0x10ffff],
];

const kEmoji: readonly Range[] = [
  [0x00a9, 0x00a9],
  [0x00ae, 0x00ae],
  [0x203c, 0x203c],
  [0x2049, 0x2049],
  [0x2122, 0x2122],
  [0x2139, 0x2139],
  [0x2194, 0x2199],
  [0x21a9, 0x21aa],
  [0x231a, 0x231b],
  [0x2328, 0x2328],
  [0x23cf, 0x23cf],
  [0x23e9, 0x23f3],
  [0x23f8, 0x23fa],
  [0x24c2, 0x24c2],
  [0x25aa, 0x25ab],
  [0x25b6, 0x25b6],
  [0x25c0, 0x25c0],
  [0x25fb, 0x25fe],
  [0x2600, 0x27bf],
  [0x2934, 0x2935],
  [0x2b05, 0x2b07],
  [0x2b1b, 0x2b1c],
  [0x2b50, 0x2b55],
  [0x3030, 0x303d],
  [0x3297, 0x3297],
  [0x3299, 0x3299],
  [0x1f000, 0x1faff],
];

// Scripts that spell with joiner and non-joiner.
const kJoining: readonly Range[] = [
  [0x0620, 0x0dff],
  [0x1000, 0x109f],
  [0x1780, 0x17d3],
];

const kNonJoiner = 0x200c;
const kJoiner = 0x200d;
const kTextSelector = 0xfe0e;
const kEmojiSelector = 0xfe0f;
const kKeycap = 0x20e3;

const hex = (code: number) => `\\u{${code.toString(16)}}`;
// Fast check: a text without a match has no hidden characters.
const kSuspects = new RegExp(
  `[${kHidden.map(([first, last]) => `${hex(first)}-${hex(last)}`).join('')}]|[\\u{1fffe}-\\u{effff}]`,
  'u',
);

function isIn(ranges: readonly Range[], code: number): boolean {
  return ranges.some(([first, last]) => first <= code && code <= last);
}

function isJoinerShown(code: number, before: number, next: number): boolean {
  const emoji = isIn(kEmoji, before) || before === kEmojiSelector;
  if (code === kJoiner && emoji) return isIn(kEmoji, next);
  return isIn(kJoining, before) && isIn(kJoining, next);
}

// True if a character is shown unchanged. `before`, `next`: the neighbours; 0: none.
function isShown(code: number, before: number, next: number, oneLine: boolean): boolean {
  if (code === 0x0a || code === 0x09) return !oneLine;
  if (code === 0x0d) return !oneLine && next === 0x0a;
  if (code === kJoiner || code === kNonJoiner) return isJoinerShown(code, before, next);
  const selects = code === kEmojiSelector || code === kTextSelector;
  if (selects && isIn(kEmoji, before)) return true;
  if (code === kEmojiSelector && /[0-9#*]/.test(String.fromCodePoint(before))) return next === kKeycap;
  return !isIn(kHidden, code) && (code & 0xfffe) !== 0xfffe;
}

// The parts of a text. `oneLine`: line breaks and tabs are hidden characters too.
export function visibleParts(text: string, oneLine = false): VisiblePart[] {
  if (!kSuspects.test(text) && !(oneLine && /[\n\t]/.test(text))) return text === '' ? [] : [{ text, hidden: '' }];
  const parts: VisiblePart[] = [];
  const all = Array.from(text);
  let plain = '';
  let before = 0;
  all.forEach((one, at) => {
    const code = one.codePointAt(0) ?? 0;
    if (isShown(code, before, all[at + 1]?.codePointAt(0) ?? 0, oneLine)) {
      plain += one;
    } else {
      if (plain !== '') parts.push({ text: plain, hidden: '' });
      plain = '';
      parts.push({ text: one, hidden: `U+${code.toString(16).toUpperCase().padStart(4, '0')}` });
    }
    before = code;
  });
  if (plain !== '') parts.push({ text: plain, hidden: '' });
  return parts;
}

// The visible form in plain text: "<U+202E>" for a hidden character.
export function visibleText(text: string, oneLine = false): string {
  return visibleParts(text, oneLine)
    .map((part) => (part.hidden === '' ? part.text : `<${part.hidden}>`))
    .join('');
}

export function countHidden(...texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + visibleParts(text).filter((part) => part.hidden !== '').length, 0);
}

// The element that shows a hidden character.
export function markedElement(part: VisiblePart): HTMLElement {
  const mark = document.createElement('mark');
  mark.className = 'hidden-character';
  mark.textContent = part.hidden;
  return mark;
}
