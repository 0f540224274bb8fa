// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { PlayTime } from './play_time';
import { type RawRecord, RecordList, type StudyRecord } from './record';
import { type Entry, kBeginning, type ReplayState, step, type ToolCall } from './replay';

// Number of records between two stored states, and so the limit of the steps of a seek.
export const kKeyframeEvery = 256;

function lastAtOrBefore<T extends { index: number }>(sorted: readonly T[], index: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle]?.index ?? Infinity) <= index) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

// A study's records, and the state at each of them. Append-only.
export class ReplayLog {
  readonly entries: Entry[] = [];
  readonly time = new PlayTime();
  steps = 0; // number of steps so far; tests check the limit of a seek
  private readonly list = new RecordList();
  private readonly keyframes: ReplayState[] = [kBeginning];
  private readonly openEntries = new Map<number, number>(); // of calls: record -> place in entries
  private end = kBeginning;
  private sought = kBeginning;

  get records(): readonly StudyRecord[] {
    return this.list.records;
  }

  get last(): ReplayState {
    return this.end;
  }

  append(raws: readonly RawRecord[]): void {
    for (const raw of raws) {
      const record = this.list.add(raw);
      this.time.add(record.at);
      const { entries, settled, state } = step(this.end, record);
      this.end = state;
      if (settled) this.settle(settled);
      for (const entry of entries) {
        if (entry.what.is === 'call') this.openEntries.set(entry.index, this.entries.length);
        this.entries.push(entry);
      }
      if ((record.index + 1) % kKeyframeEvery === 0) this.keyframes.push(state);
    }
  }

  // The state after the record `index`; below 0: the initial state.
  stateAt(index: number): ReplayState {
    const target = Math.min(index, this.end.index);
    if (target < 0) return kBeginning;
    if (target === this.end.index) return this.end;
    const keyframe = this.keyframes[Math.floor((target + 1) / kKeyframeEvery)] ?? kBeginning;
    const near = this.sought.index <= target && this.sought.index > keyframe.index;
    let state = near ? this.sought : keyframe;
    while (state.index < target) {
      const record = this.list.records[state.index + 1];
      if (!record) break;
      state = step(state, record).state;
      this.steps += 1;
    }
    this.sought = state;
    return state;
  }

  // Index of the last entry at or before a record; -1: none.
  entryAt(index: number): number {
    return lastAtOrBefore(this.entries, index);
  }

  // Index of the next entry after (or before) a record for which `fits` is true; -1: none.
  find(from: number, forward: boolean, fits: (entry: Entry) => boolean): number {
    if (forward) {
      for (let at = this.entryAt(from) + 1; at < this.entries.length; at += 1) {
        const entry = this.entries[at];
        if (entry && fits(entry)) return at;
      }
      return -1;
    }
    for (let at = this.entryAt(from - 1); at >= 0; at -= 1) {
      const entry = this.entries[at];
      if (entry && fits(entry)) return at;
    }
    return -1;
  }

  private settle(call: ToolCall): void {
    const place = this.openEntries.get(call.index);
    const entry = place === undefined ? undefined : this.entries[place];
    if (place === undefined || !entry) return;
    this.openEntries.delete(call.index);
    const kind = call.outcome === 'refused' ? 'refused' : entry.kind;
    this.entries[place] = { ...entry, kind, what: { is: 'call', call } };
  }
}
