// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import {
  fenceWord,
  isHighlightable,
  kMaxHighlightedChars,
  kMaxHighlightedLine,
  languageLabel,
  languageOf,
} from './code_language';
import { highlight } from './highlight';

const wholeText = (text: string, language: string) =>
  highlight(text, language)
    ?.map((piece) => piece.text)
    .join('');
const kindsOf = (text: string, language: string) =>
  (highlight(text, language) ?? []).map(({ kind, text: word }) => [word, kind]);

describe('highlight', () => {
  it('finds the parts of code', () => {
    const found = kindsOf('const n: number = 42; // "why"\n', 'typescript');
    expect(found).toContainEqual(['const', 'keyword']);
    expect(found).toContainEqual(['42', 'number']);
    expect(found).toContainEqual(['// "why"', 'comment']);
  });

  it.each([
    ['xml', '<script>alert("&amp;")</script><img src=x onerror=\'a\'>'],
    ['javascript', 'const a = `<span class="hljs-x">${b}</span>`; // &lt; &amp;lt; \u202e \u0000'],
    ['bash', 'echo "</span><script>" && rm -rf "$HOME"'],
    ['markdown', '```js\n<b>\n```\n'],
    ['json', '{"a": [1, null, "\\u003cb\\u003e"]}'],
    ['cpp', 'template<class T> auto f(T&& t) -> decltype(t) { return t < 3 && t > 1; }'],
  ])('keeps every character of %s', (language, text) => {
    expect(wholeText(text, language)).toBe(text);
  });

  it('returns text, not markup', () => {
    const found = highlight('<b onclick="x">', 'xml') ?? [];
    expect(found.map((piece) => piece.text).join('')).toBe('<b onclick="x">');
    expect(found.every((piece) => !piece.text.includes('hljs') && !piece.text.includes('&lt;'))).toBe(true);
  });

  it('leaves long code, long lines and unknown languages in one colour', () => {
    const line = `${'a = 1; '.repeat(8)}\n`;
    const long = line.repeat(Math.ceil(kMaxHighlightedChars / line.length) + 1);
    expect(highlight(long, 'javascript')).toBeNull();
    expect(highlight(long.slice(0, kMaxHighlightedChars), 'javascript')).not.toBeNull();
    expect(highlight('x'.repeat(kMaxHighlightedLine + 1), 'javascript')).toBeNull();
    expect(highlight('x = 1', 'no-such-language')).toBeNull();
    expect(isHighlightable('x'.repeat(kMaxHighlightedLine))).toBe(true);
  });
});

describe('the language of a fence', () => {
  it.each([
    ['ts', 'typescript', 'TypeScript'],
    ['TypeScript {1,3}', 'typescript', 'TypeScript'],
    ['{.python .numberLines}', 'python', 'Python'],
    ['c++', 'cpp', 'C++'],
    ['toml', 'ini', 'toml'],
    ['brainfuck', '', 'brainfuck'],
    ['', '', ''],
  ])('%j is %j', (info, id, label) => {
    expect(languageOf(info)).toBe(id);
    expect(languageLabel(info)).toBe(label);
  });

  it('is shown as short visible text', () => {
    expect(languageLabel('"><img/src=x/onerror=alert(1)>')).toBe('"><img/src=x/onerror=ale…');
    expect(languageLabel('a\u202eb')).toBe('a<U+202E>b');
    expect(languageLabel('constructor')).toBe('constructor');
    expect(languageOf('__proto__')).toBe('');
    expect(fenceWord('  js\tx')).toBe('js');
  });
});
