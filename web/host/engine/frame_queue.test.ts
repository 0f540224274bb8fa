// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { beforeEach, describe, expect, it } from 'vitest';
import { FrameQueue, kMaxBuffered, kMaxFrames } from './frame_queue';

describe('FrameQueue', () => {
  let sent: string[];
  let turns: (() => void)[];
  let waits: (() => void)[];
  let buffered: number;
  let overflows: number;
  let queue: FrameQueue;

  beforeEach(() => {
    sent = [];
    turns = [];
    waits = [];
    buffered = 0;
    overflows = 0;
    queue = new FrameQueue({
      send: (_, text) => sent.push(text),
      buffered: () => buffered,
      turn: (act) => turns.push(act),
      later: (act) => waits.push(act),
      onOverflow: () => {
        overflows += 1;
      },
    });
  });

  const push = (text: string, key?: string): void => {
    const frame = { type: 'x', text: () => text };
    queue.push(key === undefined ? frame : { ...frame, key });
  };
  const turn = (): void => turns.shift()?.();

  it('sends one frame in each turn, in order', () => {
    push('a');
    push('b');
    push('c');
    expect(sent).toEqual(['a']);
    turn();
    expect(sent).toEqual(['a', 'b']);
    turn();
    expect(sent).toEqual(['a', 'b', 'c']);
    turn();
    expect(turns).toEqual([]);
    push('d');
    expect(sent).toEqual(['a', 'b', 'c', 'd']);
  });

  it('lets a state replace only a directly preceding state', () => {
    push('a');
    push('s1', 'host');
    push('s2', 'host');
    push('r');
    push('s3', 'host');
    push('s4', 'user');
    push('s5', 'user');
    while (turns.length > 0) turn();
    expect(sent).toEqual(['a', 's2', 'r', 's3', 's5']);
  });

  it('waits for a slow connection', () => {
    buffered = kMaxBuffered + 1;
    push('s1', 'host');
    expect(sent).toEqual([]);
    push('s2', 'host');
    buffered = 0;
    waits.shift()?.();
    expect(sent).toEqual(['s2']);
  });

  it('gives up on a connection that does not keep up', () => {
    buffered = kMaxBuffered + 1;
    for (let index = 0; index <= kMaxFrames; index += 1) push(String(index));
    expect(overflows).toBe(1);
    expect(queue.length).toBe(0);
  });

  it('never sends cleared frames', () => {
    push('a');
    push('b');
    queue.clear();
    turn();
    expect(sent).toEqual(['a']);
    push('c');
    expect(sent).toEqual(['a', 'c']);
  });
});
