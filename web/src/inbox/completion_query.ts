// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

// A path that a person begins after "@", or a command of the agent after "/".
export interface CompletionQuery {
  mark: '@' | '/';
  start: number; // of the mark in the text
  text: string; // after it
}

const kMaxQuery = 200;

// The query that ends at the caret; null: there is none. A mark inside a word, as in an address of mail or in a path,
// begins none.
export function completionQueryAt(text: string, caret: number): CompletionQuery | null {
  const found = /(^|[\s(（，。、：])(?:@([^\s@]*)|\/([^\s@/]*))$/u.exec(text.slice(0, caret));
  if (!found) return null;
  const [, , path, command] = found;
  const query = path ?? command ?? '';
  if (query.length > kMaxQuery) return null;
  return { mark: path === undefined ? '/' : '@', start: caret - query.length - 1, text: query };
}

// The text with `words` in place of the query, and the caret behind them. Without `open` a space follows.
export function withCompletion(
  text: string,
  query: CompletionQuery,
  words: string,
  open: boolean,
): { text: string; caret: number } {
  const inserted = open ? words : `${words} `;
  const rest = text.slice(query.start + 1 + query.text.length);
  const next = open || !rest.startsWith(' ') ? rest : rest.slice(1);
  return { text: text.slice(0, query.start) + inserted + next, caret: query.start + inserted.length };
}
