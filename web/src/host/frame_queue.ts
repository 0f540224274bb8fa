// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Frames on their way to the relay: in order, one in each turn of the loop, so that no two leave
// in one write (agents of the first revision stall on a result and a state that arrive together).
// While the connection is slow, states that have been overtaken are not sent.

// A state may be replaced by the next one, if that has the same key and nothing stands between.
export interface QueuedFrame {
  type: string; // of the message
  text: () => string;
  key?: string;
}

export interface FrameQueueOptions {
  send: (type: string, text: string) => void;
  buffered: () => number; // bytes that the connection has taken and not sent
  turn: (act: () => void) => void; // does it in a later turn of the loop
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

  // Nothing of what waits is sent any more.
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
