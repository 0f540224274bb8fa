// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { layoutDag } from './dag_layout';
import type { GotDag } from './got_dag';
import type { NodeItem, RunItem, ToolItem } from './run_items';
import type { Box, Scene, SceneEdge, SceneNode } from './scene';
import { asksPerson, toolMark } from './tool_calls';
import type { Thought, TotTree } from './tot_tree';

const kMargin = 16;
type NodeParts = Omit<SceneNode, 'note' | 'badge' | 'chip' | 'added' | 'item'> & Partial<SceneNode>;

function node(parts: NodeParts): SceneNode {
  return { note: '', badge: '', chip: false, added: false, item: '', ...parts };
}

function boxAround(...points: readonly (readonly [number, number])[]): Box {
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  return { x1: Math.min(...xs), y1: Math.min(...ys), x2: Math.max(...xs), y2: Math.max(...ys) };
}

function sized(nodes: SceneNode[], edges: SceneEdge[], across = false): Scene {
  const width = Math.max(0, ...nodes.map(({ w, x }) => x + w), ...edges.map(({ box }) => box.x2));
  const height = Math.max(0, ...nodes.map(({ h, y }) => y + h), ...edges.map(({ box }) => box.y2));
  return { nodes, edges, width: width + kMargin, height: height + kMargin, across };
}

const kFlow = { w: 168, h: 40, gap: 20, chipW: 204, chipH: 28, chipGap: 6, chipX: 44 } as const;

// The node runs of a run in a column, each with the tool calls that ran in it.
export function flowScene(items: readonly RunItem[], objectOf: (tool: ToolItem) => string): Scene {
  const tools = new Map(items.filter((item) => item.is === 'tool').map((item) => [item.key, item]));
  const runs = items.filter((item) => item.is === 'node');
  const shownAt = lastPlaces(runs);
  const nodes: SceneNode[] = [];
  const edges: SceneEdge[] = [];
  const x = kMargin + 20;
  let y = kMargin;
  let above: SceneNode | null = null;
  for (const run of runs) {
    const calls = run.calls.filter((key) => shownAt.get(key) === run.key).flatMap((key) => tools.get(key) ?? []);
    const asking = calls.some(asksPerson);
    const box = node({
      key: run.key,
      x,
      y,
      w: kFlow.w,
      h: kFlow.h,
      title: run.node,
      note: run.task,
      mark: asking ? 'asking' : run.state,
      badge: `${run.number}`,
      item: run.key,
    });
    nodes.push(box);
    if (above) edges.push(downEdge(above, box));
    addChips(box, calls, objectOf, nodes, edges);
    const chips = calls.length * (kFlow.chipH + kFlow.chipGap) - kFlow.chipGap;
    y += Math.max(kFlow.h, chips) + kFlow.gap;
    above = box;
  }
  return sized(nodes, edges);
}

// The node of each call. A call that is made in one node and runs in another is drawn at the last one.
function lastPlaces(runs: readonly NodeItem[]): Map<string, string> {
  const places = new Map<string, string>();
  for (const run of runs) for (const key of run.calls) places.set(key, run.key);
  return places;
}

function downEdge(from: SceneNode, to: SceneNode): SceneEdge {
  const x = from.x + from.w / 2;
  const y1 = from.y + from.h;
  return {
    key: `${from.key}>${to.key}`,
    path: `M${x} ${y1}V${to.y}`,
    is: 'flow',
    label: '',
    box: boxAround([x, y1], [x, to.y]),
  };
}

function addChips(
  box: SceneNode,
  calls: readonly ToolItem[],
  objectOf: (tool: ToolItem) => string,
  nodes: SceneNode[],
  edges: SceneEdge[],
): void {
  calls.forEach((call, at) => {
    const x = box.x + box.w + kFlow.chipX;
    const y = box.y + (kFlow.h - kFlow.chipH) / 2 + at * (kFlow.chipH + kFlow.chipGap);
    const object = objectOf(call);
    const title = object === '' ? call.name : `${call.name} ${object}`;
    const chip = node({
      key: call.key,
      x,
      y,
      w: kFlow.chipW,
      h: kFlow.chipH,
      title,
      mark: toolMark(call),
      chip: true,
      item: call.key,
    });
    nodes.push(chip);
    const [x1, y1, y2] = [box.x + box.w, box.y + kFlow.h / 2, y + kFlow.chipH / 2];
    const middle = x1 + kFlow.chipX / 2;
    const path = at === 0 ? `M${x1} ${y1}H${x}` : `M${middle} ${y1}V${y2}H${x}`;
    edges.push({ key: `${box.key}>${call.key}`, path, is: 'faint', label: '', box: boxAround([x1, y1], [x, y2]) });
  });
}

// Converts (aside, ahead) to coordinates, for a picture that is drawn downwards or across.
type At = (aside: number, ahead: number) => readonly [x: number, y: number];
const kDown: At = (aside, ahead) => [aside, ahead];
const kAcross: At = (aside, ahead) => [ahead, aside];
const words = ([x, y]: readonly [number, number]) => `${x} ${y}`;

const kTree = { w: 140, h: 62, gap: 10, aheadDown: 40, aheadAcross: 44 } as const;
export const kRootKey = 'root';

// The tree of thoughts, one row per depth (one column, if drawn across); abandoned branches keep their place.
export function treeScene(
  tot: TotTree,
  task: string,
  itemOf: (thought: Thought) => string,
  wordsOf: (text: string) => string = (text) => text,
  across = false,
): Scene {
  const keyOf = (thought: number | null) => (thought === null ? kRootKey : `t${thought}`);
  const rows = rowsOfTree(tot);
  const most = Math.max(...rows.map((row) => row.length));
  const room = kTree.gap + (across ? kTree.h : kTree.w);
  const step = across ? kTree.w + kTree.aheadAcross : kTree.h + kTree.aheadDown;
  const point = across ? kAcross : kDown;
  const middle = kMargin + (most * room - kTree.gap) / 2;
  const place = new Map(
    rows.flatMap((row) => row.map((key, at) => [key, middle + (at - row.length / 2) * room + kTree.gap / 2] as const)),
  );
  const box = (thought: number | null, depth: number) => {
    const [x, y] = point(place.get(thought) ?? kMargin, kMargin + depth * step);
    return { key: keyOf(thought), x, y, w: kTree.w, h: kTree.h };
  };
  const followed = new Set(tot.path);
  const nodes: SceneNode[] = [node({ ...box(null, 0), title: task, mark: 'chosen' })];
  const edges: SceneEdge[] = [];
  const boxes = new Map<number | null, SceneNode>([[null, nodes[0] as SceneNode]]);
  for (const thought of tot.thoughts) {
    const badge = thought.score === null ? '' : thought.score.toFixed(2);
    const made = node({
      ...box(thought.key, thought.depth),
      title: wordsOf(thought.text),
      mark: thought.state,
      badge,
      item: itemOf(thought),
    });
    nodes.push(made);
    boxes.set(thought.key, made);
    const parent = boxes.get(thought.parent);
    if (parent) edges.push(branch(parent, made, followed.has(thought.key) ? 'flow' : 'faint', across));
  }
  tot.backtracks.forEach(({ from, to }, at) => {
    const [start, end] = [boxes.get(from), boxes.get(to)];
    if (start && end && start !== end) edges.push(backEdge(start, end, at + 1, across));
  });
  return sized(nodes, edges, across);
}

// The thoughts of each depth, in the order of their parents, so that no two branches cross.
function rowsOfTree(tot: TotTree): (number | null)[][] {
  const children = new Map<number | null, number[]>();
  for (const { key, parent } of tot.thoughts) children.set(parent, [...(children.get(parent) ?? []), key]);
  const rows: (number | null)[][] = [[null]];
  for (let row = rows[0] ?? []; row.length > 0;) {
    row = row.flatMap((key) => children.get(key) ?? []);
    if (row.length > 0) rows.push(row);
  }
  return rows;
}

// Position and size of a box, aside and ahead.
function turned(
  { h, w, x, y }: SceneNode,
  across: boolean,
): { aside: number; ahead: number; broad: number; deep: number } {
  return across ? { aside: y, ahead: x, broad: h, deep: w } : { aside: x, ahead: y, broad: w, deep: h };
}

function branch(from: SceneNode, to: SceneNode, is: SceneEdge['is'], across: boolean): SceneEdge {
  const [a, b] = [turned(from, across), turned(to, across)];
  const [s1, a1, s2, a2] = [a.aside + a.broad / 2, a.ahead + a.deep, b.aside + b.broad / 2, b.ahead];
  const at = across ? kAcross : kDown;
  const middle = (a1 + a2) / 2;
  const path = `M${words(at(s1, a1))}C${words(at(s1, middle))} ${words(at(s2, middle))} ${words(at(s2, a2))}`;
  return { key: `${from.key}>${to.key}`, path, is, label: '', box: boxAround(at(s1, a1), at(s2, a2)) };
}

// The line from an abandoned thought back to the thought at which the search continued.
function backEdge(from: SceneNode, to: SceneNode, number: number, across: boolean): SceneEdge {
  const [a, b] = [turned(from, across), turned(to, across)];
  const before = a.aside + a.broad / 2 <= b.aside + b.broad / 2;
  const side = (box: typeof a) => (before ? box.aside : box.aside + box.broad);
  const [s1, a1, s2, a2] = [side(a), a.ahead + a.deep / 2, side(b), b.ahead + b.deep / 2];
  const around = before ? Math.min(s1, s2) - 14 : Math.max(s1, s2) + 14;
  const at = across ? kAcross : kDown;
  const path = `M${words(at(s1, a1))}C${words(at(around, a1))} ${words(at(around, a2))} ${words(at(s2, a2))}`;
  return {
    key: `back${number}`,
    path,
    is: 'back',
    label: `${number}`,
    box: boxAround(at(s1, a1), at(s2, a2), at(around, a1)),
  };
}

const kDag = { w: 158, h: 60, gap: 16, aheadDown: 44, aheadAcross: 40, lane: 24 } as const;

// The tasks of a plan that wait for a person.
export function askingTasks(items: readonly RunItem[]): Set<string> {
  const asking = new Set(items.flatMap((item) => (item.is === 'tool' && asksPerson(item) ? [item.key] : [])));
  return new Set(
    items.flatMap((item) =>
      item.is === 'node' && item.task !== '' && item.calls.some((key) => asking.has(key)) ? [item.task] : [],
    ),
  );
}

// The plan, each task below its dependencies, or to the right of them if drawn across.
export function dagScene(
  got: GotDag,
  itemOf: (id: string) => string,
  across = false,
  asking: ReadonlySet<string> = new Set(),
): Scene {
  const ids = [...got.tasks.keys()];
  const [broad, deep, ahead] = across ? [kDag.h, kDag.w, kDag.aheadAcross] : [kDag.w, kDag.h, kDag.aheadDown];
  const at = across ? kAcross : kDown;
  const layout = layoutDag(ids, got.edges, { node: broad + kDag.gap, lane: kDag.lane });
  const start = (layer: number) => kMargin + layer * (deep + ahead);
  const centre = (x: number) => kMargin + x - kDag.gap / 2;
  const layers = new Map(layout.nodes.map(({ id, layer }) => [id, layer]));
  const nodes = layout.nodes.map(({ id, layer, x }) => {
    const task = got.tasks.get(id);
    const [left, top] = at(centre(x) - broad / 2, start(layer));
    return node({
      key: id,
      x: left,
      y: top,
      w: kDag.w,
      h: kDag.h,
      title: task?.description || id,
      note: task?.description ? id : '',
      mark: task?.state === 'running' && asking.has(id) ? 'asking' : (task?.state ?? 'pending'),
      added: task?.addedBy !== '',
      badge: task && task.expanded > 0 ? `+${task.expanded}` : '',
      item: itemOf(id),
    });
  });
  const edges = layout.edges.map(({ back, from, to, xs }): SceneEdge => {
    const first = layers.get(from) ?? 0;
    const ends = back
      ? [start(first) + deep / 2, start(layers.get(to) ?? 0) + deep / 2]
      : xs.map((_, passed) => start(first + passed));
    const path = back ? curve(xs.map(centre), ends, broad, at) : throughLayers(xs.map(centre), ends, deep, at);
    const box = boxAround(...xs.map((x, passed) => at(centre(x), ends[passed] ?? 0)));
    return { key: `${from}>${to}`, path, is: back ? 'back' : 'flow', label: '', box };
  });
  return sized(nodes, edges, across);
}

// The path from the end of the first box through the layers between to the start of the last box.
function throughLayers(sides: readonly number[], starts: readonly number[], deep: number, at: At): string {
  let path = `M${words(at(sides[0] ?? 0, (starts[0] ?? 0) + deep))}`;
  for (let layer = 1; layer < sides.length; layer += 1) {
    const [s1, s2, a1, a2] = [
      sides[layer - 1] ?? 0,
      sides[layer] ?? 0,
      (starts[layer - 1] ?? 0) + deep,
      starts[layer] ?? 0,
    ];
    const middle = (a1 + a2) / 2;
    path += `C${words(at(s1, middle))} ${words(at(s2, middle))} ${words(at(s2, a2))}`;
    if (layer < sides.length - 1) path += `L${words(at(s2, a2 + deep))}`;
  }
  return path;
}

function curve(sides: readonly number[], places: readonly number[], broad: number, at: At): string {
  const [s1, s2, a1, a2] = [sides[0] ?? 0, sides.at(-1) ?? 0, places[0] ?? 0, places.at(-1) ?? 0];
  const around = Math.max(s1, s2) + broad;
  return `M${words(at(s1, a1))}C${words(at(around, a1))} ${words(at(around, a2))} ${words(at(s2, a2))}`;
}
