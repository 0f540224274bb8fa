// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

// Text that is put around each answer.
export interface Affixes {
  prefix: string;
  suffix: string;
}

// Limit (Answers in the console): characters of prefix and suffix, each. Reached: the field takes no more.
export const kMaxAffixChars = 2_000;

// The text that is sent. Around words it is joined as it is written; around the line pairs of several questions
// it has lines of its own, because agents read these lines.
export function withAffixes(text: string, { prefix, suffix }: Affixes, ownLines = false): string {
  if (text === '') return '';
  if (!ownLines) return `${prefix}${text}${suffix}`;
  return [prefix.trim(), text, suffix.trim()].filter((part) => part !== '').join('\n');
}
