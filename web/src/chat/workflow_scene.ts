// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { NodeChange, NodeValue, Workflow, WorkflowNode } from './workflow';

// A drawing of a workflow, in its own coordinates.
export interface DrawnNode {
  id: string;
  title: string;
  type: string;
  x: number;
  y: number;
  w: number;
  h: number;
  values: readonly NodeValue[]; // those that fit
  off: boolean;
  mark: NodeChange['is'] | '';
}

export interface DrawnLink {
  key: string;
  path: string;
  kind: LinkKind;
  changed: boolean;
}

export type LinkKind = 'model' | 'clip' | 'vae' | 'latent' | 'image' | 'conditioning' | 'other';

export interface WorkflowScene {
  nodes: DrawnNode[];
  links: DrawnLink[];
  width: number;
  height: number;
  across: boolean;
}

export const kTitleHeight = 30;
export const kRowHeight = 20;
const kWidth = 220;
const kGapX = 72;
const kGapY = 28;
const kMargin = 24;
const kMaxRows = 6;

const kKinds: Readonly<Record<string, LinkKind>> = {
  MODEL: 'model',
  CLIP: 'clip',
  VAE: 'vae',
  LATENT: 'latent',
  IMAGE: 'image',
  MASK: 'image',
  CONDITIONING: 'conditioning',
};

// Probable type of an input by its name: the API form has no types.
const kOfName: Readonly<Record<string, LinkKind>> = {
  model: 'model',
  clip: 'clip',
  vae: 'vae',
  samples: 'latent',
  latent_image: 'latent',
  image: 'image',
  images: 'image',
  pixels: 'image',
  positive: 'conditioning',
  negative: 'conditioning',
};

export function linkKind(type: string, input: string): LinkKind {
  const kinds = type === '' ? kOfName : kKinds;
  const key = type === '' ? input : type;
  return Object.hasOwn(kinds, key) ? (kinds[key] ?? 'other') : 'other';
}

// The column of each node: one more than the greatest column of its sources. Loops are cut.
export function columnsOf(nodes: readonly WorkflowNode[]): Map<string, number> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const columns = new Map<string, number>();
  const open = new Set<string>();
  const visit = (start: string): void => {
    const stack = [{ id: start, next: 0 }];
    open.add(start);
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const feeds = (byId.get(top.id)?.links ?? []).map(({ from }) => from).filter((id) => byId.has(id));
      const next = feeds.slice(top.next).findIndex((id) => !columns.has(id) && !open.has(id));
      if (next >= 0) {
        const id = feeds[top.next + next] ?? '';
        top.next += next + 1;
        open.add(id);
        stack.push({ id, next: 0 });
        continue;
      }
      columns.set(top.id, Math.max(-1, ...feeds.map((id) => columns.get(id) ?? -1)) + 1);
      open.delete(top.id);
      stack.pop();
    }
  };
  for (const { id } of nodes) if (!columns.has(id)) visit(id);
  return columns;
}

const heightOf = (node: WorkflowNode) =>
  kTitleHeight + Math.max(1, Math.min(kMaxRows, node.values.length)) * kRowHeight + 8;

type Place = NonNullable<WorkflowNode['place']>;

function layered(nodes: readonly WorkflowNode[]): Map<string, Place> {
  const columns = columnsOf(nodes);
  const bottoms: number[] = [];
  const places = new Map<string, Place>();
  for (const node of nodes) {
    const column = columns.get(node.id) ?? 0;
    const y = bottoms[column] ?? 0;
    const h = heightOf(node);
    places.set(node.id, { x: column * (kWidth + kGapX), y, w: kWidth, h });
    bottoms[column] = y + h + kGapY;
  }
  return places;
}

// Positions of the file if it has all of them; removed nodes keep their last position.
function placesOf(nodes: readonly WorkflowNode[]): Map<string, Place> {
  const placed = nodes.flatMap(({ id, place }) => (place ? [[id, place] as const] : []));
  return placed.length === nodes.length && placed.length > 0 ? new Map(placed) : layered(nodes);
}

function drawn(node: WorkflowNode, place: Place, mark: DrawnNode['mark']): DrawnNode {
  const rows = Math.max(0, Math.min(kMaxRows, Math.floor((place.h - kTitleHeight - 4) / kRowHeight)));
  return {
    id: node.id,
    title: node.title,
    type: node.type,
    ...place,
    values: node.values.slice(0, rows),
    off: node.off,
    mark,
  };
}

function curve(from: DrawnNode, to: DrawnNode, output: number, input: number): string {
  const row = (node: DrawnNode, at: number) =>
    node.y + kTitleHeight / 2 + Math.min(Math.max(0, node.h - kTitleHeight), at * 14);
  const [x1, y1, x2, y2] = [from.x + from.w, row(from, output), to.x, row(to, input)];
  const bend = Math.max(30, Math.abs(x2 - x1) / 2);
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}

export function drawWorkflow(
  now: Workflow,
  before: Workflow | null,
  marks: ReadonlyMap<string, NodeChange['is']>,
  changes: readonly NodeChange[],
): WorkflowScene {
  const removed = (before?.nodes ?? []).filter(({ id }) => marks.get(id) === 'removed');
  const all = [...now.nodes, ...removed];
  const places = placesOf(all);
  const left = Math.min(...[...places.values()].map(({ x }) => x)) - kMargin;
  const top = Math.min(...[...places.values()].map(({ y }) => y)) - kMargin;
  const nodes = all.flatMap((node) => {
    const place = places.get(node.id);
    return place ? [drawn(node, { ...place, x: place.x - left, y: place.y - top }, marks.get(node.id) ?? '')] : [];
  });
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const touched = new Set(changes.map(({ input, node }) => `${node} ${input}`));
  const links = now.nodes.flatMap((node) =>
    node.links.flatMap((link, at): DrawnLink[] => {
      const [from, to] = [byId.get(link.from), byId.get(node.id)];
      if (!from || !to) return [];
      const output = Number(link.output);
      const key = `${node.id} ${link.name}`;
      return [
        {
          key,
          path: curve(from, to, Number.isInteger(output) ? output : 0, at),
          kind: linkKind(link.type, link.name),
          changed: touched.has(key) || marks.get(node.id) === 'added',
        },
      ];
    }),
  );
  const width = Math.max(0, ...nodes.map(({ w, x }) => x + w)) + kMargin;
  const height = Math.max(0, ...nodes.map(({ h, y }) => y + h)) + kMargin;
  return { nodes, links, width, height, across: width > height };
}
