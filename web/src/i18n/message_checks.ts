// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { MessageTree } from './translate';

// The messages of a tree by their paths; for tests.
export function flat(tree: MessageTree, prefix = ''): Map<string, string> {
  const found = new Map<string, string>();
  for (const [key, value] of Object.entries(tree)) {
    if (typeof value === 'string') found.set(prefix + key, value);
    else for (const [name, text] of flat(value, `${prefix}${key}.`)) found.set(name, text);
  }
  return found;
}

// The names of the placeholders of a message.
export function placeholders(text: string): string[] {
  return [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name))].sort();
}
