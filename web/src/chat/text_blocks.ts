// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

const kFence = /^ {0,3}(`{3,}|~{3,})/;
const kContinues = /^(\s|[-*+] |\d{1,9}[.)] |>|\|)/;

// Splits Markdown into blocks that are rendered independently, so that only the last block changes while
// a text grows. A fence, a list, a quotation or a table is one block.
export function textBlocks(text: string): string[] {
  const blocks: string[] = [];
  let lines: string[] = [];
  let fence = '';
  let blank = false;
  for (const line of text.split('\n')) {
    const mark = kFence.exec(line)?.[1] ?? '';
    const begins = fence === '' && blank && line.trim() !== '' && !kContinues.test(line);
    if (begins && lines.length > 0) {
      blocks.push(lines.join('\n'));
      lines = [];
    }
    if (fence === '') fence = mark;
    else if (mark.startsWith(fence) && line.trim() === mark) fence = '';
    blank = fence === '' && line.trim() === '';
    lines.push(line);
  }
  if (lines.some((line) => line.trim() !== '')) blocks.push(lines.join('\n'));
  return blocks;
}
