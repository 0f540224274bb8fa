// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { kMaxTerminalChars, kNoOutput, readProgress, shownOutput, writeTerminal } from './terminal';

const written = (...chunks: string[]) => shownOutput(chunks.reduce(writeTerminal, kNoOutput));

describe('terminal', () => {
  it('removes colours, titles and cursor sequences', () => {
    expect(written('\u001b[1;32mgreen\u001b[0m \u001b]0;title\u0007plain\u001b[2K').text).toBe('green plain');
  });

  it('holds a sequence cut between two chunks', () => {
    expect(written('a\u001b[3', '1mb').text).toBe('ab');
    expect(written('a\u001b', '[31mb').text).toBe('ab');
  });

  it('overwrites a line after a carriage return or backspace', () => {
    expect(written('10%\r100%\nab\bc').text).toBe('100%\nac');
    expect(written('long line\rshort\n').text).toBe('shortline');
  });

  it('keeps the end of long output, from a line on', () => {
    let terminal = kNoOutput;
    for (let n = 0; n < 5_000; n += 1) terminal = writeTerminal(terminal, `line number ${n}\n`);
    expect(terminal.text.length).toBeLessThanOrEqual(kMaxTerminalChars);
    expect(terminal.cut).toBe(true);
    expect(terminal.text).toMatch(/^line number \d+\n/);
    expect(terminal.text.endsWith('line number 4999\n')).toBe(true);
  });

  it('bounds an endless line', () => {
    expect(written('x'.repeat(100_000)).text.length).toBeLessThanOrEqual(4_000);
  });

  it('reads progress lines and hides them', () => {
    const shown = written('queued\nprogress: KSampler 3/20\nprogress: KSampler 12/20\n');
    expect(shown).toEqual({ text: 'queued', progress: { name: 'KSampler', at: 12, of: 20 } });
    expect(readProgress('progress: KSampler 3/0')).toBeNull();
    expect(readProgress('progress: 30/20')).toBeNull();
    expect(readProgress('progress: VAE Decode 30/20')?.at).toBe(20);
  });

  it('removes the marks of an error stream', () => {
    expect(written('<span class="f-terminal-error">bad</span>').text).toBe('bad');
  });
});
