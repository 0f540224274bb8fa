// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { Item, Prompt } from './item';

const kEncoder = new TextEncoder();

const field = (name: string, value: string): string => `${name} ${kEncoder.encode(value).length}\n${value}\n`;

// The text of a request as its card shows it, in the form that is hashed: docs/events.md, "Shown".
export function shownText({ kind, prompt }: Pick<Item, 'kind' | 'prompt'>): string {
  const questions = kind === 'question' ? prompt.questions : [];
  let out = field('text', prompt.text);
  for (const { header, text, choices } of questions) {
    out += field('header', header) + field('question', text);
    for (const { label, description } of choices) out += field('choice', label) + field('description', description);
  }
  return out;
}

const digests = new WeakMap<Prompt, string>();

// Hashes the text of a request that is shown, so that shownDigest() knows it. Resolves at once where the browser has no
// SHA-256 (a page that is neither local nor https).
export async function noteShown(item: Pick<Item, 'kind' | 'prompt'>): Promise<void> {
  const subtle = globalThis.crypto?.subtle as SubtleCrypto | undefined;
  if (digests.has(item.prompt) || !subtle) return;
  const digest = new Uint8Array(await subtle.digest('SHA-256', kEncoder.encode(shownText(item))));
  digests.set(item.prompt, Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join(''));
}

// The SHA-256 of the text of a request that noteShown() got, in hexadecimal digits; '': not known.
export const shownDigest = ({ prompt }: Pick<Item, 'prompt'>): string => digests.get(prompt) ?? '';
