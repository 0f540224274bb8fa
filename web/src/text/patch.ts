// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

// Reads unified diffs: of git, with renames, modes and binary files, and plain ones.

import { kMaxPatchChars } from './patch_limits';

export type PatchLineKind = 'same' | 'added' | 'removed' | 'note';

export interface PatchLine {
  kind: PatchLineKind;
  text: string; // without its sign
  before: number; // line number in the old file; 0: none
  after: number;
}

export interface PatchHunk {
  section: string; // the words after the second @@
  lines: PatchLine[];
}

export type FileChange = 'changed' | 'created' | 'deleted' | 'renamed' | 'copied';

export interface PatchFile {
  from: string;
  to: string; // the name to show
  change: FileChange;
  binary: boolean;
  modes: string; // "100644 → 100755"; empty: unchanged
  hunks: PatchHunk[];
  added: number;
  removed: number;
}

export type PatchPart = { text: string; file?: undefined } | { file: PatchFile; text?: undefined };

const kHunk = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;
const kMaxCount = 10_000_000; // lines of a file
const kContext = 3; // unchanged lines around a change

interface Read<T> {
  value: T;
  next: number; // index of the line after it
}

// The name in a C string of git, "a/\303\251.txt" in quotes, as its bytes.
function unquoted(name: string): string {
  if (!/^".*"$/s.test(name)) return name;
  const kShort: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, '\\': 92 };
  const bytes: number[] = [];
  for (const [whole, octal, short] of name.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|[^\\]+/gs)) {
    if (octal !== undefined) bytes.push(parseInt(octal, 8) & 0xff);
    else if (short !== undefined) bytes.push(kShort[short] ?? short.charCodeAt(0) & 0xff);
    else bytes.push(...new TextEncoder().encode(whole));
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}

// The name of a "---" or "+++" line, without the time that follows a tab.
function nameOf(line: string, prefix: RegExp): string {
  const rest = line.slice(4);
  const name = unquoted(rest.startsWith('"') ? rest : (rest.split('\t')[0] ?? ''));
  return name.replace(prefix, '');
}

// Both names of a "diff --git" line, which separates them by a space that may be in the names too.
function namesOfGit(line: string): [string, string] {
  const rest = line.slice('diff --git '.length);
  const quoted = /^("(?:[^"\\]|\\.)*"|\S+) ("(?:[^"\\]|\\.)*"|\S+)$/.exec(rest);
  const same = /^a\/(.*) b\/\1$/.exec(rest);
  const [from, to] = same ? [`a/${same[1] ?? ''}`, `b/${same[1] ?? ''}`] : [quoted?.[1] ?? rest, quoted?.[2] ?? rest];
  return [unquoted(from).replace(/^a\//, ''), unquoted(to).replace(/^b\//, '')];
}

function beginsPlainFile(lines: readonly string[], at: number): boolean {
  return (
    (lines[at]?.startsWith('--- ') ?? false) &&
    (lines[at + 1]?.startsWith('+++ ') ?? false) &&
    kHunk.test(lines[at + 2] ?? '')
  );
}

function beginsFile(lines: readonly string[], at: number): boolean {
  return (lines[at]?.startsWith('diff --git ') ?? false) || beginsPlainFile(lines, at);
}

function emptyFile(from: string, to: string): PatchFile {
  return { from, to, change: 'changed', binary: false, modes: '', hunks: [], added: 0, removed: 0 };
}

// Reads one line of the head of a file of git. False: it is none.
function takeHeadLine(file: PatchFile, line: string): boolean {
  const words =
    /^(old mode|new mode|deleted file mode|new file mode|rename from|rename to|copy from|copy to) (.*)$/.exec(line);
  const value = words?.[2] ?? '';
  switch (words?.[1]) {
    case 'old mode':
      file.modes = value;
      return true;
    case 'new mode':
      file.modes = `${file.modes} → ${value}`;
      return true;
    case 'new file mode':
      file.change = 'created';
      return true;
    case 'deleted file mode':
      file.change = 'deleted';
      return true;
    case 'rename from':
    case 'copy from':
      file.from = unquoted(value);
      return true;
    case 'rename to':
    case 'copy to':
      file.to = unquoted(value);
      file.change = line.startsWith('rename') ? 'renamed' : 'copied';
      return true;
  }
  return /^(index [0-9a-f]+|(dis)?similarity index )/.test(line);
}

// Reads the "Binary files … differ" line or a binary patch at `at`; the index after it.
function takeBinary(file: PatchFile, lines: readonly string[], at: number): number {
  const line = lines[at] ?? '';
  if (/^Binary files .* differ$/.test(line)) {
    file.binary = true;
    return at + 1;
  }
  if (line !== 'GIT binary patch') return at;
  file.binary = true;
  let next = at + 1;
  while (/^(literal \d+|delta \d+|[A-Za-z][0-9A-Za-z!#$%&()*+;<=>?@^_`{|}~-]+|)$/.test(lines[next] ?? '.')) next += 1;
  return next;
}

// Reads a hunk. `strict`: it ends where its counts say; otherwise also lines beyond them are read, because
// models miscount.
function readHunk(lines: readonly string[], at: number, strict: boolean): Read<PatchHunk> | null {
  const head = kHunk.exec(lines[at] ?? '');
  if (!head) return null;
  let [before, after] = [Number(head[1]), Number(head[3])];
  let [left, right] = [Number(head[2] ?? 1), Number(head[4] ?? 1)];
  if (Math.max(before, after, left, right) > kMaxCount) return null;
  const found: PatchLine[] = [];
  let next = at + 1;
  for (; next < lines.length; next += 1) {
    const line = lines[next] ?? '';
    const sign = line[0] ?? '';
    const done = left <= 0 && right <= 0;
    if (sign === '\\') {
      found.push({ kind: 'note', text: line.slice(1).trim(), before: 0, after: 0 });
      continue;
    }
    if (done && (strict || line === '-- ' || beginsFile(lines, next))) break;
    if (sign === '+') found.push({ kind: 'added', text: line.slice(1), before: 0, after: after++ });
    else if (sign === '-') found.push({ kind: 'removed', text: line.slice(1), before: before++, after: 0 });
    else if (sign === ' ' || (sign === '' && continues(lines, next, done))) {
      found.push({ kind: 'same', text: line.slice(1), before: before++, after: after++ });
    } else break;
    if (sign !== '+') left -= 1;
    if (sign !== '-') right -= 1;
  }
  // Empty lines at the end of a text are often removed.
  const trimmed = next >= lines.length && left === right && left <= kContext;
  if (strict && (left > 0 || right > 0) && !trimmed) return null;
  return { value: { section: head[5] ?? '', lines: found }, next };
}

// True if an empty line is a line of the hunk whose space was removed.
function continues(lines: readonly string[], at: number, done: boolean): boolean {
  return !done && at + 1 < lines.length && /^([ +\-\\]|$|@@ -)/.test(lines[at + 1] ?? '');
}

function count(file: PatchFile, kind: PatchLineKind): number {
  return file.hunks.reduce((sum, hunk) => sum + hunk.lines.filter((line) => line.kind === kind).length, 0);
}

function readFile(lines: readonly string[], at: number, strict: boolean): Read<PatchFile> | null {
  if (!beginsFile(lines, at)) return null;
  const line = lines[at] ?? '';
  const isGit = line.startsWith('diff --git ');
  const [from, to] = isGit ? namesOfGit(line) : ['', ''];
  const file = emptyFile(from, to);
  let next = isGit ? at + 1 : at;
  while (isGit && takeHeadLine(file, lines[next] ?? '')) next += 1;
  next = isGit ? takeBinary(file, lines, next) : next;
  if ((lines[next]?.startsWith('--- ') ?? false) && (lines[next + 1]?.startsWith('+++ ') ?? false)) {
    const from = nameOf(lines[next] ?? '', /^a\//);
    const to = nameOf(lines[next + 1] ?? '', /^b\//);
    if (from === '/dev/null') file.change = 'created';
    else if (to === '/dev/null') file.change = 'deleted';
    file.from = from === '/dev/null' ? to : from;
    file.to = to === '/dev/null' ? from : to;
    next += 2;
  }
  for (let hunk = readHunk(lines, next, strict); hunk; hunk = readHunk(lines, next, strict)) {
    file.hunks.push(hunk.value);
    next = hunk.next;
  }
  file.added = count(file, 'added');
  file.removed = count(file, 'removed');
  const cut = kHunk.test(lines[next] ?? '') || (isGit && next === at + 1);
  return strict && cut ? null : { value: file, next };
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  // Line ends of Windows are no part of the lines, unless only some lines have them.
  const whole = lines.filter((line, at) => line !== '' || at < lines.length - 1);
  return whole.length > 0 && whole.every((line) => line.endsWith('\r'))
    ? lines.map((line) => line.replace(/\r$/, ''))
    : lines;
}

// A fence without file names: one nameless file.
function bareFile(lines: readonly string[]): PatchFile | null {
  const file = emptyFile('', '');
  let next = 0;
  for (let hunk = readHunk(lines, next, false); hunk; hunk = readHunk(lines, next, false)) {
    file.hunks.push(hunk.value);
    next = hunk.next;
  }
  if (next === 0 && lines.some((line) => /^[+-]/.test(line))) {
    const kinds: Readonly<Record<string, PatchLineKind>> = { '+': 'added', '-': 'removed', '@': 'note', '\\': 'note' };
    file.hunks.push({
      section: '',
      lines: lines.map((line) => {
        const kind = kinds[line[0] ?? ''] ?? 'same';
        return { kind, text: /^[ +-]/.test(line) ? line.slice(1) : line, before: 0, after: 0 };
      }),
    });
    next = lines.length;
  }
  if (next < lines.filter((line) => line !== '').length || file.hunks.length === 0) return null;
  file.added = count(file, 'added');
  file.removed = count(file, 'removed');
  return file;
}

// The files of a patch and the text between them, or null if it is none. The text of a fence that says diff.
export function readPatch(text: string): PatchPart[] | null {
  if (text.length > kMaxPatchChars) return null;
  const lines = linesOf(text.replace(/\n$/, ''));
  const parts: PatchPart[] = [];
  let words: string[] = [];
  for (let at = 0; at < lines.length;) {
    const read = readFile(lines, at, false);
    if (!read) {
      words.push(lines[at] ?? '');
      at += 1;
      continue;
    }
    if (words.join('').trim() !== '') parts.push({ text: words.join('\n').trim() });
    words = [];
    parts.push({ file: read.value });
    at = read.next;
  }
  if (parts.every((part) => part.file === undefined)) {
    const file = bareFile(lines);
    return file ? [{ file }] : null;
  }
  if (words.join('').trim() !== '') parts.push({ text: words.join('\n').trim() });
  return parts;
}

export type TextPart = { words: string; patch?: undefined } | { patch: string; parts: PatchPart[]; words?: undefined };

const kFence = /^ {0,3}(`{3,}|~{3,})/;

// Splits a text into Markdown and the patches that stand in it without a fence.
export function splitPatches(text: string): TextPart[] {
  if (!/^(diff --git |--- )/m.test(text) || text.length > kMaxPatchChars) return [{ words: text }];
  const raw = text.split('\n');
  const lines = linesOf(text);
  const found: TextPart[] = [];
  let words: string[] = [];
  let fence = '';
  for (let at = 0; at < lines.length;) {
    const mark = kFence.exec(lines[at] ?? '')?.[1] ?? '';
    const files: PatchPart[] = [];
    let next = at;
    for (let read = fence === '' ? readFile(lines, next, true) : null; read; read = readFile(lines, next, true)) {
      files.push({ file: read.value });
      next = read.next;
    }
    if (files.length > 0) {
      if (words.join('').trim() !== '') found.push({ words: words.join('\n') });
      words = [];
      found.push({ patch: `${raw.slice(at, next).join('\n')}\n`, parts: files });
      at = next;
      continue;
    }
    if (fence === '') fence = mark;
    else if (mark.startsWith(fence) && lines[at]?.trim() === mark) fence = '';
    words.push(raw[at] ?? '');
    at += 1;
  }
  if (words.join('').trim() !== '') found.push({ words: words.join('\n') });
  return found;
}
