// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { defineStore } from 'pinia';
import { computed, ref, shallowRef } from 'vue';
import {
  browserKeep,
  type Kept,
  type KeepPlace,
  kNothingKept,
  type Note,
  withImported,
  withNote,
  withoutLastChange,
  withWorkflow,
} from '@/chat/keep';
import { diffWorkflows, kMaxWorkflowBytes, type NodeChange, readWorkflow } from '@/chat/workflow';

export interface FileWish {
  reason: string;
  answer: (file: { name: string; text: string } | null) => void;
}

// Data beside the open chat: workflow, notes, and requests for files. Synchronised with other tabs of the same
// session.
export const useChatDesk = defineStore('chatDesk', () => {
  const session = ref('');
  const kept = shallowRef<Kept>(kNothingKept);
  const wishes = shallowRef<readonly FileWish[]>([]); // the oldest is shown first
  let place: KeepPlace = browserKeep;
  let loading: Promise<void> = Promise.resolve();
  const channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('parley.chat');

  const workflow = computed(() => readWorkflow(kept.value.workflow));
  const seen = computed(() => readWorkflow(kept.value.seen));
  // Changes since the last look; empty before the first.
  const changes = computed<NodeChange[]>(() =>
    kept.value.seen === '' ? [] : diffWorkflows(seen.value, workflow.value),
  );
  const changesOf = computed(() => new Map(kept.value.changes));

  function keepIn(other: KeepPlace): void {
    place = other;
  }

  async function load(code: string): Promise<void> {
    const found = await place.read(code);
    if (session.value === code) kept.value = found;
  }

  function open(code: string): Promise<void> {
    refuseAll();
    session.value = code;
    kept.value = kNothingKept;
    loading = code === '' ? Promise.resolve() : load(code);
    return loading;
  }

  // Moves the data to a session that was just created.
  async function moveTo(code: string): Promise<void> {
    session.value = code;
    await place.write(code, kept.value);
  }

  function put(next: Kept): void {
    const code = session.value;
    kept.value = next;
    if (code === '') return;
    void place.write(code, next).then(() => channel?.postMessage(code));
  }

  // By the agent. The first workflow of a session has no changes.
  function setWorkflow(text: string, callId: string): void {
    const changed = diffWorkflows(workflow.value, readWorkflow(text));
    const before = kept.value.seen === '' ? { ...kept.value, seen: kept.value.workflow || text } : kept.value;
    put(withWorkflow(before, text, callId, kept.value.workflow === '' ? [] : changed));
  }

  // By the person. False: the text is no workflow.
  function importWorkflow(text: string): boolean {
    if (text.length > kMaxWorkflowBytes || !readWorkflow(text)) return false;
    put(withImported(kept.value, text));
    return true;
  }

  function look(): void {
    put({ ...kept.value, seen: kept.value.workflow });
  }

  function undo(): void {
    put(withoutLastChange(kept.value));
  }

  function close(): void {
    put({ ...kept.value, workflow: '', seen: '', undo: [] });
  }

  function note(text: string): void {
    put(withNote(kept.value, { at: Date.now(), text }));
  }

  function dropNote(dropped: Note): void {
    put({ ...kept.value, notes: kept.value.notes.filter((it) => it !== dropped) });
  }

  function pickFile(reason: string): Promise<{ name: string; text: string } | null> {
    return new Promise((resolve) => {
      const wish: FileWish = {
        reason,
        answer(file) {
          wishes.value = wishes.value.filter((it) => it !== wish);
          resolve(file);
        },
      };
      wishes.value = [...wishes.value, wish];
    });
  }

  function refuseAll(): void {
    for (const wish of wishes.value) wish.answer(null);
  }

  channel?.addEventListener('message', (event) => {
    if (event.data === session.value) void load(session.value);
  });

  return {
    session,
    kept,
    wishes,
    workflow,
    seen,
    changes,
    changesOf,
    keepIn,
    open,
    moveTo,
    ready: () => loading,
    setWorkflow,
    importWorkflow,
    look,
    undo,
    close,
    note,
    dropNote,
    pickFile,
    refuseAll,
  };
});
