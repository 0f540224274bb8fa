// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { asArray, asObject, asText } from '@/wire/json';
import { kMaxWorkflowBytes, type NodeChange } from './workflow';

export interface Note {
  at: number; // Unix ms
  text: string;
}

// Data that this browser keeps for a session; never sent to the server.
export interface StoredDocuments {
  workflow: string; // JSON text; '': none
  seen: string; // the workflow when the person last looked at it
  undo: readonly string[]; // workflows before changes of the agent, newest last
  notes: readonly Note[];
  changes: readonly (readonly [callId: string, changes: readonly NodeChange[]])[]; // of calls, newest last
}

export const kNothingStored: StoredDocuments = { workflow: '', seen: '', undo: [], notes: [], changes: [] };
export const kMaxUndo = 20;
export const kMaxNotes = 100;
const kMaxUndoBytes = 2 * kMaxWorkflowBytes;
const kMaxKeptCalls = 200;

// Applies a change by the agent, which the person can undo.
export function withWorkflow(
  stored: StoredDocuments,
  text: string,
  callId: string,
  changes: readonly NodeChange[],
): StoredDocuments {
  const undo =
    stored.workflow === '' || stored.workflow === text
      ? [...stored.undo]
      : [...stored.undo, stored.workflow].slice(-kMaxUndo);
  let bytes = undo.reduce((sum, it) => sum + it.length, 0);
  while (undo.length > 1 && bytes > kMaxUndoBytes) bytes -= undo.shift()?.length ?? 0;
  const others = stored.changes.filter(([id]) => id !== callId);
  return {
    ...stored,
    workflow: text,
    undo,
    changes: changes.length === 0 ? others : [...others, [callId, changes] as const].slice(-kMaxKeptCalls),
  };
}

// Opens a workflow of the person: nothing to undo, and no unseen changes.
export function withImported(stored: StoredDocuments, text: string): StoredDocuments {
  return { ...stored, workflow: text, seen: text, undo: [] };
}

export function withoutLastChange(stored: StoredDocuments): StoredDocuments {
  const before = stored.undo.at(-1);
  return before === undefined ? stored : { ...stored, workflow: before, undo: stored.undo.slice(0, -1) };
}

export function withNote(stored: StoredDocuments, note: Note): StoredDocuments {
  return { ...stored, notes: [...stored.notes, note].slice(-kMaxNotes) };
}

// Reads stored data, which may be of another version of this page.
export function readKept(value: unknown): StoredDocuments {
  const it = asObject(value);
  const notes = asArray(it['notes']).map((note) => ({
    at: Number(asObject(note)['at']) || 0,
    text: asText(asObject(note)['text']),
  }));
  const changes = asArray(it['changes']).filter(
    (pair): pair is [string, NodeChange[]] =>
      Array.isArray(pair) && typeof pair[0] === 'string' && Array.isArray(pair[1]),
  );
  return {
    workflow: asText(it['workflow']),
    seen: asText(it['seen']),
    undo: asArray(it['undo']).map(asText),
    notes,
    changes,
  };
}

// Storage of the data of sessions.
export interface KeepPlace {
  read(session: string): Promise<StoredDocuments>;
  write(session: string, stored: StoredDocuments): Promise<void>;
  remove(session: string): Promise<void>;
  clear(): Promise<void>;
}

export class MemoryKeep implements KeepPlace {
  private readonly all = new Map<string, StoredDocuments>();

  read(session: string): Promise<StoredDocuments> {
    return Promise.resolve(this.all.get(session) ?? kNothingStored);
  }

  write(session: string, stored: StoredDocuments): Promise<void> {
    this.all.set(session, stored);
    return Promise.resolve();
  }

  remove(session: string): Promise<void> {
    this.all.delete(session);
    return Promise.resolve();
  }

  clear(): Promise<void> {
    this.all.clear();
    return Promise.resolve();
  }
}

const kDatabase = 'parley-chat';
const kStore = 'sessions';

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => {
      resolve(request.result);
    };
    request.onerror = () => {
      reject(request.error ?? new Error('the database failed'));
    };
  });
}

// Storage in IndexedDB; in memory until the page closes if that is full or disabled.
export class BrowserKeep implements KeepPlace {
  private readonly memory = new MemoryKeep();
  private opened: Promise<IDBDatabase | null> | null = null;

  async read(session: string): Promise<StoredDocuments> {
    try {
      const store = await this.store('readonly');
      if (store) return readKept(await settled(store.get(session)));
    } catch {
      // Falls back to memory.
    }
    return this.memory.read(session);
  }

  async write(session: string, stored: StoredDocuments): Promise<void> {
    await this.memory.write(session, stored);
    await this.act((store) => store.put(JSON.parse(JSON.stringify(stored)), session));
  }

  async remove(session: string): Promise<void> {
    await this.memory.remove(session);
    await this.act((store) => store.delete(session));
  }

  async clear(): Promise<void> {
    await this.memory.clear();
    await this.act((store) => store.clear());
  }

  private async act(how: (store: IDBObjectStore) => IDBRequest): Promise<void> {
    try {
      const store = await this.store('readwrite');
      if (store) await settled(how(store));
    } catch {
      // Memory has the data.
    }
  }

  private async store(mode: IDBTransactionMode): Promise<IDBObjectStore | null> {
    this.opened ??= this.open();
    return (await this.opened)?.transaction(kStore, mode).objectStore(kStore) ?? null;
  }

  private async open(): Promise<IDBDatabase | null> {
    if (typeof indexedDB === 'undefined') return null;
    const request = indexedDB.open(kDatabase, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(kStore);
    return settled(request);
  }
}

export const browserKeep: KeepPlace = new BrowserKeep();
