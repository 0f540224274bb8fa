// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { RunItem, TokenUse, UsagePoint } from './run_items';

export function totalUse(points: readonly TokenUse[]): TokenUse {
  const total = { prompt: 0, completion: 0, total: 0 };
  for (const point of points) {
    total.prompt += point.prompt;
    total.completion += point.completion;
    total.total += point.total;
  }
  return total;
}

export interface TokenBar extends TokenUse {
  from: number; // number of the first model call in the bar, from 1
  to: number;
  item: string; // key of the node of the first call
  node: string;
}

// One bar per model call; more than `most` calls are grouped into equal parts.
export function tokenBars(points: readonly UsagePoint[], most: number): TokenBar[] {
  const each = Math.max(1, Math.ceil(points.length / Math.max(1, most)));
  const bars: TokenBar[] = [];
  for (let at = 0; at < points.length; at += each) {
    const part = points.slice(at, at + each);
    bars.push({
      ...totalUse(part),
      from: at + 1,
      to: at + part.length,
      item: part[0]?.item ?? '',
      node: part[0]?.node ?? '',
    });
  }
  return bars;
}

export interface TimeSum {
  is: 'node' | 'tool' | 'task';
  name: string;
  count: number;
  ms: number; // total
  longest: number;
  item: string; // key of the longest
}

// Total times of nodes, tools and tasks, longest first. Items without times are omitted.
export function timeSums(items: readonly RunItem[]): TimeSum[] {
  const sums = new Map<string, TimeSum>();
  for (const item of items) {
    if (item.is !== 'node' && item.is !== 'tool' && item.is !== 'task') continue;
    const begun = item.is === 'tool' ? item.startAt : item.at;
    if (begun === null || item.endAt === null || item.endAt < begun) continue;
    const name = item.is === 'node' ? item.node : item.is === 'tool' ? item.name : item.id;
    const ms = item.endAt - begun;
    const key = `${item.is} ${name}`;
    const sum = sums.get(key) ?? { is: item.is, name, count: 0, ms: 0, longest: -1, item: item.key };
    sums.set(key, {
      ...sum,
      count: sum.count + 1,
      ms: sum.ms + ms,
      longest: Math.max(ms, sum.longest),
      item: ms > sum.longest ? item.key : sum.item,
    });
  }
  return [...sums.values()].sort((a, b) => b.ms - a.ms);
}

export interface TimeSpan {
  is: TimeSum['is'];
  name: string;
  item: string;
  from: number; // Unix ms
  to: number; // for running items, the newest known time
  lane: number;
}

const kMostSpans = 400;
const kKinds = ['node', 'task', 'tool'] as const;

// Time spans of nodes, tasks and tools, in lanes without overlaps, nodes first. Of very many only the longest.
export function timeSpans(items: readonly RunItem[], newest: number | null): TimeSpan[] {
  const all = items.flatMap((item): TimeSpan[] => {
    if (item.is !== 'node' && item.is !== 'tool' && item.is !== 'task') return [];
    const from = item.is === 'tool' ? item.startAt : item.at;
    const goesOn = item.is === 'tool' ? item.phase === 'running' : item.state === 'running';
    const to = item.endAt ?? (goesOn ? newest : null);
    if (from === null || to === null || to < from) return [];
    const name = item.is === 'node' ? item.node : item.is === 'tool' ? item.name : item.id;
    return [{ is: item.is, name, item: item.key, from, to, lane: 0 }];
  });
  const longest = [...all].sort((a, b) => b.to - b.from - (a.to - a.from)).slice(0, kMostSpans);
  let first = 0;
  for (const is of kKinds) first += putInLanes(longest.filter((span) => span.is === is).sort(inTurn), first);
  return longest.sort((a, b) => a.lane - b.lane || a.from - b.from);
}

// Order by start; at the same start, spans without duration first, then longer ones.
function inTurn(a: TimeSpan, b: TimeSpan): number {
  const isShort = (span: TimeSpan) => (span.to === span.from ? 0 : 1);
  return a.from - b.from || isShort(a) - isShort(b) || b.to - a.to;
}

// Assigns lanes from `first` on; returns the number of lanes.
function putInLanes(spans: readonly TimeSpan[], first: number): number {
  const ends: number[] = [];
  for (const span of spans) {
    const free = ends.findIndex((end) => end <= span.from);
    const lane = free < 0 ? ends.length : free;
    ends[lane] = span.to;
    span.lane = first + lane;
  }
  return ends.length;
}
