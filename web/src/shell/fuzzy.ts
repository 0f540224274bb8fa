// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

// A text that contains the letters of a query in their order.
export interface Fit {
  score: number; // higher is better
  at: number[]; // indexes of the matched code points, ascending
}

const kMaxText = 160; // code points of a text that are compared
const kLetter = 1;
const kAdjacent = 5; // follows the previous match
const kWordStart = 4;
const kTextStart = 3;
const kSkipped = 0.15; // for each code point between matches
const kSpare = 0.02; // for each code point of the text

// One code point in the form in which letters are compared: width and case are ignored.
function folded(char: string): string {
  if (char <= '\x7f') return char.toLowerCase();
  const plain = char.normalize('NFKC').toLowerCase();
  return [...plain].length === 1 ? plain : char;
}

const isLetter = (char: string) => /[\p{L}\p{N}]/u.test(char);
const isIdeograph = (char: string) => /\p{Script=Han}/u.test(char);

// Each ideograph starts a word, and so does a letter after another sign and a capital after a small letter.
function startsWord(chars: readonly string[], index: number): boolean {
  const char = chars[index] ?? '';
  const before = chars[index - 1];
  if (before === undefined || isIdeograph(char) || !isLetter(before) || isIdeograph(before)) return true;
  return /\p{Lu}/u.test(char) && /\p{Ll}/u.test(before);
}

// True if the letters of a word occur in a text in their order.
function hasInOrder(word: readonly string[], lower: readonly string[]): boolean {
  let from = 0;
  return word.every((letter) => (from = lower.indexOf(letter, from) + 1) > 0);
}

// The best place of one word of a query in a text.
function fitWord(word: readonly string[], chars: readonly string[], lower: readonly string[]): Fit | null {
  if (!hasInOrder(word, lower)) return null; // most texts
  const width = chars.length;
  let best: (Fit | null)[] = new Array<Fit | null>(width).fill(null);
  for (const [row, letter] of word.entries()) {
    const next: (Fit | null)[] = new Array<Fit | null>(width).fill(null);
    let reach: Fit | null = null; // the best fit of the earlier letters that ends before `at` - 1, with its skips
    for (let at = row; at < width; at += 1) {
      if (row > 0 && at >= 2) {
        const left = best[at - 2];
        if (reach) reach = { score: reach.score - kSkipped, at: reach.at };
        if (left && left.score - kSkipped > (reach?.score ?? -Infinity))
          reach = { score: left.score - kSkipped, at: left.at };
      }
      if (lower[at] !== letter) continue;
      const own = kLetter + (startsWord(chars, at) ? kWordStart : 0) + (at === 0 ? kTextStart : 0);
      if (row === 0) {
        next[at] = { score: own, at: [at] };
        continue;
      }
      const beside = best[at - 1];
      const fromBeside = beside ? beside.score + kAdjacent : -Infinity;
      const from = fromBeside >= (reach?.score ?? -Infinity) ? beside : reach;
      if (from) next[at] = { score: Math.max(fromBeside, reach?.score ?? -Infinity) + own, at: [...from.at, at] };
    }
    best = next;
  }
  return best.reduce<Fit | null>((found, fit) => (fit && (!found || fit.score > found.score) ? fit : found), null);
}

// The place of `query` in `text`: the letters of each word in their order, not necessarily side by side; the words
// in any order. Null: it does not fit. An empty query fits with score 0.
export function fuzzy(query: string, text: string): Fit | null {
  const words = query
    .normalize('NFKC')
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const chars = [...text].slice(0, kMaxText);
  const lower = chars.map(folded);
  const at = new Set<number>();
  let score = 0;
  for (const word of words) {
    const fit = fitWord([...word], chars, lower);
    if (!fit) return null;
    score += fit.score;
    fit.at.forEach((index) => at.add(index));
  }
  if (words.length > 0) score -= chars.length * kSpare;
  return { score, at: [...at].sort((a, b) => a - b) };
}

export interface Rankable {
  id: string;
  title: string;
  hint: string; // a second text that may fit too
  aliases?: string; // further words, not shown; found by their first letters
}

export interface Ranked<T> {
  entry: T;
  at: number[]; // matched code points of the title
}

const kByAlias = 4; // for each letter of a query that finds an entry by its further words
const kOfHint = 0.5;
const kRecentBonus = 6; // of the latest entry

function startAliases(query: string, aliases: string): boolean {
  const known = aliases.toLowerCase().split(' ');
  const words = query
    .normalize('NFKC')
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return words.length > 0 && words.every((word) => known.some((alias) => alias.startsWith(word)));
}

// The entries that fit a query, best first; entries of `recent` (ids, latest first) rank higher. An empty query
// keeps the order, with the recent entries first.
export function ranked<T extends Rankable>(
  query: string,
  entries: readonly T[],
  recent: readonly string[],
  limit: number,
): Ranked<T>[] {
  const bonus = new Map(recent.map((id, index) => [id, kRecentBonus * (1 - index / recent.length)]));
  const found: (Ranked<T> & { score: number })[] = [];
  for (const entry of entries) {
    const title = fuzzy(query, entry.title);
    const byAlias = startAliases(query, entry.aliases ?? '');
    const hint = fuzzy(query, entry.hint);
    const together = (title ?? hint ?? (byAlias || null)) ? null : fuzzy(query, `${entry.title} ${entry.hint}`);
    const score = Math.max(
      title?.score ?? -Infinity,
      byAlias ? kByAlias * [...query].length : -Infinity,
      hint ? hint.score * kOfHint : -Infinity,
      together ? together.score * kOfHint : -Infinity,
    );
    if (score === -Infinity) continue;
    found.push({ entry, at: title?.at ?? [], score: score + (bonus.get(entry.id) ?? 0) });
  }
  return found.sort((a, b) => b.score - a.score).slice(0, limit);
}
