// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The queue of frames to the relay: in order, one per turn of the loop, so that no two leave in one write
// (agents of the first revision stall on a result and a state that arrive together). While the connection
// is slow, outdated states are dropped.

// A frame with a key is replaced by the next one if that has the same key and no frame is between.
export interface QueuedFrame {
  type: string; // of the message
  text: () => string;
  key?: string;
}

export interface FrameQueueOptions {
  send: (type: string, text: string) => void;
  buffered: () => number; // bytes in the send buffer of the connection
  turn: (act: () => void) => void; // runs it in a later turn of the loop
  later: (act: () => void, ms: number) => void;
  onOverflow: () => void; // the connection is not keeping up
}

export const kMaxFrames = 1_024;
export const kMaxBuffered = 1 << 20;
export const kSlowRetryMs = 50;

export class FrameQueue {
  private frames: QueuedFrame[] = [];
  private pausing = false;
  private generation = 0;

  constructor(private readonly options: FrameQueueOptions) {}

  get length(): number {
    return this.frames.length;
  }

  push(frame: QueuedFrame): void {
    const last = this.frames.at(-1);
    if (last?.key !== undefined && last.key === frame.key) this.frames.pop();
    this.frames.push(frame);
    if (this.frames.length > kMaxFrames) {
      this.clear();
      this.options.onOverflow();
      return;
    }
    if (!this.pausing) this.step();
  }

  // Drops all waiting frames.
  clear(): void {
    this.frames = [];
    this.pausing = false;
    this.generation += 1;
  }

  private step(): void {
    if (this.frames.length === 0) return;
    const slow = this.options.buffered() > kMaxBuffered;
    if (!slow) {
      const [frame, ...rest] = this.frames;
      this.frames = rest;
      if (frame) this.options.send(frame.type, frame.text());
    }
    this.pausing = true;
    const { generation } = this;
    const resume = (): void => {
      if (generation !== this.generation) return;
      this.pausing = false;
      this.step();
    };
    if (slow) this.options.later(resume, kSlowRetryMs);
    else this.options.turn(resume);
  }
}
