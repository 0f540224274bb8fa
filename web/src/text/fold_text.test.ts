// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { countLines, foldMarkdown, foldText, kCodeFold, kProseFold } from './fold_text';

const joined = (text: string, fold: typeof foldText = foldText, limits = kCodeFold) => {
  const parts = fold(text, limits);
  return parts && parts.head + parts.middle + parts.tail;
};

describe('a long text', () => {
  it('is folded from its limits on', () => {
    expect(foldText('x\n'.repeat(kCodeFold.lines), kCodeFold)).toBeNull();
    expect(foldText('x'.repeat(kCodeFold.chars), kCodeFold)).toBeNull();
    expect(foldText('x\n'.repeat(kCodeFold.lines + 1), kCodeFold)).not.toBeNull();
    expect(foldText('x'.repeat(kCodeFold.chars + 1), kCodeFold)).not.toBeNull();
  });

  it('shows whole lines at both ends', () => {
    const lines = Array.from({ length: 500 }, (_, at) => `line ${at}`);
    const parts = foldText(lines.join('\n'), kCodeFold);
    expect(parts?.head.endsWith('line 59\n')).toBe(true);
    expect(parts?.tail.startsWith('line 470\n')).toBe(true);
    expect(parts?.tail.endsWith('line 499')).toBe(true);
    expect(countLines(parts?.middle ?? '')).toBe(410);
  });

  it('shows both ends of one long line, and tears no character', () => {
    for (const text of [
      `${'a'.repeat(100_000)}; evil`,
      '😀'.repeat(40_000),
      `a${'😀'.repeat(40_000)}`,
      `${'b'.repeat(50_000)}\n${'c'.repeat(50_000)}`,
    ]) {
      const parts = foldText(text, kCodeFold);
      expect(joined(text)).toBe(text);
      for (const part of Object.values(parts ?? {})) expect(part).not.toMatch(/^[\udc00-\udfff]|[\ud800-\udbff]$/);
      expect(parts?.tail.length).toBeGreaterThanOrEqual(kCodeFold.tailChars - 1);
      expect(text.endsWith(parts?.tail ?? '?')).toBe(true);
    }
  });
});

describe('long Markdown', () => {
  const prose = Array.from({ length: 400 }, (_, at) => `Paragraph ${at}.`).join('\n\n');

  it('is folded between its blocks', () => {
    const parts = foldMarkdown(prose, kProseFold);
    expect(joined(prose, foldMarkdown, kProseFold)).toBe(prose);
    expect(parts?.head.endsWith('.\n')).toBe(true);
    expect(parts?.tail.startsWith('\nParagraph')).toBe(true);
  });

  it('is never folded within a fence', () => {
    const fenced = `Before\n\n\`\`\`sh\n${'a\n\n'.repeat(400)}\`\`\`\n\nAfter`;
    expect(foldMarkdown(fenced, kProseFold)).toBeNull();
    const around = `${prose}\n\n\`\`\`\n${'b\n\n'.repeat(60)}\`\`\`\n\nEnd`;
    expect(foldMarkdown(around, kProseFold)).toBeNull();
    const inside = `${prose}\n\n\`\`\`\n${'b\n\n'.repeat(60)}\`\`\`\n\n${prose}`;
    const parts = foldMarkdown(inside, kProseFold);
    expect(parts?.middle).toContain('```\nb');
    expect((parts?.middle.match(/```/g) ?? []).length).toBe(2);
  });
});
