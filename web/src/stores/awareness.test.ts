// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { create } from '@bufbuild/protobuf';
import { createPinia, setActivePinia } from 'pinia';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebsocketMessageSchema } from '@/gen/agentassist_pb';
import { decodeFrame } from '@/protocol/frames';
import { useAwareness } from './awareness';

describe('awareness', () => {
  let sent: string[] = [];

  beforeEach(() => {
    vi.useFakeTimers();
    setActivePinia(createPinia());
    sent = [];
    useAwareness().attach((frame) => {
      const message = decodeFrame(frame);
      sent.push(`${message?.Cmd ?? ''} ${message?.StrParam ?? ''}`);
      return true;
    });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function announce(nickname: string, key = 'q1'): void {
    useAwareness().receive(create(WebsocketMessageSchema, { Cmd: 'Answering', StrParam: key, Nickname: nickname }));
  }

  it('tells the others of writing once in three seconds, for each question', () => {
    const awareness = useAwareness();
    for (let key = 0; key < 10; key += 1) awareness.typing('q1');
    awareness.typing('q2');
    vi.advanceTimersByTime(3_000);
    awareness.typing('q1');
    expect(sent).toEqual(['Answering q1', 'Answering q2', 'Answering q1']);
  });

  it('shows who writes until six seconds after the last notice', () => {
    const awareness = useAwareness();
    announce('Anna');
    vi.advanceTimersByTime(5_000);
    announce('Ben');
    vi.advanceTimersByTime(5_000);
    expect(awareness.answering.get('q1')).toBe('Ben');
    vi.advanceTimersByTime(1_000);
    expect(awareness.answering.has('q1')).toBe(false);
  });
});
