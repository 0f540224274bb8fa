// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { defineStore } from 'pinia';
import { shallowReactive } from 'vue';
import type { WebsocketMessage } from '@/gen/agentassist_pb';
import { answeringFrame } from '@/protocol/frames';

// While a person writes, the others are told once in this time.
const kTellEveryMs = 3_000;
// A notice holds for this time.
const kHoldsMs = 6_000;

// Who writes an answer now, told between the pages of a workspace.
export const useAwareness = defineStore('awareness', () => {
  const answering = shallowReactive(new Map<string, string>()); // question: nickname
  const ends = new Map<string, ReturnType<typeof setTimeout>>();
  const toldAt = new Map<string, number>();
  let send: (frame: Uint8Array) => boolean = () => false;

  function attach(sender: (frame: Uint8Array) => boolean): void {
    send = sender;
  }

  function typing(key: string): void {
    const now = Date.now();
    if (now - (toldAt.get(key) ?? 0) < kTellEveryMs) return;
    if (send(answeringFrame(key))) toldAt.set(key, now);
  }

  function forget(key: string): void {
    clearTimeout(ends.get(key));
    ends.delete(key);
    answering.delete(key);
  }

  function receive(message: WebsocketMessage): void {
    if (message.Cmd !== 'Answering' || message.StrParam === '') return;
    const key = message.StrParam;
    forget(key);
    answering.set(key, message.Nickname);
    ends.set(
      key,
      setTimeout(() => forget(key), kHoldsMs),
    );
  }

  function reset(): void {
    for (const key of [...ends.keys()]) forget(key);
    toldAt.clear();
  }

  return { answering, attach, typing, receive, reset };
});
