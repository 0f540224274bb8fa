// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

// The parts of a long text: both ends are shown, what is between them is folded.
export interface FoldedText {
  head: string;
  middle: string;
  tail: string;
}

export interface FoldLimits {
  lines: number; // more are folded
  chars: number;
  headLines: number;
  headChars: number;
  tailLines: number;
  tailChars: number;
}

export const kCodeFold: FoldLimits = {
  lines: 120,
  chars: 8_000,
  headLines: 60,
  headChars: 3_000,
  tailLines: 30,
  tailChars: 2_000,
};
export const kProseFold: FoldLimits = {
  lines: 300,
  chars: 24_000,
  headLines: 120,
  headChars: 9_000,
  tailLines: 40,
  tailChars: 4_000,
};

const isPairAt = (text: string, at: number) => /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1));

export function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return text.endsWith('\n') ? count : count + 1;
}

// The index behind the first `lines` lines, but at most `chars`, and the same from the end.
function headEnd(text: string, { headChars, headLines }: FoldLimits): number {
  let at = 0;
  for (let line = 0; line < headLines && at < headChars; line += 1) {
    const next = text.indexOf('\n', at);
    if (next < 0 || next >= headChars) return at === 0 || headChars - at > headChars / 2 ? headChars : at;
    at = next + 1;
  }
  return at;
}

function tailStart(text: string, { tailChars, tailLines }: FoldLimits): number {
  const first = text.length - tailChars;
  let at = text.length;
  for (let line = 0; line < tailLines; line += 1) {
    const next = text.lastIndexOf('\n', at - 2) + 1;
    if (next < first) return text.length - at < tailChars / 2 ? first : at;
    at = next;
  }
  return at;
}

// A long text in its parts, whole lines where lines are short; null: short enough to be shown.
export function foldText(text: string, limits: FoldLimits): FoldedText | null {
  if (text.length <= limits.chars && countLines(text) <= limits.lines) return null;
  let [from, to] = [headEnd(text, limits), tailStart(text, limits)];
  if (from >= to) return null;
  if (isPairAt(text, from)) from -= 1;
  if (isPairAt(text, to)) to += 1;
  return { head: text.slice(0, from), middle: text.slice(from, to), tail: text.slice(to) };
}

// The same for Markdown, cut between its blocks, so that each part is readable by itself; null also if a block of code
// is at a cut: it folds by itself.
export function foldMarkdown(text: string, limits: FoldLimits): FoldedText | null {
  const rough = foldText(text, limits);
  if (rough === null) return null;
  const [from, to] = [rough.head.length, text.length - rough.tail.length];
  let [at, fence, head, tail] = [0, '', -1, -1];
  for (const line of text.split('\n')) {
    if (fence === '' && line.trim() === '') {
      if (at <= from) head = at;
      if (at >= to && tail < 0) tail = at;
    }
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? '';
    if (fence === '') fence = mark;
    else if (mark.startsWith(fence) && line.trim() === mark) fence = '';
    const next = at + line.length + 1;
    if (fence !== '' && ((at < from && from <= next) || (at < to && to <= next))) return null;
    at = next;
  }
  if (tail < 0 || head <= 0 || head >= tail || text.slice(head, tail).trim() === '') return null;
  return { head: text.slice(0, head), middle: text.slice(head, tail), tail: text.slice(tail) };
}
