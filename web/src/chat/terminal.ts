// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

// Output of a program to a terminal, as text: without escape sequences, with carriage returns and
// backspaces applied. Only the end of long output is kept.
export interface Terminal {
  text: string; // complete lines
  line: string; // the incomplete last line
  column: number; // position of the next character in `line`
  held: string; // an incomplete escape sequence
  cut: boolean; // the beginning was dropped
}

export const kNoOutput: Terminal = { text: '', line: '', column: 0, held: '', cut: false };
export const kMaxTerminalChars = 40_000;
const kMaxLineChars = 4_000;
const kMaxHeld = 256;

/* eslint-disable no-control-regex -- terminals use control characters */
const kEscapes =
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[PX^_][^\u001b]*\u001b\\|[ -/]*[0-Z\\^-~])/g;
const kUnfinished = /\u001b(?:\[[0-?]*[ -/]*|\][^\u0007\u001b]*|[PX^_][^\u001b]*|[ -/]*)?$/;
// Tags that older servers put around an error stream.
const kErrorMarks = /<span class="f-terminal-error">|<\/span>/g;

export function writeTerminal(before: Terminal, chunk: string): Terminal {
  const raw = before.held + chunk;
  const from = raw.search(kUnfinished);
  const held = from >= 0 && raw.length - from <= kMaxHeld ? raw.slice(from) : '';
  const plain = (held === '' ? raw : raw.slice(0, from)).replace(kErrorMarks, '').replace(kEscapes, '');
  let { column, line, text } = before;
  for (const part of plain.match(/[\n\r\b]|[^\n\r\b]+/g) ?? []) {
    if (part === '\n') {
      text += `${line}\n`;
      [line, column] = ['', 0];
    } else if (part === '\r') {
      column = 0;
    } else if (part === '\b') {
      column = Math.max(0, column - 1);
    } else {
      const shown = part.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '');
      line = (line.slice(0, column) + shown + line.slice(column + shown.length)).slice(0, kMaxLineChars);
      column = Math.min(kMaxLineChars, column + shown.length);
    }
  }
  const over = text.length - kMaxTerminalChars;
  const end = over > 0 ? text.indexOf('\n', over) + 1 : 0;
  const rest = over > 0 ? text.slice(end > 0 ? end : over) : text;
  return { text: rest, line, column, held, cut: before.cut || over > 0 };
}

export interface Progress {
  name: string;
  at: number;
  of: number;
}

const kProgress = /^progress: (.+?) (\d+)\/(\d+)\s*$/;

export function readProgress(line: string): Progress | null {
  const [, name = '', at = '', of = ''] = kProgress.exec(line) ?? [];
  return name !== '' && Number(of) > 0 ? { name, at: Math.min(Number(at), Number(of)), of: Number(of) } : null;
}

// The text to show, without progress lines, and the newest progress.
export function shownOutput(terminal: Terminal): { text: string; progress: Progress | null } {
  const lines = (terminal.text + terminal.line).split('\n');
  let progress: Progress | null = null;
  const rest = lines.filter((line) => {
    const found = readProgress(line);
    if (found) progress = found;
    return !found;
  });
  return { text: rest.join('\n').trimEnd(), progress };
}
