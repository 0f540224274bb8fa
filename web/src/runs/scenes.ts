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

function sized(nodes: SceneNode[], edges: SceneEdge[]): Scene {
  const width = Math.max(0, ...nodes.map(({ w, x }) => x + w), ...edges.map(({ box }) => box.x2));
  const height = Math.max(0, ...nodes.map(({ h, y }) => y + h), ...edges.map(({ box }) => box.y2));
  return { nodes, edges, width: width + kMargin, height: height + kMargin };
}

const kFlow = { w: 168, h: 40, gap: 20, chipW: 204, chipH: 28, chipGap: 6, chipX: 44 } as const;

// The node runs of a run, one below the other, each with the tool calls that ran in it.
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
    const box = node({ key: run.key, x, y, w: kFlow.w, h: kFlow.h, title: run.node, note: run.task, mark: asking ? 'asking' : run.state, badge: `${run.number}`, item: run.key });
    nodes.push(box);
    if (above) edges.push(downEdge(above, box));
    addChips(box, calls, objectOf, nodes, edges);
    const chips = calls.length * (kFlow.chipH + kFlow.chipGap) - kFlow.chipGap;
    y += Math.max(kFlow.h, chips) + kFlow.gap;
    above = box;
  }
  return sized(nodes, edges);
}

// A call is made in one node and runs in another: it is drawn once, where it was last.
function lastPlaces(runs: readonly NodeItem[]): Map<string, string> {
  const places = new Map<string, string>();
  for (const run of runs) for (const key of run.calls) places.set(key, run.key);
  return places;
}

function downEdge(from: SceneNode, to: SceneNode): SceneEdge {
  const x = from.x + from.w / 2;
  const y1 = from.y + from.h;
  return { key: `${from.key}>${to.key}`, path: `M${x} ${y1}V${to.y}`, is: 'flow', label: '', box: boxAround([x, y1], [x, to.y]) };
}

function addChips(box: SceneNode, calls: readonly ToolItem[], objectOf: (tool: ToolItem) => string, nodes: SceneNode[], edges: SceneEdge[]): void {
  calls.forEach((call, at) => {
    const x = box.x + box.w + kFlow.chipX;
    const y = box.y + (kFlow.h - kFlow.chipH) / 2 + at * (kFlow.chipH + kFlow.chipGap);
    const object = objectOf(call);
    const title = object === '' ? call.name : `${call.name} ${object}`;
    const chip = node({ key: call.key, x, y, w: kFlow.chipW, h: kFlow.chipH, title, mark: toolMark(call), chip: true, item: call.key });
    nodes.push(chip);
    const [x1, y1, y2] = [box.x + box.w, box.y + kFlow.h / 2, y + kFlow.chipH / 2];
    const middle = x1 + kFlow.chipX / 2;
    const path = at === 0 ? `M${x1} ${y1}H${x}` : `M${middle} ${y1}V${y2}H${x}`;
    edges.push({ key: `${box.key}>${call.key}`, path, is: 'faint', label: '', box: boxAround([x1, y1], [x, y2]) });
  });
}

const kTree = { w: 140, h: 62, gapX: 10, gapY: 40 } as const;
export const kRootKey = 'root';

// The tree of thoughts, a row for each depth; abandoned branches stay where they were.
export function treeScene(tot: TotTree, task: string, itemOf: (thought: Thought) => string, wordsOf: (text: string) => string = (text) => text): Scene {
  const keyOf = (thought: number | null) => (thought === null ? kRootKey : `t${thought}`);
  const rows = rowsOfTree(tot);
  const most = Math.max(...rows.map((row) => row.length));
  const middle = kMargin + (most * (kTree.w + kTree.gapX) - kTree.gapX) / 2;
  const place = new Map(rows.flatMap((row) => row.map((key, at) => [key, middle + (at - row.length / 2) * (kTree.w + kTree.gapX) + kTree.gapX / 2] as const)));
  const box = (thought: number | null, depth: number) => ({ key: keyOf(thought), x: place.get(thought) ?? kMargin, y: kMargin + depth * (kTree.h + kTree.gapY), w: kTree.w, h: kTree.h });
  const followed = new Set(tot.path);
  const nodes: SceneNode[] = [node({ ...box(null, 0), title: task, mark: 'chosen' })];
  const edges: SceneEdge[] = [];
  const boxes = new Map<number | null, SceneNode>([[null, nodes[0] as SceneNode]]);
  for (const thought of tot.thoughts) {
    const badge = thought.score === null ? '' : thought.score.toFixed(2);
    const made = node({ ...box(thought.key, thought.depth), title: wordsOf(thought.text), mark: thought.state, badge, item: itemOf(thought) });
    nodes.push(made);
    boxes.set(thought.key, made);
    const parent = boxes.get(thought.parent);
    if (parent) edges.push(branch(parent, made, followed.has(thought.key) ? 'flow' : 'faint'));
  }
  tot.backtracks.forEach(({ from, to }, at) => {
    const [start, end] = [boxes.get(from), boxes.get(to)];
    if (start && end && start !== end) edges.push(backEdge(start, end, at + 1));
  });
  return sized(nodes, edges);
}

// The thoughts of each depth, in the order of their parents, so that no two branches cross.
function rowsOfTree(tot: TotTree): (number | null)[][] {
  const children = new Map<number | null, number[]>();
  for (const { key, parent } of tot.thoughts) children.set(parent, [...(children.get(parent) ?? []), key]);
  const rows: (number | null)[][] = [[null]];
  for (let row = rows[0] ?? []; row.length > 0; ) {
    row = row.flatMap((key) => children.get(key) ?? []);
    if (row.length > 0) rows.push(row);
  }
  return rows;
}

function branch(from: SceneNode, to: SceneNode, is: SceneEdge['is']): SceneEdge {
  const [x1, y1, x2, y2] = [from.x + from.w / 2, from.y + from.h, to.x + to.w / 2, to.y];
  const middle = (y1 + y2) / 2;
  return { key: `${from.key}>${to.key}`, path: `M${x1} ${y1}C${x1} ${middle} ${x2} ${middle} ${x2} ${y2}`, is, label: '', box: boxAround([x1, y1], [x2, y2]) };
}

// From the side of a thought that was left, around it, up to where the search went on.
function backEdge(from: SceneNode, to: SceneNode, number: number): SceneEdge {
  const left = from.x + from.w / 2 <= to.x + to.w / 2;
  const side = (box: SceneNode) => (left ? box.x : box.x + box.w);
  const [x1, y1, x2, y2] = [side(from), from.y + from.h / 2, side(to), to.y + to.h / 2];
  const aside = left ? Math.min(x1, x2) - 14 : Math.max(x1, x2) + 14;
  const path = `M${x1} ${y1}C${aside} ${y1} ${aside} ${y2} ${x2} ${y2}`;
  return { key: `back${number}`, path, is: 'back', label: `${number}`, box: boxAround([x1, y1], [x2, y2], [aside, y1]) };
}

const kDag = { w: 158, h: 60, gapX: 16, gapY: 44, lane: 24 } as const;

// The plan, each task below what it depends on.
export function dagScene(got: GotDag, itemOf: (id: string) => string): Scene {
  const ids = [...got.tasks.keys()];
  const layout = layoutDag(ids, got.edges, { node: kDag.w + kDag.gapX, lane: kDag.lane });
  const top = (layer: number) => kMargin + layer * (kDag.h + kDag.gapY);
  const centre = (x: number) => kMargin + x - kDag.gapX / 2;
  const layers = new Map(layout.nodes.map(({ id, layer }) => [id, layer]));
  const nodes = layout.nodes.map(({ id, layer, x }) => {
    const task = got.tasks.get(id);
    return node({
      key: id, x: centre(x) - kDag.w / 2, y: top(layer), w: kDag.w, h: kDag.h, title: task?.description || id,
      note: task?.description ? id : '', mark: task?.state ?? 'pending', added: task?.addedBy !== '', badge: task && task.expanded > 0 ? `+${task.expanded}` : '', item: itemOf(id),
    });
  });
  const edges = layout.edges.map(({ back, from, to, xs }): SceneEdge => {
    const first = layers.get(from) ?? 0;
    const ends = back ? [top(first) + kDag.h / 2, top(layers.get(to) ?? 0) + kDag.h / 2] : xs.map((_, at) => top(first + at));
    const path = back ? curve(xs.map(centre), ends) : throughLayers(xs.map(centre), ends);
    const box = boxAround(...xs.map((x, at) => [centre(x), ends[at] ?? 0] as const));
    return { key: `${from}>${to}`, path, is: back ? 'back' : 'flow', label: '', box };
  });
  return sized(nodes, edges);
}

// A line from below the first box, past the layers between, to the top of the last box.
function throughLayers(xs: readonly number[], tops: readonly number[]): string {
  let path = `M${xs[0] ?? 0} ${(tops[0] ?? 0) + kDag.h}`;
  for (let at = 1; at < xs.length; at += 1) {
    const [x1, x2, y1, y2] = [xs[at - 1] ?? 0, xs[at] ?? 0, (tops[at - 1] ?? 0) + kDag.h, tops[at] ?? 0];
    const middle = (y1 + y2) / 2;
    path += `C${x1} ${middle} ${x2} ${middle} ${x2} ${y2}`;
    if (at < xs.length - 1) path += `V${y2 + kDag.h}`;
  }
  return path;
}

function curve(xs: readonly number[], ys: readonly number[]): string {
  const [x1, x2, y1, y2] = [xs[0] ?? 0, xs.at(-1) ?? 0, ys[0] ?? 0, ys.at(-1) ?? 0];
  const aside = Math.max(x1, x2) + kDag.w;
  return `M${x1} ${y1}C${aside} ${y1} ${aside} ${y2} ${x2} ${y2}`;
}
