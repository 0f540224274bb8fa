// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

// Limit (Answers in the console): quick replies. Reached: the field takes no more.
export const kMaxQuickReplies = 12;
// Limit (Answers in the console): characters of a quick reply. Reached: the field takes no more.
export const kMaxQuickReplyChars = 200;

// Quick replies that a person has not edited, by language.
export const kUsualReplies = {
  en: ['Go on', 'Explain first', 'Stop'],
  zh: ['继续', '先解释一下', '停止'],
} as const satisfies Record<string, readonly string[]>;

// The quick replies of a stored value: trimmed, without empty and repeated ones; null: not edited.
export function quickReplies(stored: unknown): string[] | null {
  if (!Array.isArray(stored)) return null;
  const words = stored.filter((it) => typeof it === 'string').map((it) => it.trim().slice(0, kMaxQuickReplyChars));
  return [...new Set(words)].filter((it) => it !== '').slice(0, kMaxQuickReplies);
}

// The list with the reply at `from` moved to `to`; unchanged if `to` is outside.
export function moved(replies: readonly string[], from: number, to: number): string[] {
  const list = [...replies];
  if (to < 0 || to >= list.length) return list;
  list.splice(to, 0, ...list.splice(from, 1));
  return list;
}
