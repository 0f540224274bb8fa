// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { defineStore } from 'pinia';
import { shallowReactive } from 'vue';
import type { FilledQuestion } from '@/inbox/answer_form';
import { useAccount } from './account';
import { localStore, readStored, sessionStore, writeStored } from './storage';

const kDraftsKey = 'parley.drafts';
const kTextsKey = 'parley.chat-drafts'; // by session
export const kRunDraftKey = 'parley.run-draft'; // draft of a run
const kMaxDrafts = 100;

// Drafts of answers that the server has not accepted yet, by request ID. Stored where the token is: in this tab,
// or on this device if chosen.
export const useDrafts = defineStore('drafts', () => {
  const account = useAccount();
  const drafts = shallowReactive(new Map<string, FilledQuestion[]>(load()));

  const texts = new Map<string, string>(loadTexts());

  function load(): [string, FilledQuestion[]][] {
    const stored =
      readStored<unknown>(sessionStore(), kDraftsKey, null) ?? readStored<unknown>(localStore(), kDraftsKey, null);
    return Array.isArray(stored) ? (stored as [string, FilledQuestion[]][]) : [];
  }

  function loadTexts(): [string, string][] {
    const stored =
      readStored<unknown>(sessionStore(), kTextsKey, null) ?? readStored<unknown>(localStore(), kTextsKey, null);
    return Array.isArray(stored) ? (stored as [string, string][]) : [];
  }

  function save(): void {
    const newest = [...drafts].slice(-kMaxDrafts);
    writeStored(sessionStore(), kDraftsKey, newest);
    writeStored(localStore(), kDraftsKey, account.remembered ? newest : null);
  }

  function get(key: string): FilledQuestion[] | undefined {
    return drafts.get(key);
  }

  function set(key: string, fills: FilledQuestion[]): void {
    const empty = fills.every((fill) => fill.chosen.length === 0 && fill.custom === '');
    drafts.delete(key);
    if (!empty) drafts.set(key, fills);
    save();
  }

  function remove(key: string): void {
    if (drafts.delete(key)) save();
  }

  // The unsent text of a chat.
  function text(session: string): string {
    return texts.get(session) ?? '';
  }

  function setText(session: string, words: string): void {
    texts.delete(session);
    if (words !== '') texts.set(session, words);
    const newest = [...texts].slice(-kMaxDrafts);
    writeStored(sessionStore(), kTextsKey, newest);
    writeStored(localStore(), kTextsKey, account.remembered ? newest : null);
  }

  function clear(): void {
    drafts.clear();
    texts.clear();
    for (const storage of [sessionStore(), localStore()]) writeStored(storage, kTextsKey, null);
    writeStored(sessionStore(), kRunDraftKey, null);
    writeStored(sessionStore(), kDraftsKey, null);
    writeStored(localStore(), kDraftsKey, null);
  }

  return { get, set, remove, text, setText, clear };
});
