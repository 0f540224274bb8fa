// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { asArray, asNumber, isObject, type Json } from '@/wire/json';

// A state folded from the stream. The first `missing` entries of its list of messages are unknown: they precede
// the part of the stream that was read.
export interface FoldedState {
  state: unknown;
  missing: number;
}

// Facts of the state after one step.
export interface StateStep {
  index: number; // of the step in the history
  frame: number; // index of its last frame
  node: string; // name of the node that ran; '' if unknown
  nodeId: string;
  checkpointId: string; // '': none
  step: number | null; // number of the checkpoint
  next: string; // next node, if known
  at: number | null;
}

interface StoredStep extends StateStep {
  updates: unknown[]; // of the step, to be folded in this order
}

const kSnapshotEvery = 32;

// Applies an update to a state: members are replaced; the list of messages is cut to `log_from` (0: the update
// has the whole list), and the update's entries are appended.
export function foldState(before: FoldedState, update: unknown): FoldedState {
  if (!isObject(update)) return { state: update, missing: 0 };
  return foldObject(before.state, before.missing, update, asNumber(update['log_from']) ?? 0);
}

function foldObject(before: unknown, missing: number, update: Json, logFrom: number): FoldedState {
  const old = isObject(before) ? before : {};
  const state: Json = {};
  let lost = 0;
  for (const [key, value] of Object.entries(update)) {
    if (key === 'log_from') continue;
    if (key === 'messages' && Array.isArray(value)) {
      const folded = foldLog(asArray(old[key]), missing, value as unknown[], logFrom);
      state[key] = folded.list;
      lost = folded.missing;
    } else if (key === 'core' && isObject(value)) {
      const folded = foldObject(old[key], missing, value, asNumber(value['log_from']) ?? logFrom);
      state[key] = folded.state;
      lost = folded.missing;
    } else if (key === 'node_states' && isObject(value)) {
      state[key] = wholeResults(old[key], value);
    } else {
      state[key] = value;
    }
  }
  return { state, missing: lost };
}

// Keeps the whole result of a task: later updates have long results cut.
function wholeResults(before: unknown, update: Json): Json {
  const old = isObject(before) ? before : {};
  const known = (id: string): Json => (isObject(old[id]) ? (old[id] as Json) : {});
  return Object.fromEntries(
    Object.entries(update).map(([id, value]) => {
      const result = known(id)['result'];
      const cut =
        isObject(value) &&
        value['result_truncated'] === true &&
        typeof result === 'string' &&
        known(id)['result_truncated'] !== true;
      if (!cut) return [id, value];
      const rest: Json = { ...value, result };
      delete rest['result_truncated'];
      return [id, rest];
    }),
  );
}

function foldLog(
  before: unknown[],
  missing: number,
  added: unknown[],
  from: number,
): { list: unknown[]; missing: number } {
  if (from <= 0) return { list: added, missing: 0 };
  const known = missing + before.length;
  if (from > known) return { list: added, missing: from };
  if (from <= missing) return { list: added, missing: from };
  return { list: [...before.slice(0, from - missing), ...added], missing };
}

// The states of a run by step. Stored as updates; a state is folded on demand.
export class StateHistory {
  readonly steps: StateStep[] = [];
  private readonly stored: StoredStep[] = [];
  private readonly snapshots = new Map<number, FoldedState>();
  private open = false;

  // Called when a node begins: later updates belong to a new step.
  close(): void {
    this.open = false;
  }

  tell(state: unknown, what: Omit<StateStep, 'index'>): void {
    const last = this.stored.at(-1);
    if (this.open && last) {
      last.updates.push(state);
      last.frame = what.frame;
      last.node ||= what.node;
      last.nodeId ||= what.nodeId;
      last.checkpointId = what.checkpointId || last.checkpointId;
      last.step = what.step ?? last.step;
      last.next = what.next || last.next;
      last.at = what.at ?? last.at;
      this.snapshots.delete(last.index);
      return;
    }
    const step: StoredStep = { ...what, index: this.stored.length, updates: [state] };
    this.stored.push(step);
    this.steps.push(step);
    this.open = true;
  }

  // The whole state after a step; null if there is no such step.
  at(index: number): FoldedState | null {
    if (index < 0 || index >= this.stored.length) return null;
    let from = index;
    while (from >= 0 && !this.snapshots.has(from)) from -= 1;
    let folded = this.snapshots.get(from) ?? { state: null, missing: 0 };
    for (let at = from + 1; at <= index; at += 1) {
      for (const update of this.stored[at]?.updates ?? []) folded = foldState(folded, update);
      if (at % kSnapshotEvery === 0 && at < this.stored.length - 1) this.snapshots.set(at, folded);
    }
    return folded;
  }
}
