// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Offers of the field of an answer: paths and commands. The page loads this when a person begins a query.
import type { IconName } from '@/components/icons';
import { commandWords } from '@/inbox/command_words';
import type { CompletionQuery } from '@/inbox/completion_query';
import { type AgentCommand, findPaths, listCommands } from '@/protocol/completions';
import { ranked } from '@/shell/fuzzy';

export interface Offer {
  id: string;
  icon: IconName;
  title: string;
  hint: string;
  words: string; // in place of the query
  open: boolean; // the query goes on, with the content of a folder
}

export interface OfferSource {
  token: string;
  key: string; // of the question
  template: string; // see commandWords()
}

const kMaxOffers = 20;
const kCommandsLife = 10_000; // ms

let cached: { key: string; at: number; commands: AgentCommand[] } | null = null;

async function commandsOf({ key, token }: OfferSource, signal: AbortSignal): Promise<AgentCommand[]> {
  if (cached && cached.key === key && Date.now() - cached.at < kCommandsLife) return cached.commands;
  const commands = await listCommands(token, key, signal);
  if (!signal.aborted) cached = { key, at: Date.now(), commands };
  return commands;
}

export async function offersFor(query: CompletionQuery, source: OfferSource, signal: AbortSignal): Promise<Offer[]> {
  if (query.mark === '@') {
    const paths = await findPaths(source.token, source.key, query.text, signal);
    return paths.map(({ folder, path }) => {
      const title = folder ? `${path}/` : path;
      return { id: path, icon: folder ? 'folder' : 'file', title, hint: '', words: `@${title}`, open: folder };
    });
  }
  const commands = await commandsOf(source, signal);
  const entries = commands.map((command): Offer => ({
    id: `${command.kind} ${command.name}`,
    icon: command.kind === 'skill' ? 'file' : 'command',
    title: `/${command.name}`,
    hint: command.description || command.path,
    words: commandWords(source.template, command),
    open: false,
  }));
  return ranked(query.text, entries, [], kMaxOffers).map(({ entry }) => entry);
}
