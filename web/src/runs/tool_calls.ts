// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { RunEvent } from './run_event';
import type { RunItem, ToolItem, ToolPhase } from './run_items';
import type { SceneMark } from './scene';

type ToolEvent = Extract<RunEvent, { callId: string }>;
type Place = Pick<ToolItem, 'key' | 'frames' | 'at' | 'endAt' | 'node' | 'nodeId'>;

// True if a person is asked: for approval, or by the agent's own question in the inbox.
export function asksPerson({ name, phase }: Pick<ToolItem, 'name' | 'phase'>): boolean {
  return phase === 'asking' || (phase === 'running' && name === 'ask_question');
}

const kMarks: Readonly<Record<ToolPhase, SceneMark>> = {
  writing: 'running',
  called: 'pending',
  asking: 'asking',
  running: 'running',
  done: 'done',
  failed: 'failed',
  stopped: 'stopped',
};

export const toolMark = (tool: Pick<ToolItem, 'name' | 'phase'>): SceneMark =>
  asksPerson(tool) ? 'asking' : kMarks[tool.phase];

const kOver: readonly ToolPhase[] = ['done', 'failed', 'stopped'];

// A call in a run that is not live: an open call counts as stopped, without an event.
export function leftOpen(tool: ToolItem): ToolItem {
  return kOver.includes(tool.phase) ? tool : { ...tool, phase: 'stopped' };
}

// Follows each tool call through its events. A call is found by its id; without an id by its name, or as the
// one that is being written. The id of an ended call identifies a new call.
export class ToolCalls {
  private readonly byId = new Map<string, number>();
  private readonly open = new Set<number>();

  constructor(
    private readonly items: RunItem[],
    private readonly add: (item: ToolItem) => number,
    private readonly touch: (at: number) => void,
  ) {}

  // Number of calls that wait for a person.
  get asking(): number {
    let count = 0;
    for (const at of this.open) {
      const tool = this.tool(at);
      if (tool && asksPerson(tool)) count += 1;
    }
    return count;
  }

  // Applies an event; returns the index of the call's item.
  take(event: ToolEvent, place: Place): number {
    const at = this.find(event) ?? this.make(event.callId, event.name, place);
    const item = this.tool(at);
    if (item) this.change(at, item, event, place.at);
    this.touch(at);
    return at;
  }

  isOpen(callId: string): boolean {
    const at = callId === '' ? undefined : this.byId.get(callId);
    return at !== undefined && this.open.has(at);
  }

  // Index of the item of the call in which a sub-agent runs.
  ofAgent(callId: string, place: Place): number {
    const known = this.byId.get(callId);
    if (callId !== '' && known !== undefined) return known;
    const running = [...this.open].findLast((at) => this.tool(at)?.name === 'invoke_agent');
    return (callId === '' ? running : undefined) ?? this.make(callId, 'invoke_agent', place);
  }

  stop(at: number | null): void {
    for (const place of this.open) {
      const item = this.tool(place);
      if (item) Object.assign(item, { phase: 'stopped', endAt: at });
      this.touch(place);
    }
    this.open.clear();
  }

  // Drops the calls that a node was writing.
  takeBack(nodeId: string): void {
    for (const at of [...this.open]) {
      const item = this.tool(at);
      if (item?.phase !== 'writing' || item.nodeId !== nodeId) continue;
      item.phase = 'stopped';
      this.open.delete(at);
      this.touch(at);
    }
  }

  private tool(at: number): ToolItem | null {
    const item = this.items[at];
    return item?.is === 'tool' ? item : null;
  }

  private find(event: ToolEvent): number | null {
    const known = event.callId === '' ? undefined : this.byId.get(event.callId);
    if (known !== undefined) {
      const begins = event.type === 'tool_call' || event.type === 'tool_call_chunk';
      if (this.open.has(known) || !begins) return known;
      return null;
    }
    const fits = [...this.open].filter((at) => this.fits(at, event));
    // The newest is the one being written; of equal calls the oldest ends first.
    return (event.type === 'tool_call_chunk' ? fits.at(-1) : fits[0]) ?? null;
  }

  private fits(at: number, { callId, name, type }: ToolEvent): boolean {
    const item = this.tool(at);
    if (!item || (callId !== '' && item.callId !== '')) return false;
    if (type === 'tool_call_chunk')
      return item.phase === 'writing' && (name === '' || name === item.name) && callId === '';
    if (item.name !== '' && item.name !== name) return false;
    return type === 'tool_call' ? item.phase === 'writing' : true;
  }

  private make(callId: string, name: string, place: Place): number {
    const item: ToolItem = {
      ...place,
      is: 'tool',
      callId,
      name,
      written: '',
      args: undefined,
      phase: 'writing',
      asked: false,
      explanation: null,
      startAt: null,
      output: '',
      result: '',
      raw: null,
      agents: [],
    };
    const at = this.add(item);
    if (callId !== '') this.byId.set(callId, at);
    this.open.add(at);
    return at;
  }

  private change(at: number, item: ToolItem, event: ToolEvent, time: number | null): void {
    item.name ||= event.name;
    if (item.callId === '' && event.callId !== '') {
      item.callId = event.callId;
      this.byId.set(event.callId, at);
    }
    switch (event.type) {
      case 'tool_call_chunk':
        item.written += event.delta;
        break;
      case 'tool_call':
        item.args = event.arguments;
        if (item.phase === 'writing') item.phase = 'called';
        break;
      case 'tool_approval':
        item.args ??= event.arguments;
        item.phase = 'asking';
        item.asked = true;
        item.explanation = event.explanation;
        break;
      case 'tool_start':
        this.open.add(at);
        item.phase = 'running';
        item.startAt = time;
        break;
      case 'tool_output':
        item.output += event.content;
        break;
      case 'tool_end':
        Object.assign(item, {
          phase: event.isError ? 'failed' : 'done',
          result: event.result,
          raw: event.raw,
          endAt: time,
        });
        this.open.delete(at);
    }
    if (kOver.includes(item.phase)) this.open.delete(at);
  }
}
