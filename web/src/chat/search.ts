// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { ChatItem } from './items';

function wordsOf(item: ChatItem): string {
  switch (item.is) {
    case 'user':
      return [item.text, ...item.attachments.map(({ name }) => name)].join('\n');
    case 'call':
      return [item.name, item.args, item.result, item.output.text, item.output.line].join('\n');
    case 'status':
      return `${item.title}\n${item.text}`;
    case 'todo':
      return item.todos.map(({ content }) => content).join('\n');
    case 'interrupted':
    case 'gap':
      return '';
    default:
      return item.text;
  }
}

// Keys of the items that contain all words, in order.
export function findItems(items: readonly ChatItem[], wanted: string): string[] {
  const words = wanted
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return [];
  return items.flatMap((item) => {
    const text = wordsOf(item).toLowerCase();
    return words.every((word) => text.includes(word)) ? [item.key] : [];
  });
}
