// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { visibleText } from '@/text/visible_text';

export type SceneMark =
  | 'pending'
  | 'running'
  | 'asking'
  | 'done'
  | 'failed'
  | 'stopped' // of nodes, tools and tasks
  | 'open'
  | 'chosen'
  | 'passed'
  | 'abandoned'; // of thoughts

// A picture of a run, in its own coordinates: boxes and lines.
export interface SceneNode {
  key: string;
  x: number; // of the upper left corner
  y: number;
  w: number;
  h: number;
  title: string; // cut when drawn
  note: string; // one short line below it
  mark: SceneMark;
  badge: string; // a score
  chip: boolean; // small: a tool call beside its node
  added: boolean; // by an expansion
  item: string; // key of the item with details; '': none
}

export interface SceneEdge {
  key: string;
  path: string;
  is: 'flow' | 'faint' | 'loop' | 'back';
  label: string;
  box: Box;
}

export interface Box {
  x1: number;
  y1: number;
  x2: number;
  y2: number;
}

export interface Scene {
  nodes: SceneNode[];
  edges: SceneEdge[];
  width: number;
  height: number;
  across: boolean; // from left to right instead of downwards
}

// The scale, at most 1, at which the whole picture fits into a frame.
export function wholeScale(
  { height, width }: Pick<Scene, 'width' | 'height'>,
  frame: { width: number; height: number },
): number {
  return Math.min(1, frame.width / Math.max(1, width), frame.height / Math.max(1, height));
}

const kLargeEnough = 0.85;
const kClearlyLarger = 1.15;

// The picture drawn downwards, or across if that is clearly larger in the frame. A picture that was drawn across
// stays so unless the other is clearly larger.
export function fittingScene(
  draw: (across: boolean) => Scene,
  frame: { width: number; height: number },
  wasAcross: boolean,
): Scene {
  const down = draw(false);
  const scale = wholeScale(down, frame);
  if (!wasAcross && scale >= kLargeEnough) return down;
  const across = draw(true);
  const ratio = wholeScale(across, frame) / scale;
  return ratio > (wasAcross ? 1 / kClearlyLarger : kClearlyLarger) ? across : down;
}

// The picture of a run that is not live: running and asking boxes become stopped.
export function atRest(scene: Scene): Scene {
  const nodes = scene.nodes.map((node) =>
    node.mark === 'running' || node.mark === 'asking' ? { ...node, mark: 'stopped' as const } : node,
  );
  return { ...scene, nodes };
}

export const kEmptyScene: Scene = { nodes: [], edges: [], width: 0, height: 0, across: false };

export function overlaps(a: Box, b: Box): boolean {
  return a.x1 <= b.x2 && b.x1 <= a.x2 && a.y1 <= b.y2 && b.y1 <= a.y2;
}

// Position and size of a box.
export type Place = Pick<SceneNode, 'x' | 'y' | 'w' | 'h'>;

export const boxOf = ({ h, w, x, y }: Place): Box => ({ x1: x, y1: y, x2: x + w, y2: y + h });

export type Direction = 'up' | 'down' | 'left' | 'right';

// The nearest box in a direction; boxes straight ahead are preferred.
export function neighbour<T extends Place>(nodes: readonly T[], from: T, direction: Direction): T | null {
  const upright = direction === 'up' || direction === 'down';
  const sign = direction === 'down' || direction === 'right' ? 1 : -1;
  const centre = (node: T) => ({ x: node.x + node.w / 2, y: node.y + node.h / 2 });
  const here = centre(from);
  let best: T | null = null;
  let least = Infinity;
  for (const node of nodes) {
    if (node === from) continue;
    const there = centre(node);
    const ahead = sign * (upright ? there.y - here.y : there.x - here.x);
    const aside = Math.abs(upright ? there.x - here.x : there.y - here.y);
    if (ahead <= 1 || aside > ahead * 4 + 400) continue;
    const cost = ahead + 2 * aside;
    if (cost < least) [best, least] = [node, cost];
  }
  return best;
}

// Approximate width of a text, in units of its font size; East Asian wide characters count 1.
export function textWidth(text: string): number {
  let width = 0;
  for (const letter of text) {
    const code = letter.codePointAt(0) ?? 0;
    if (code >= 0x1100 && !(code >= 0x2000 && code <= 0x2e7f)) width += 1;
    else if (/[ilj.,:;'|!()[\]]/.test(letter)) width += 0.32;
    else if (/[mwMW@%]/.test(letter)) width += 0.86;
    else if (/[A-Z]/.test(letter)) width += 0.68;
    else width += 0.56;
  }
  return width;
}

// The visible form of a text in at most `lines` lines of a width (in units of the font size); ends in … if cut.
export function fitLines(text: string, width: number, lines: number): string[] {
  const seen = visibleText(text.slice(0, 400)).replace(/\s+/g, ' ').trim();
  const words = seen.match(/[\u2e80-\uffef]|[^\s\u2e80-\uffef]+\s?|\s/gu) ?? [];
  const found: string[] = [];
  let line = '';
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (textWidth((line + word).trimEnd()) <= width) {
      line += word;
      continue;
    }
    if (found.length + 1 === lines) return [...found, cut(line + words.slice(at).join(''), width)];
    if (line !== '') {
      found.push(line.trimEnd());
      line = '';
      at -= 1;
    } else {
      const part = longestStart(word, width);
      found.push(part);
      words[at] = word.slice(part.length);
      at -= 1;
    }
  }
  if (line.trim() !== '') found.push(line.trimEnd());
  return found;
}

function longestStart(word: string, width: number): string {
  let part = '';
  for (const letter of word) {
    if (part !== '' && textWidth(part + letter) > width) return part;
    part += letter;
  }
  return part;
}

function cut(text: string, width: number): string {
  if (textWidth(text.trimEnd()) <= width) return text.trimEnd();
  return `${longestStart(text, width - 0.9).trimEnd()}…`;
}
