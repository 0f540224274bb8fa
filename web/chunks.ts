// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The files into which the build puts modules.
import { fileURLToPath } from 'node:url';

const kConsoleEntry = fileURLToPath(new URL('./src/main.ts', import.meta.url));
const kHostEntry = fileURLToPath(new URL('./host/main.ts', import.meta.url));

interface ChunkContext {
  getModuleInfo: (id: string) => { importedIds: readonly string[] } | null;
}

// The modules that an entry imports without import().
function closure(entry: string, context: ChunkContext): ReadonlySet<string> {
  const found = new Set([entry]);
  for (const id of found) for (const next of context.getModuleInfo(id)?.importedIds ?? []) found.add(next);
  return found;
}

let known: { console: ReadonlySet<string>; host: ReadonlySet<string> } | null = null;
function firstLoads(context: ChunkContext): NonNullable<typeof known> {
  known ??= { console: closure(kConsoleEntry, context), host: closure(kHostEntry, context) };
  return known;
}

// The chunk of a module; null: left to the bundler.
export function chunkOf(id: string, context: ChunkContext): string | null {
  if (/markdown-it|dompurify|linkify-it|mdurl|uc\.micro|entities|punycode/.test(id)) return 'markdown';
  if (id.includes('highlight.js')) return 'highlight'; // loaded with the first block of code
  if (id.includes('@bufbuild')) return 'protobuf';
  if (/node_modules\/(@vue|vue|vue-router|pinia)\//.test(id)) return 'vendor';
  // One file of what both documents load first, and one of what the console adds: many small files would take
  // a tenth more bytes. The rest goes where it is used: a page's libraries are loaded with the page.
  const first = firstLoads(context);
  if (!first.console.has(id) || id === kConsoleEntry) return null;
  return first.host.has(id) ? 'shared' : 'console';
}
