// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

// Limit (Answers in the console): own replies that are kept of each account. Reached: the oldest are dropped.
export const kMaxReplies = 50;
// Limit (Answers in the console): characters of an own reply that is kept. Reached: not kept.
export const kMaxReplyChars = 20_000; // longer ones are not kept: browser storage has few megabytes

// The replies with `text` as the newest, at the end. Unchanged if `text` is empty, too long or the newest already.
export function addReply(replies: readonly string[], text: string): readonly string[] {
  const words = text.trim();
  if (words === '' || words.length > kMaxReplyChars || words === replies.at(-1)) return replies;
  return [...replies, words].slice(-kMaxReplies);
}

// A walk of one field through earlier replies. Each step returns the next text of the field; null: the key does
// something else. A changed text ends the walk.
export class ReplyWalk {
  private replies: readonly string[] = [];
  private at = -1; // -1: not walking
  private draft = '';

  older(current: string, replies: readonly string[]): string | null {
    if (!this.walks(current)) {
      if (current.trim() !== '' || replies.length === 0) return null;
      this.replies = replies;
      this.draft = current;
      this.at = replies.length;
    }
    if (this.at === 0) return current;
    this.at -= 1;
    return this.replies[this.at] ?? null;
  }

  newer(current: string): string | null {
    if (!this.walks(current)) return null;
    this.at += 1;
    return this.replies[this.at] ?? this.leave();
  }

  // The text from before the walk.
  back(current: string): string | null {
    return this.walks(current) ? this.leave() : null;
  }

  private walks(current: string): boolean {
    if (this.at >= 0 && this.replies[this.at] !== current) this.at = -1;
    return this.at >= 0;
  }

  private leave(): string {
    this.at = -1;
    return this.draft;
  }
}
