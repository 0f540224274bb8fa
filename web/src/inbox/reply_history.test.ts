// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { addReply, kMaxReplies, kMaxReplyChars, ReplyWalk } from './reply_history';

describe('own replies', () => {
  it('have the newest at the end, none twice in a row', () => {
    let replies: readonly string[] = [];
    for (const text of ['a', ' a ', 'b', '  ', 'a']) replies = addReply(replies, text);
    expect(replies).toEqual(['a', 'b', 'a']);
  });

  it('are bounded in number and length', () => {
    let replies: readonly string[] = [];
    for (let i = 0; i < kMaxReplies + 5; i += 1) replies = addReply(replies, String(i));
    expect(replies).toHaveLength(kMaxReplies);
    expect(replies[0]).toBe('5');
    expect(addReply(replies, 'x'.repeat(kMaxReplyChars + 1))).toBe(replies);
  });
});

describe('walk through own replies', () => {
  const kReplies = ['one', 'two', 'three'];

  it('goes back to the oldest and stays there', () => {
    const walk = new ReplyWalk();
    expect(walk.older('', kReplies)).toBe('three');
    expect(walk.older('three', kReplies)).toBe('two');
    expect(walk.older('two', kReplies)).toBe('one');
    expect(walk.older('one', kReplies)).toBe('one');
  });

  it('comes forward again to the draft', () => {
    const walk = new ReplyWalk();
    walk.older(' ', kReplies);
    walk.older('three', kReplies);
    expect(walk.newer('two')).toBe('three');
    expect(walk.newer('three')).toBe(' ');
    expect(walk.newer(' ')).toBeNull();
  });

  it('restores the draft at once', () => {
    const walk = new ReplyWalk();
    walk.older('', kReplies);
    walk.older('three', kReplies);
    expect(walk.back('two')).toBe('');
    expect(walk.back('')).toBeNull();
  });

  it('leaves typed text alone', () => {
    const walk = new ReplyWalk();
    expect(walk.older('typed', kReplies)).toBeNull();
    expect(walk.older('', [])).toBeNull();
    walk.older('', kReplies);
    expect(walk.older('three and more', kReplies)).toBeNull();
    expect(walk.newer('three and more')).toBeNull();
    expect(walk.back('three and more')).toBeNull();
  });
});
