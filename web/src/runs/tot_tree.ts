// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { asNumber, asObject, isObject } from '@/wire/json';

export type ThoughtState = 'open' | 'chosen' | 'passed' | 'abandoned'; // passed: judged, another was taken

export interface Thought {
  key: number; // index among all thoughts
  parent: number | null; // null: the task itself
  depth: number; // 1 for the first candidates
  index: number; // among the candidates of its expansion
  text: string;
  score: number | null;
  state: ThoughtState;
  frame: number; // index of its frame
  decidedAt: number; // index of the frame that chose or abandoned it; -1: none
  reason: string; // reason for abandoning it
}

export interface Backtrack {
  from: number | null; // the last thought of the abandoned path
  to: number | null; // null: the task itself
  toDepth: number;
  reason: string;
  frame: number;
}

// The tree of thoughts, built from the three tot events. `path`: the thoughts from the task to the current one.
export class TotTree {
  readonly thoughts: Thought[] = [];
  readonly backtracks: Backtrack[] = [];
  path: number[] = [];
  private readonly expansions = new Map<number | null, number[][]>();
  private choosing = false; // after a backtrack, until the next candidate is known

  expand(candidates: readonly string[], frame: number): number[] {
    const parent = this.path.at(-1) ?? null;
    const keys = candidates.map((text, index) => {
      const key = this.thoughts.length;
      this.thoughts.push({
        key,
        parent,
        depth: this.path.length + 1,
        index,
        text,
        score: null,
        state: 'open',
        frame,
        decidedAt: -1,
        reason: '',
      });
      return key;
    });
    this.choosing = false;
    this.expansions.set(parent, [...(this.expansions.get(parent) ?? []), keys]);
    return keys;
  }

  // Returns the keys of the judged thoughts, in the order of the scores.
  evaluate(chosen: number, scores: readonly number[], frame: number): number[] {
    const keys = this.judged(scores.length);
    keys.forEach((key, at) => {
      const thought = this.thoughts[key];
      if (!thought) return;
      thought.score = scores[at] ?? thought.score;
      if (thought.state === 'open') thought.state = 'passed';
    });
    this.choose(keys[chosen], frame);
    return keys;
  }

  backtrack(reason: string, toDepth: number, frame: number): void {
    const keep = Math.max(0, Math.min(toDepth, this.path.length - 1));
    const from = this.path.at(-1) ?? null;
    for (const key of this.path.slice(keep)) {
      const thought = this.thoughts[key];
      if (thought) Object.assign(thought, { state: 'abandoned', decidedAt: frame, reason });
    }
    this.path = this.path.slice(0, keep);
    this.backtracks.push({ from, to: this.path.at(-1) ?? null, toDepth, reason, frame });
    this.choosing = true;
  }

  // Reads the next candidate from a state: some agents judge no candidate again after a backtrack.
  update(state: unknown, frame: number): void {
    const tot = asObject(state)['tot'];
    if (!this.choosing || !isObject(tot)) return;
    const index = asNumber(tot['chosen_index']);
    const key = index === null ? undefined : this.judged(null)[index];
    if (key === undefined || this.thoughts[key]?.state === 'abandoned') return;
    this.choose(key, frame);
  }

  private choose(key: number | undefined, frame: number): void {
    const thought = key === undefined ? undefined : this.thoughts[key];
    if (!thought) return;
    const left = this.path.indexOf(thought.parent ?? -1);
    if (left >= 0 && left < this.path.length - 1) this.path = this.path.slice(0, left + 1);
    Object.assign(thought, { state: 'chosen', decidedAt: frame, reason: '' });
    this.path = [...this.path, thought.key];
    this.choosing = false;
  }

  // The candidates of the newest expansion at the current thought, preferably of one with `count`; null: any.
  private judged(count: number | null): number[] {
    const here = this.expansions.get(this.path.at(-1) ?? null) ?? [];
    return here.findLast((keys) => count === null || keys.length === count) ?? here.at(-1) ?? [];
  }
}
