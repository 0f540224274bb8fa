// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { asArray, asObject, asText, isObject } from '@/wire/json';

export type TaskState = 'pending' | 'running' | 'done' | 'failed';

export interface Task {
  id: string;
  description: string;
  state: TaskState;
  summary: string; // of its result
  result: string; // as far as a state has it
  error: string;
  startAt: number | null;
  endAt: number | null;
  addedBy: string; // the task whose expansion added it; '': planned
  expanded: number; // number of tasks that its expansion added
}

export type Edge = readonly [from: string, to: string];

const kStatus: Readonly<Record<string, TaskState>> = {
  pending: 'pending',
  running: 'running',
  done: 'done',
  failed: 'failed',
};
const kAddedName = /^(.+)_sub_\w+$/;

// The plan of a graph of thoughts with the states of its tasks. Events have the names of tasks; dependencies
// and results come from the states between the events.
export class GotDag {
  readonly tasks = new Map<string, Task>();
  edges: Edge[] = [];
  private lastExpanded = '';

  plan(ids: readonly string[]): void {
    const started = [...this.tasks.values()].some((task) => task.state !== 'pending');
    if (!started) {
      this.tasks.clear();
      this.edges = [];
    }
    for (const id of ids) this.task(id, '');
  }

  start(id: string, at: number | null): Task {
    const task = this.task(id);
    task.state = 'running';
    task.startAt = at;
    task.endAt = null;
    return task;
  }

  complete(id: string, summary: string, at: number | null): Task {
    const task = this.task(id);
    Object.assign(task, { state: 'done', summary, endAt: at });
    return task;
  }

  fail(id: string, error: string, at: number | null): Task {
    const task = this.task(id);
    Object.assign(task, { state: 'failed', error, endAt: at });
    return task;
  }

  expand(id: string, added: number): Task {
    const task = this.task(id);
    task.expanded += added;
    this.lastExpanded = id;
    return task;
  }

  // Reads a state. True if it has a plan.
  update(state: unknown): boolean {
    const graph = asObject(state)['task_graph'];
    if (!isObject(graph)) return false;
    for (const it of asArray(graph['nodes'])) {
      const node = asObject(it);
      const id = asText(node['id']);
      if (id !== '') this.task(id).description = asText(node['description']);
    }
    const edges = asArray(graph['edges']).map(readEdge);
    this.edges = edges.filter(
      (edge): edge is Edge => edge !== null && this.tasks.has(edge[0]) && this.tasks.has(edge[1]),
    );
    for (const [id, it] of Object.entries(asObject(asObject(state)['node_states']))) this.tellStatus(id, asObject(it));
    return true;
  }

  private tellStatus(id: string, update: Record<string, unknown>): void {
    const task = this.tasks.get(id);
    const state = kStatus[asText(update['status']).toLowerCase()];
    if (!task || state === undefined) return;
    if (state !== 'pending' || task.state !== 'running') task.state = state;
    const result = asText(update['result']);
    task.summary ||= result;
    if (result.length > task.result.length) task.result = result;
    task.error ||= asText(update['error']);
  }

  private task(id: string, addedBy = this.parentOf(id)): Task {
    const known = this.tasks.get(id);
    if (known) return known;
    const task: Task = {
      id,
      description: '',
      state: 'pending',
      summary: '',
      result: '',
      error: '',
      startAt: null,
      endAt: null,
      addedBy,
      expanded: 0,
    };
    this.tasks.set(id, task);
    return task;
  }

  // The task whose expansion added an unplanned task: the one in its name, else the last expanded one.
  private parentOf(id: string): string {
    const named = kAddedName.exec(id)?.[1];
    if (named !== undefined && this.tasks.has(named)) return named;
    return this.tasks.has(this.lastExpanded) ? this.lastExpanded : '';
  }
}

function readEdge(value: unknown): Edge | null {
  const pair = Array.isArray(value) ? (value as unknown[]) : [asObject(value)['from'], asObject(value)['to']];
  const [from, to] = [asText(pair[0]), asText(pair[1])];
  return from === '' || to === '' || from === to ? null : [from, to];
}
