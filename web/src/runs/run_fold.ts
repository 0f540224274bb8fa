// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { asArray, asNumber, asText, isObject, type Json } from '@/wire/json';
import { GotDag } from './got_dag';
import { framesOf } from './parse';
import type { Frame, RunEvent } from './run_event';
import type {
  NodeItem,
  NodeState,
  OtherItem,
  RunItem,
  StartItem,
  TaskItem,
  TextItem,
  ThoughtsItem,
  UsagePoint,
} from './run_items';
import { StateHistory, type StateStep } from './state_history';
import { ToolCalls } from './tool_calls';
import { TotTree } from './tot_tree';

export type FoldPhase = 'empty' | 'running' | 'finished' | 'failed' | 'cancelled';

const kMaxAgentDepth = 8;
// Beginning of the exit text of a node that was stopped from outside; not an error of the node.
const kStoppedBy = /^(run )?(cancelled|interrupted)\b/i;
type Of<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;

// Folds the ordered frames of one run into the view of a page: items of the time line, tree of thoughts, plan,
// states, token usage. Never throws. settle() replaces changed items by new objects.
export class RunFold {
  readonly frames: Frame[] = [];
  readonly items: RunItem[] = [];
  readonly states = new StateHistory();
  readonly tot = new TotTree();
  readonly got = new GotDag();
  readonly usage: UsagePoint[] = [];
  readonly agents = new Map<string, RunFold>(); // sub-agents, by the key in their tool call
  phase: FoldPhase = 'empty';
  runId = '';
  agent = '';
  message = '';
  reply = '';
  error = '';
  firstAt: number | null = null;
  lastAt: number | null = null;
  version = 0;

  private receivedAt: number | null = null; // time of the previous frame
  private readonly dirty = new Set<number>();
  private readonly openNodes = new Map<string, number>(); // by node run, or by name if there is no envelope
  private readonly nodeRuns = new Map<string, number>(); // all, by the envelope's node_id
  private readonly openTexts = new Map<string, number>();
  private readonly tasks = new Map<string, number>();
  private readonly calls: ToolCalls;
  private thoughts = -1; // item of the newest expansion
  private lastNode = -1;
  private nodes = 0;
  private streamedText = ''; // text streamed so far, to detect a reply that repeats it

  constructor(private readonly depth = 0) {
    this.calls = new ToolCalls(
      this.items,
      (item) => this.add(item),
      (at) => this.touch(at),
    );
  }

  push(frame: Frame): void {
    this.frames.push(frame);
    this.version += 1;
    this.receivedAt = this.lastAt ?? frame.at;
    if (frame.at !== null) {
      this.firstAt ??= frame.at;
      this.lastAt = frame.at;
    }
    if (this.phase === 'empty' || frame.event.type === 'run_start' || frame.event.type === 'node_enter')
      this.phase = 'running';
    this.take(frame, frame.event);
  }

  // Replaces changed items by new objects, so that a page detects the changes.
  settle(): void {
    for (const at of this.dirty) {
      const item = this.items[at];
      if (item) this.items[at] = { ...item };
    }
    this.dirty.clear();
    for (const fold of this.agents.values()) fold.settle();
  }

  // True if a tool call waits for a person.
  get asking(): boolean {
    return this.phase === 'running' && this.calls.asking > 0;
  }

  private take(frame: Frame, event: RunEvent): void {
    switch (event.type) {
      case 'run_start':
        return this.runStart(frame, event);
      case 'node_enter':
        return this.nodeEnter(frame, event);
      case 'node_exit':
        return this.nodeExit(frame, event);
      case 'message_chunk':
        return this.text(frame, 'text', event.content, event.id);
      case 'thought_chunk':
        return this.text(frame, 'thought', event.content, event.id);
      case 'usage':
        return this.used(frame, event);
      case 'values':
        return this.stateTold(frame, event.state, {});
      case 'updates':
        return this.stateTold(frame, event.state, { node: event.id });
      case 'checkpoint':
        return this.stateTold(frame, event.state, {
          checkpointId: event.checkpointId,
          step: event.step,
          next: event.next,
        });
      case 'custom':
        return this.custom(frame, event);
      case 'tot_expand':
      case 'tot_evaluate':
      case 'tot_backtrack':
        return this.takeTot(frame, event);
      case 'got_plan':
      case 'got_node_start':
      case 'got_node_complete':
      case 'got_node_failed':
      case 'got_expand':
        return this.takeGot(frame, event);
      case 'tool_call_chunk':
      case 'tool_call':
      case 'tool_start':
      case 'tool_output':
      case 'tool_end':
      case 'tool_approval':
        return this.tool(frame, event);
      case 'reply':
        return this.ended(frame, event);
      case 'unknown':
        this.add({ ...this.place(frame), is: 'unknown', name: event.name, value: frame.raw } satisfies OtherItem);
    }
  }

  private add(item: RunItem): number {
    this.items.push(item);
    return this.items.length - 1;
  }

  private touch(at: number, frame = this.frames.length - 1): void {
    this.dirty.add(at);
    const frames = this.items[at]?.frames;
    if (frames && frames.at(-1) !== frame) frames.push(frame);
  }

  private place(frame: Frame) {
    const index = this.frames.length - 1;
    const node = this.nodeOf(frame);
    return {
      key: String(index),
      frames: [index],
      at: frame.at,
      endAt: null,
      node: node?.node ?? '',
      nodeId: frame.nodeId || (node?.nodeId ?? ''),
    };
  }

  // Index of the item of the node run to which a frame belongs.
  private nodeAt({ nodeId }: Frame): number {
    return (nodeId === '' ? undefined : this.nodeRuns.get(nodeId)) ?? this.lastNode;
  }

  private nodeOf(frame: Frame): NodeItem | null {
    const item = this.items[this.nodeAt(frame)];
    return item?.is === 'node' ? item : null;
  }

  private runStart(frame: Frame, event: Of<'run_start'>): void {
    const again = this.items.some((item) => item.is === 'start');
    if (again) this.leaveBehind();
    this.runId ||= event.runId;
    this.agent ||= event.agent;
    this.message ||= event.message;
    this.add({
      ...this.place(frame),
      node: '',
      is: 'start',
      message: event.message,
      agent: event.agent,
      again,
      inFlight: 0,
    } satisfies StartItem);
  }

  private nodeEnter(frame: Frame, { id }: Of<'node_enter'>): void {
    const key = frame.nodeId || id;
    // The same node again: its earlier run was interrupted with the run.
    if (this.openNodes.has(key)) this.endNode(key, 'stopped', '', frame.at);
    this.states.close();
    this.nodes += 1;
    const item: NodeItem = {
      ...this.place(frame),
      node: id,
      nodeId: frame.nodeId,
      is: 'node',
      number: this.nodes,
      state: 'running',
      error: '',
      usage: null,
      step: null,
      calls: [],
      task: '',
    };
    this.lastNode = this.add(item);
    this.openNodes.set(key, this.lastNode);
    if (frame.nodeId !== '') this.nodeRuns.set(frame.nodeId, this.lastNode);
  }

  private nodeExit(frame: Frame, { error, id }: Of<'node_exit'>): void {
    const key = this.openNodes.has(frame.nodeId) ? frame.nodeId : this.openByName(id);
    if (key === null) return;
    if (error !== null && kStoppedBy.test(error)) this.endNode(key, 'stopped', '', frame.at);
    else this.endNode(key, error === null ? 'done' : 'failed', error ?? '', frame.at);
  }

  private openByName(id: string): string | null {
    for (const [key, at] of this.openNodes) if (this.items[at]?.node === id) return key;
    return null;
  }

  private endNode(key: string, state: NodeState, error: string, at: number | null): void {
    const place = this.openNodes.get(key) ?? -1;
    const item = this.items[place];
    this.openNodes.delete(key);
    this.closeText(key);
    if (item?.is !== 'node') return;
    Object.assign(item, { state, error, endAt: at });
    this.touch(place);
  }

  private stopOpen(at: number | null): void {
    for (const key of [...this.openNodes.keys()]) this.endNode(key, 'stopped', '', at);
    for (const key of [...this.openTexts.keys()]) this.closeText(key);
    this.calls.stop(at);
  }

  // The run was resumed from before its open nodes: drops their texts, and ends them at the time of the last
  // frame before.
  private leaveBehind(): void {
    for (const place of this.openNodes.values()) this.takeBackFrom(place, this.items[place]?.nodeId ?? '');
    this.stopOpen(this.receivedAt);
  }

  private text(frame: Frame, is: 'text' | 'thought', content: string, id: string): void {
    if (is === 'text') this.streamedText += content;
    const place = this.place(frame);
    const key = place.nodeId || id;
    const open = this.openTexts.get(key) ?? -1;
    const item = this.items[open];
    if (item?.is === is) {
      item.text += content;
      item.endAt = frame.at;
      return this.touch(open);
    }
    this.closeText(key);
    const fresh: TextItem = { ...place, node: id || place.node, is, text: content, open: true, takenBack: false };
    this.openTexts.set(key, this.add(fresh));
  }

  private closeText(key: string): void {
    const at = this.openTexts.get(key);
    if (at === undefined) return;
    this.openTexts.delete(key);
    const item = this.items[at];
    if (item?.is !== 'text' && item?.is !== 'thought') return;
    item.open = false;
    this.dirty.add(at);
  }

  private used(frame: Frame, { completion, prompt, total }: Of<'usage'>): void {
    const node = this.nodeOf(frame);
    this.usage.push({
      frame: this.frames.length - 1,
      item: node?.key ?? '',
      node: node?.node ?? '',
      at: frame.at,
      prompt,
      completion,
      total,
    });
    if (!node) return;
    const before = node.usage ?? { prompt: 0, completion: 0, total: 0 };
    node.usage = {
      prompt: before.prompt + prompt,
      completion: before.completion + completion,
      total: before.total + total,
    };
    this.touch(this.nodeAt(frame));
  }

  private stateTold(frame: Frame, state: unknown, what: Partial<StateStep>): void {
    const node = this.nodeOf(frame);
    const index = this.frames.length - 1;
    this.states.tell(state, {
      frame: index,
      node: node?.node ?? '',
      nodeId: frame.nodeId,
      checkpointId: '',
      step: null,
      next: '',
      at: frame.at,
      ...what,
    });
    this.tot.update(state, index);
    if (this.got.update(state)) {
      for (const id of this.tasks.keys()) this.copyTask(id);
    }
    if (!node) return;
    node.step = this.states.steps.length - 1;
    // In a stream without times only checkpoints have them.
    if (node.endAt === null && node.state !== 'running' && frame.at !== null) node.endAt = frame.at;
    this.touch(this.nodeAt(frame));
  }

  private takeTot(frame: Frame, event: Of<'tot_expand' | 'tot_evaluate' | 'tot_backtrack'>): void {
    const index = this.frames.length - 1;
    if (event.type === 'tot_expand') {
      const thoughts = this.tot.expand(event.candidates, index);
      const item: ThoughtsItem = {
        ...this.place(frame),
        is: 'thoughts',
        thoughts,
        texts: event.candidates,
        scores: thoughts.map(() => null),
        chosen: null,
      };
      this.thoughts = this.add(item);
    } else if (event.type === 'tot_evaluate') {
      this.judge(frame, event);
    } else {
      this.tot.backtrack(event.reason, event.toDepth, index);
      const thought = this.tot.backtracks.at(-1)?.from ?? null;
      this.add({ ...this.place(frame), is: 'backtrack', reason: event.reason, toDepth: event.toDepth, thought });
    }
  }

  private judge(frame: Frame, { chosen, scores }: Of<'tot_evaluate'>): void {
    const keys = this.tot.evaluate(chosen, scores, this.frames.length - 1);
    const item = this.items[this.thoughts];
    if (item?.is === 'thoughts' && item.chosen === null && keys[0] === item.thoughts[0]) {
      Object.assign(item, { scores: [...scores], chosen, endAt: frame.at });
      return this.touch(this.thoughts);
    }
    // After a backtrack, candidates of an earlier expansion are judged again.
    const texts = keys.map((key) => this.tot.thoughts[key]?.text ?? '');
    this.add({ ...this.place(frame), is: 'thoughts', thoughts: keys, texts, scores: [...scores], chosen });
  }

  private takeGot(
    frame: Frame,
    event: Of<'got_plan' | 'got_node_start' | 'got_node_complete' | 'got_node_failed' | 'got_expand'>,
  ): void {
    switch (event.type) {
      case 'got_plan':
        this.got.plan(event.nodeIds);
        this.add({ ...this.place(frame), is: 'plan', ids: event.nodeIds, edges: event.edgeCount });
        return;
      case 'got_node_start':
        this.got.start(event.id, frame.at);
        break;
      case 'got_node_complete':
        this.got.complete(event.id, event.summary, frame.at);
        break;
      case 'got_node_failed':
        this.got.fail(event.id, event.error, frame.at);
        break;
      case 'got_expand':
        this.got.expand(event.id, event.nodesAdded);
        this.add({
          ...this.place(frame),
          is: 'expansion',
          id: event.id,
          nodes: event.nodesAdded,
          edges: event.edgesAdded,
        });
        return;
    }
    this.showTask(frame, event.id);
  }

  private showTask(frame: Frame, id: string): void {
    const known = this.tasks.get(id);
    if (known === undefined) {
      const item: TaskItem = {
        ...this.place(frame),
        is: 'task',
        id,
        description: '',
        state: 'pending',
        summary: '',
        error: '',
      };
      this.tasks.set(id, this.add(item));
    } else {
      this.touch(known);
    }
    this.copyTask(id);
  }

  private copyTask(id: string): void {
    const at = this.tasks.get(id) ?? -1;
    const item = this.items[at];
    const task = this.got.tasks.get(id);
    if (item?.is !== 'task' || !task) return;
    const { description, endAt, error, state, summary } = task;
    Object.assign(item, { description, endAt, error, state, summary });
    this.dirty.add(at);
  }

  private tool(
    frame: Frame,
    event: Of<'tool_call_chunk' | 'tool_call' | 'tool_start' | 'tool_output' | 'tool_end' | 'tool_approval'>,
  ): void {
    const place = this.place(frame);
    this.closeText(place.nodeId);
    if (event.type === 'tool_start') this.states.close();
    const at = this.calls.take(event, place);
    if (event.type === 'tool_end') this.endAgents(at, frame.at);
    const tool = this.items[at];
    const node = this.nodeOf(frame);
    if (tool && node && !node.calls.includes(tool.key)) {
      node.calls = [...node.calls, tool.key];
      this.dirty.add(this.nodeAt(frame));
    }
  }

  private custom(frame: Frame, { value }: Of<'custom'>): void {
    if (isObject(value) && isObject(value['event']) && this.depth < kMaxAgentDepth) {
      const name = asText(value['sub_agent']);
      const callId = asText(value['call_id']);
      const [inner] = name === '' ? [] : framesOf(value['event']);
      if (inner)
        return this.agentSaid(
          frame,
          { name, callId, index: asNumber(value['index']) ?? 0 },
          { ...inner, at: inner.at ?? frame.at },
        );
    }
    if (isObject(value) && Array.isArray(value['notices'])) {
      this.add({
        ...this.place(frame),
        is: 'custom',
        name: 'notices',
        value: value['notices'].filter((it) => typeof it === 'string'),
      } satisfies OtherItem);
      return;
    }
    const [name, body] = noteOf(value);
    if (name === 'got_task') return this.taskOfNode(frame, body);
    if (name === 'model_retry') this.takeBack(frame);
    if (name === 'resumed') return this.resumed(frame, body);
    this.add({ ...this.place(frame), is: 'custom', name, value: name === '' ? value : body } satisfies OtherItem);
  }

  // Reads the task of a node from the note at its beginning.
  private taskOfNode(frame: Frame, update: Json): void {
    const at = this.nodeAt({ ...frame, nodeId: asText(update['node_id']) || frame.nodeId });
    const node = this.items[at];
    if (node?.is !== 'node') return;
    node.task = asText(update['task']);
    this.touch(at);
  }

  // The model is called again: drops the text that this node run has streamed.
  private takeBack(frame: Frame): void {
    const nodeId = this.place(frame).nodeId;
    this.takeBackFrom(Math.max(0, this.nodeAt(frame)), nodeId);
    this.closeText(nodeId);
    this.calls.takeBack(nodeId);
  }

  private takeBackFrom(from: number, nodeId: string): void {
    for (let at = from; at < this.items.length; at += 1) {
      const item = this.items[at];
      if (!item || item.nodeId !== nodeId || (item.is !== 'text' && item.is !== 'thought')) continue;
      item.takenBack = true;
      if (item.is === 'text') this.streamedText = '';
      this.dirty.add(at);
    }
  }

  private resumed(frame: Frame, update: Json): void {
    this.leaveBehind();
    this.phase = 'running';
    const inFlight = asArray(update['in_flight']).length;
    this.add({
      ...this.place(frame),
      node: '',
      is: 'start',
      message: '',
      agent: this.agent,
      again: true,
      inFlight,
    } satisfies StartItem);
  }

  private agentSaid(
    frame: Frame,
    { callId, index, name }: { callId: string; index: number; name: string },
    inner: Frame,
  ): void {
    this.answered(frame, inner);
    const at = this.calls.ofAgent(callId, this.place(frame));
    const tool = this.items[at];
    if (tool?.is !== 'tool') return;
    const key = `${tool.key}/${index}/${name}`;
    const fold = this.agents.get(key) ?? new RunFold(this.depth + 1);
    this.agents.set(key, fold);
    const used = fold.usage.length;
    fold.push(inner);
    for (const point of fold.usage.slice(used))
      this.usage.push({ ...point, frame: this.frames.length - 1, item: tool.key, node: name });
    const running = fold.phase === 'running';
    const known = tool.agents.find((it) => it.key === key);
    if (known?.running !== running) {
      tool.agents = known
        ? tool.agents.map((it) => (it.key === key ? { ...it, running } : it))
        : [...tool.agents, { key, name, running }];
    }
    this.touch(at);
  }

  // Questions of a sub-agent are shown here too; their outcome is only in the sub-agent's events.
  private answered(frame: Frame, { event }: Frame): void {
    if (event.type !== 'tool_start' && event.type !== 'tool_end') return;
    if (this.calls.isOpen(event.callId)) this.calls.take(event, this.place(frame));
  }

  // Ends the sub-agents of an ended call, for which there is no event.
  private endAgents(at: number, time: number | null): void {
    const tool = this.items[at];
    if (tool?.is !== 'tool' || tool.agents.length === 0) return;
    for (const { key } of tool.agents) this.agents.get(key)?.close(time);
    tool.agents = tool.agents.map((it) => ({ ...it, running: false }));
    this.dirty.add(at);
  }

  private close(at: number | null): void {
    this.stopOpen(at);
    if (this.phase === 'running') this.phase = 'finished';
    this.version += 1;
  }

  private ended(frame: Frame, event: Of<'reply'>): void {
    this.stopOpen(frame.at);
    this.reply = event.reply;
    this.error = event.error;
    this.phase = event.error !== '' ? 'failed' : event.stopReason === 'cancelled' ? 'cancelled' : 'finished';
    const isStreamed = event.reply.trim() !== '' && this.streamedText.trimEnd().endsWith(event.reply.trim());
    const { error, reasoning, reply: text, stopReason } = event;
    this.add({ ...this.place(frame), is: 'reply', text, reasoning, error, stopReason, isStreamed });
  }
}

// Name and body of a note of the runtime, an object with one member: {"model_retry":{...}}.
function noteOf(value: unknown): [name: string, body: Json] {
  const [entry, ...more] = isObject(value) ? Object.entries(value) : [];
  return entry && more.length === 0 && isObject(entry[1]) ? [entry[0], entry[1]] : ['', {}];
}
