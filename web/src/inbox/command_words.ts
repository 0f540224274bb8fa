// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

export const kMaxTemplateChars = 500;
// An agent reads an answer as text: it does not run "/review" by itself, and finds a command by its file.
export const kUsualTemplate = '/%name% (%path%)';

// The template of a command or a skill with its %name%, %path% and %type% filled in.
export function commandWords(template: string, command: { name: string; path: string; kind: string }): string {
  const parts: Record<string, string> = { name: command.name, path: command.path, type: command.kind };
  return template.replace(/%(name|path|type)%/g, (_whole, part: string) => parts[part] ?? '');
}
