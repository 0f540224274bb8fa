// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { defineStore } from 'pinia';
import { computed, ref, shallowRef } from 'vue';
import {
  browserKeep,
  type StoredDocuments,
  type KeepPlace,
  kNothingStored,
  type Note,
  withImported,
  withNote,
  withoutLastChange,
  withWorkflow,
} from '@/chat/keep';
import { diffWorkflows, kMaxWorkflowBytes, type NodeChange, readWorkflow } from '@/chat/workflow';

export interface FileRequest {
  reason: string;
  answer: (file: { name: string; text: string } | null) => void;
}

// Data beside the open chat: workflow, notes, and requests for files. Synchronised with other tabs of the same
// session.
export const useChatDocuments = defineStore('chatDocuments', () => {
  const session = ref('');
  const stored = shallowRef<StoredDocuments>(kNothingStored);
  const fileRequests = shallowRef<readonly FileRequest[]>([]); // the oldest is shown first
  let place: KeepPlace = browserKeep;
  let loading: Promise<void> = Promise.resolve();
  const channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('parley.chat');

  const workflow = computed(() => readWorkflow(stored.value.workflow));
  const seen = computed(() => readWorkflow(stored.value.seen));
  // Changes since the last look; empty before the first.
  const changes = computed<NodeChange[]>(() =>
    stored.value.seen === '' ? [] : diffWorkflows(seen.value, workflow.value),
  );
  const changesOf = computed(() => new Map(stored.value.changes));

  function keepIn(other: KeepPlace): void {
    place = other;
  }

  async function load(code: string): Promise<void> {
    const found = await place.read(code);
    if (session.value === code) stored.value = found;
  }

  function open(code: string): Promise<void> {
    refuseAll();
    session.value = code;
    stored.value = kNothingStored;
    loading = code === '' ? Promise.resolve() : load(code);
    return loading;
  }

  // Moves the data to a session that was just created.
  async function moveTo(code: string): Promise<void> {
    session.value = code;
    await place.write(code, stored.value);
  }

  function put(next: StoredDocuments): void {
    const code = session.value;
    stored.value = next;
    if (code === '') return;
    void place.write(code, next).then(() => channel?.postMessage(code));
  }

  // By the agent. The first workflow of a session has no changes.
  function setWorkflow(text: string, callId: string): void {
    const changed = diffWorkflows(workflow.value, readWorkflow(text));
    const before = stored.value.seen === '' ? { ...stored.value, seen: stored.value.workflow || text } : stored.value;
    put(withWorkflow(before, text, callId, stored.value.workflow === '' ? [] : changed));
  }

  // By the person. False: the text is no workflow.
  function importWorkflow(text: string): boolean {
    if (text.length > kMaxWorkflowBytes || !readWorkflow(text)) return false;
    put(withImported(stored.value, text));
    return true;
  }

  function look(): void {
    put({ ...stored.value, seen: stored.value.workflow });
  }

  function undo(): void {
    put(withoutLastChange(stored.value));
  }

  function close(): void {
    put({ ...stored.value, workflow: '', seen: '', undo: [] });
  }

  function note(text: string): void {
    put(withNote(stored.value, { at: Date.now(), text }));
  }

  function dropNote(dropped: Note): void {
    put({ ...stored.value, notes: stored.value.notes.filter((it) => it !== dropped) });
  }

  function pickFile(reason: string): Promise<{ name: string; text: string } | null> {
    return new Promise((resolve) => {
      const request: FileRequest = {
        reason,
        answer(file) {
          fileRequests.value = fileRequests.value.filter((it) => it !== request);
          resolve(file);
        },
      };
      fileRequests.value = [...fileRequests.value, request];
    });
  }

  function refuseAll(): void {
    for (const request of fileRequests.value) request.answer(null);
  }

  channel?.addEventListener('message', (event) => {
    if (event.data === session.value) void load(session.value);
  });

  return {
    session,
    stored,
    fileRequests,
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
