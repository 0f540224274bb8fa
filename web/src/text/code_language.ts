// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { visibleText } from './visible_text';

// Longer code, or code with a longer line, is shown in one colour: highlighting would block the page.
export const kMaxHighlightedChars = 30_000;
export const kMaxHighlightedLine = 2_000;
// Code up to this length is highlighted at once, longer code when it has stopped growing.
export const kInstantChars = 6_000;
export const kSettleMs = 200;
const kMaxLabel = 24;

// Highlighted languages: id, name, other names of fences.
const kLanguages: readonly (readonly [id: string, name: string, ...aliases: string[]])[] = [
  ['bash', 'Shell', 'sh', 'shell', 'zsh', 'console', 'shellsession'],
  ['c', 'C', 'h'],
  ['cmake', 'CMake'],
  ['cpp', 'C++', 'c++', 'cc', 'cxx', 'hpp', 'hxx'],
  ['csharp', 'C#', 'cs', 'c#'],
  ['css', 'CSS'],
  ['diff', 'Diff', 'patch'],
  ['dockerfile', 'Dockerfile', 'docker'],
  ['go', 'Go', 'golang'],
  ['ini', 'INI', 'toml', 'conf', 'cfg', 'properties'],
  ['java', 'Java'],
  ['javascript', 'JavaScript', 'js', 'jsx', 'mjs', 'cjs'],
  ['json', 'JSON', 'jsonc', 'json5'],
  ['kotlin', 'Kotlin', 'kt', 'kts'],
  ['lua', 'Lua'],
  ['makefile', 'Makefile', 'make', 'mk'],
  ['markdown', 'Markdown', 'md'],
  ['php', 'PHP'],
  ['powershell', 'PowerShell', 'ps1', 'pwsh'],
  ['protobuf', 'Protocol Buffers', 'proto'],
  ['python', 'Python', 'py', 'python3'],
  ['ruby', 'Ruby', 'rb'],
  ['rust', 'Rust', 'rs'],
  ['sql', 'SQL', 'sqlite', 'postgresql', 'mysql'],
  ['swift', 'Swift'],
  ['typescript', 'TypeScript', 'ts', 'tsx', 'mts', 'cts'],
  ['xml', 'XML', 'html', 'xhtml', 'svg', 'vue', 'plist'],
  ['yaml', 'YAML', 'yml'],
];

const kNames = new Map(kLanguages.map(([id, name]) => [id, name]));
const kIds = new Map(kLanguages.flatMap(([id, , ...aliases]) => [id, ...aliases].map((name) => [name, id] as const)));

// The first word of a fence's info, without the braces of attributes: "ts", "{.python}".
export function fenceWord(info: string): string {
  return (/^\s*\{?\.?([^\s{},;:]+)/.exec(info)?.[1] ?? '').toLowerCase();
}

// The id of a highlighted language; empty: not highlighted.
export function languageOf(info: string): string {
  return kIds.get(fenceWord(info)) ?? '';
}

// The name to show; empty: the fence names none.
export function languageLabel(info: string): string {
  const word = fenceWord(info);
  const name = kNames.get(languageOf(info));
  if (name !== undefined && word !== 'toml' && word !== 'html' && word !== 'vue' && word !== 'svg') return name;
  const shown = visibleText(word, true);
  return shown.length > kMaxLabel ? `${shown.slice(0, kMaxLabel)}…` : shown;
}

export function isHighlightable(text: string): boolean {
  return text.length <= kMaxHighlightedChars && !text.split('\n').some((line) => line.length > kMaxHighlightedLine);
}
