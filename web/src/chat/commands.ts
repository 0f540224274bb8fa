// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

export const kCommands = ['/help', '/clear', '/compact'] as const;
export type Command = (typeof kCommands)[number];

// The command that the text is, exactly; null: a message to the agent, even if it begins with "/".
export function commandOf(text: string): Command | null {
  return kCommands.find((command) => command === text.trim()) ?? null;
}

// Commands that begin with the typed text.
export function suggestions(text: string): readonly Command[] {
  return /^\/\S*$/.test(text) ? kCommands.filter((command) => command.startsWith(text)) : [];
}
