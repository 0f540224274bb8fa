// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { Edge } from './got_dag';

export interface PlacedNode {
  id: string;
  layer: number;
  x: number; // of its centre
}

export interface PlacedEdge {
  from: string;
  to: string;
  back: boolean; // closes a cycle; drawn against the direction
  xs: number[]; // x in each layer that it passes, from the first to the last
}

export interface DagLayout {
  nodes: PlacedNode[];
  edges: PlacedEdge[];
  layers: number;
  width: number;
}

export interface DagSpacing {
  node: number; // width of a node, with its gap
  lane: number; // width of a passing line
}

interface Cell {
  key: string; // of a node, or of a line that passes
  id: string; // '' for a line
  layer: number;
  room: number;
  up: Cell[];
  down: Cell[];
  x: number;
}

const kSweeps = 8;

// Layered layout (Sugiyama) of a graph: each node is below its dependencies; lines are short and have few
// crossings. For the few dozen nodes of a plan. Cycles are allowed.
export function layoutDag(ids: readonly string[], edges: readonly Edge[], spacing: DagSpacing): DagLayout {
  const known = new Set(ids);
  const valid = uniqueEdges(edges).filter(([from, to]) => known.has(from) && known.has(to) && from !== to);
  const back = backEdges(ids, valid);
  const forward = valid.filter((edge) => !back.has(edge));
  const layerOf = layersOf(ids, forward);
  const { cells, lines } = cellsOf(ids, forward, layerOf, spacing);
  const rows = rowsOf(cells);
  orderRows(rows);
  placeRows(rows);
  const centre = new Map(cells.filter(({ id }) => id !== '').map((cell) => [cell.id, cell]));
  const all = valid.map((edge): PlacedEdge => {
    const [from, to] = edge;
    const passed = lines.get(edge)?.map(({ x }) => x) ?? [];
    return { from, to, back: back.has(edge), xs: [centre.get(from)?.x ?? 0, ...passed, centre.get(to)?.x ?? 0] };
  });
  const width = Math.max(0, ...cells.map(({ room, x }) => x + room / 2));
  const nodes = ids.map((id) => ({ id, layer: layerOf.get(id) ?? 0, x: centre.get(id)?.x ?? 0 }));
  return { nodes, edges: all, layers: rows.length, width };
}

function uniqueEdges(edges: readonly Edge[]): Edge[] {
  return [...new Map(edges.map((edge) => [JSON.stringify(edge), edge])).values()];
}

// Edges that close a cycle, found by depth-first search.
function backEdges(ids: readonly string[], edges: readonly Edge[]): Set<Edge> {
  const out = new Map<string, Edge[]>();
  for (const edge of edges) out.set(edge[0], [...(out.get(edge[0]) ?? []), edge]);
  const state = new Map<string, 'on' | 'done'>();
  const back = new Set<Edge>();
  for (const root of ids) {
    const walk: { id: string; next: number }[] = state.has(root) ? [] : [{ id: root, next: 0 }];
    if (walk.length > 0) state.set(root, 'on');
    for (let top = walk.at(-1); top; top = walk.at(-1)) {
      const edge = out.get(top.id)?.[top.next];
      top.next += 1;
      if (!edge) {
        state.set(top.id, 'done');
        walk.pop();
      } else if (state.get(edge[1]) === 'on') {
        back.add(edge);
      } else if (!state.has(edge[1])) {
        state.set(edge[1], 'on');
        walk.push({ id: edge[1], next: 0 });
      }
    }
  }
  return back;
}

// The layer of each node: the length of the longest path to it.
function layersOf(ids: readonly string[], edges: readonly Edge[]): Map<string, number> {
  const waits = new Map(ids.map((id) => [id, 0]));
  for (const [, to] of edges) waits.set(to, (waits.get(to) ?? 0) + 1);
  const layers = new Map(ids.map((id) => [id, 0]));
  const ready = ids.filter((id) => waits.get(id) === 0);
  for (let id = ready.shift(); id !== undefined; id = ready.shift()) {
    for (const [from, to] of edges) {
      if (from !== id) continue;
      layers.set(to, Math.max(layers.get(to) ?? 0, (layers.get(id) ?? 0) + 1));
      const left = (waits.get(to) ?? 0) - 1;
      waits.set(to, left);
      if (left === 0) ready.push(to);
    }
  }
  return layers;
}

function cellsOf(ids: readonly string[], edges: readonly Edge[], layerOf: Map<string, number>, spacing: DagSpacing) {
  const make = (key: string, id: string, layer: number, room: number): Cell => ({
    key,
    id,
    layer,
    room,
    up: [],
    down: [],
    x: 0,
  });
  const cells = ids.map((id) => make(id, id, layerOf.get(id) ?? 0, spacing.node));
  const byId = new Map(cells.map((cell) => [cell.id, cell]));
  const lines = new Map<Edge, Cell[]>();
  for (const edge of edges) {
    const passed: Cell[] = [];
    let above = byId.get(edge[0]);
    const last = layerOf.get(edge[1]) ?? 0;
    for (let layer = (above?.layer ?? 0) + 1; above && layer <= last; layer += 1) {
      const below: Cell | undefined =
        layer === last ? byId.get(edge[1]) : make(`${edge[0]}\n${edge[1]}\n${layer}`, '', layer, spacing.lane);
      if (!below) break;
      if (below.id === '') passed.push(below);
      above.down.push(below);
      below.up.push(above);
      above = below;
    }
    cells.push(...passed);
    lines.set(edge, passed);
  }
  return { cells, lines };
}

function rowsOf(cells: readonly Cell[]): Cell[][] {
  const rows: Cell[][] = [];
  for (const cell of cells) (rows[cell.layer] ??= []).push(cell);
  return rows;
}

// Orders the cells of each row by the mean of their neighbours, downwards and upwards, and keeps the order
// with the fewest crossings.
function orderRows(rows: Cell[][]): void {
  let best = rows.map((row) => [...row]);
  let least = crossings(rows);
  for (let sweep = 0; sweep < kSweeps && least > 0; sweep += 1) {
    const down = sweep % 2 === 0;
    for (let at = 1; at < rows.length; at += 1) {
      const layer = down ? at : rows.length - 1 - at;
      const row = rows[layer];
      const fixed = rows[down ? layer - 1 : layer + 1];
      if (row && fixed) sortByNeighbours(row, fixed, down);
    }
    const count = crossings(rows);
    if (count < least) [best, least] = [rows.map((row) => [...row]), count];
  }
  best.forEach((row, at) => {
    rows[at] = row;
  });
}

function sortByNeighbours(row: Cell[], fixed: readonly Cell[], down: boolean): void {
  const place = new Map(fixed.map((cell, at) => [cell, at]));
  const wanted = new Map(
    row.map((cell, at) => {
      const near = (down ? cell.up : cell.down).map((it) => place.get(it) ?? 0);
      return [cell, near.length === 0 ? at : near.reduce((sum, it) => sum + it, 0) / near.length];
    }),
  );
  row.sort((a, b) => (wanted.get(a) ?? 0) - (wanted.get(b) ?? 0));
}

function crossings(rows: readonly Cell[][]): number {
  let count = 0;
  for (let layer = 0; layer + 1 < rows.length; layer += 1) {
    const below = new Map((rows[layer + 1] ?? []).map((cell, at) => [cell, at]));
    const ends = (rows[layer] ?? []).flatMap((cell) => cell.down.map((it) => below.get(it) ?? 0).sort((a, b) => a - b));
    for (let a = 0; a < ends.length; a += 1) {
      for (let b = a + 1; b < ends.length; b += 1) if ((ends[a] ?? 0) > (ends[b] ?? 0)) count += 1;
    }
  }
  return count;
}

// Moves the cells of each row towards their neighbours, within their order and room.
function placeRows(rows: readonly Cell[][]): void {
  for (const row of rows) {
    let left = 0;
    for (const cell of row) {
      cell.x = left + cell.room / 2;
      left += cell.room;
    }
  }
  for (let sweep = 0; sweep < kSweeps; sweep += 1) {
    const down = sweep % 2 === 0;
    for (const row of down ? rows : [...rows].reverse()) {
      const wanted = row.map((cell) => {
        const near = (down ? cell.up : cell.down).map(({ x }) => x);
        return near.length === 0 ? cell.x : near.reduce((sum, x) => sum + x, 0) / near.length;
      });
      spread(
        wanted,
        row.map(({ room }) => room),
      ).forEach((x, at) => {
        const cell = row[at];
        if (cell) cell.x = x;
      });
    }
  }
  const all = rows.flat();
  const least = Math.min(...all.map(({ room, x }) => x - room / 2));
  if (Number.isFinite(least)) for (const cell of all) cell.x -= least;
}

// The positions nearest to the wanted ones (least squares) that keep the order and the room of each cell.
export function spread(wanted: readonly number[], rooms: readonly number[]): number[] {
  const offsets: number[] = [];
  let offset = 0;
  rooms.forEach((room, at) => {
    if (at > 0) offset += ((rooms[at - 1] ?? 0) + room) / 2;
    offsets.push(offset);
  });
  const blocks: { sum: number; count: number }[] = [];
  wanted.forEach((x, at) => {
    let block = { sum: x - (offsets[at] ?? 0), count: 1 };
    for (let last = blocks.at(-1); last && last.sum / last.count > block.sum / block.count; last = blocks.at(-1)) {
      block = { sum: last.sum + block.sum, count: last.count + block.count };
      blocks.pop();
    }
    blocks.push(block);
  });
  const places = blocks.flatMap(({ count, sum }) => Array.from({ length: count }, () => sum / count));
  return places.map((x, at) => x + (offsets[at] ?? 0));
}
