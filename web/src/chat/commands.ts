// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

export const kCommands = ['/help', '/clear', '/compact'] as const;
export type Command = (typeof kCommands)[number];

// Only exactly a command is one; other text that begins with "/" is said to the agent.
export function commandOf(text: string): Command | null {
  return kCommands.find((command) => command === text.trim()) ?? null;
}

// Commands that go on as what was typed.
export function suggestions(text: string): readonly Command[] {
  return /^\/\S*$/.test(text) ? kCommands.filter((command) => command.startsWith(text)) : [];
}
