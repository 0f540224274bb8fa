// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { asArray, asObject, asText } from '@/wire/json';

export interface FoundPath {
  path: string;
  folder: boolean;
}

// A command or a skill of the agent that asks.
export interface AgentCommand {
  name: string;
  path: string; // of its file
  kind: 'command' | 'skill';
  description: string;
}

// Without an answer - the server lists nothing for this page, the folder is gone, the server is away - nothing is
// offered.
async function listOf<T>(
  token: string,
  target: string,
  name: string,
  signal: AbortSignal,
  read: (it: Record<string, unknown>) => T,
): Promise<T[]> {
  try {
    const response = await fetch(`/v1/interactions/${target}`, {
      headers: { Authorization: `Bearer ${token}` },
      signal,
    });
    if (!response.ok) return [];
    return asArray(asObject(await response.json())[name]).map((it) => read(asObject(it)));
  } catch {
    return [];
  }
}

// Files of a question's project.
export function findPaths(token: string, key: string, query: string, signal: AbortSignal): Promise<FoundPath[]> {
  const target = `${encodeURIComponent(key)}/paths?q=${encodeURIComponent(query)}`;
  return listOf(token, target, 'paths', signal, (it) => ({ path: asText(it['path']), folder: it['folder'] === true }));
}

// All commands and skills of the agent that asks, by name.
export function listCommands(token: string, key: string, signal: AbortSignal): Promise<AgentCommand[]> {
  return listOf(token, `${encodeURIComponent(key)}/commands`, 'commands', signal, (it) => ({
    name: asText(it['name']),
    path: asText(it['path']),
    kind: it['kind'] === 'skill' ? 'skill' : 'command',
    description: asText(it['description']),
  }));
}
