// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { asObject, asText } from '@/wire/json';

// Effects of the shell command of a call, as the server has read it (docs/explanations.md): Markdown, '' for none.
export interface ExplanationWords {
  dangers: string;
  touches: string;
}

export interface CallExplanation {
  dangerous: boolean; // a danger is named, or a part was not understood: a permission is confirmed
  argument: string; // the argument that was read as a shell command; '': the tool is one for shell commands
  en: ExplanationWords;
  zh: ExplanationWords;
}

export const kExplanationMember = 'parley.explanation';
export const kInteractionMember = 'parley.interaction';

function wordsOf(value: unknown): ExplanationWords {
  const words = asObject(value);
  return { dangers: asText(words['dangers']), touches: asText(words['touches']) };
}

// The explanation in an event or a frame; null: none.
export function explanationOf(holder: Readonly<Record<string, unknown>>): CallExplanation | null {
  const value = holder[kExplanationMember];
  if (typeof value !== 'object' || value === null) return null;
  const it = asObject(value);
  // Anything but a plain "no" counts as a danger.
  return {
    dangerous: it['dangerous'] !== false,
    argument: asText(it['argument']),
    en: wordsOf(it['en']),
    zh: wordsOf(it['zh']),
  };
}
