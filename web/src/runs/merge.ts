// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { asObject, isObject } from '@/wire/json';
import { sameJson } from './json_diff';
import type { Frame } from './run_event';

// A finding in a stream. Only 'wrong' ones break a rule; the others are notes.
export type Finding =
  | { is: 'unreadable' | 'noFrame'; line: number }
  | { is: 'unknown'; name: string; count: number; line: number }
  | { is: 'gap'; session: string; from: number; to: number }
  | { is: 'repeated' | 'conflict'; session: string; eventId: number }
  | { is: 'backwards'; session: string; eventId: number; after: number }
  | { is: 'noNumbers'; count: number }
  | { is: 'noStart' | 'noEnd'; run: number };

export const kNotes: readonly Finding['is'][] = ['gap', 'noNumbers', 'noStart', 'noEnd'];

export interface Stretch {
  session: string;
  runId: string; // '': unknown
  frames: Frame[];
}

export interface Merged {
  runs: Stretch[];
  findings: Finding[];
}

// Orders frames that arrived in any order, possibly twice, and splits them into runs. Frames of a session are
// identified by event_id; a frame without one stays behind its predecessor.
export function mergeFrames(frames: readonly Frame[]): Merged {
  const findings: Finding[] = [];
  const sessions = bySession(frames);
  const runs: Stretch[] = [];
  let unnumbered = 0;
  for (const [session, list] of sessions) {
    unnumbered += list.filter((frame) => frame.eventId === null).length;
    for (const run of runsOf(session, inOrder(session, withoutVoid(list), findings))) runs.push(run);
  }
  if (unnumbered > 0) findings.push({ is: 'noNumbers', count: unnumbered });
  runs.forEach(({ frames: list }, at) => {
    if (list[0]?.event.type !== 'run_start') findings.push({ is: 'noStart', run: at + 1 });
    if (!list.some(({ event }) => event.type === 'reply')) findings.push({ is: 'noEnd', run: at + 1 });
  });
  return { runs, findings };
}

// Frames by session. Some writers give the reply another session than its events: such a reply is put into
// the session of the frame before it.
function bySession(frames: readonly Frame[]): Map<string, Frame[]> {
  const named = new Set(frames.filter(({ event }) => event.type !== 'reply').map(({ session }) => session));
  const sessions = new Map<string, Frame[]>();
  let last = frames.find(({ session }) => session !== '')?.session ?? '';
  for (const frame of frames) {
    const stray = frame.session === '' || (frame.event.type === 'reply' && !named.has(frame.session));
    last = stray ? last : frame.session;
    const list = sessions.get(last);
    if (list) list.push(frame);
    else sessions.set(last, [frame]);
  }
  return sessions;
}

// Some killed writers reuse numbers of frames that they had not stored. If a `resumed` frame has the number of
// an earlier frame, all earlier frames with that number or a greater one are dropped.
function withoutVoid(frames: readonly Frame[]): readonly Frame[] {
  if (!frames.some(isResumed)) return frames;
  let merged: Frame[] = [];
  for (const frame of frames) {
    const { eventId } = frame;
    const there = eventId !== null && isResumed(frame) ? merged.find((it) => it.eventId === eventId) : undefined;
    if (there && !sameJson(there.raw, frame.raw))
      merged = merged.filter((it) => it.eventId === null || it.eventId < (eventId ?? 0));
    merged.push(frame);
  }
  return merged;
}

const isResumed = ({ event }: Frame): boolean => event.type === 'custom' && isObject(asObject(event.value)['resumed']);

interface Numbered {
  frame: Frame;
  order: number; // event_id, or that of the previous frame
  line: number;
}

function inOrder(session: string, frames: readonly Frame[], findings: Finding[]): Frame[] {
  let order = -1;
  let highest = -1;
  const numbered = frames.map((frame, line): Numbered => {
    if (frame.eventId !== null) {
      const before = order;
      order = frame.eventId;
      if (order < highest && before >= 0 && order < before)
        findings.push({ is: 'backwards', session, eventId: order, after: before });
      highest = Math.max(highest, order);
    }
    return { frame, order, line };
  });
  // Frames without an event_id keep the order of their lines.
  numbered.sort((a, b) => a.order - b.order || a.line - b.line);
  const merged: Frame[] = [];
  let last: Frame | null = null;
  for (const { frame } of numbered) {
    if (last !== null && frame.eventId !== null && frame.eventId === last.eventId && !differsAsReply(frame, last)) {
      findings.push({ is: sameJson(frame.raw, last.raw) ? 'repeated' : 'conflict', session, eventId: frame.eventId });
      continue;
    }
    if (frame.eventId !== null) {
      if (last?.eventId != null && frame.eventId > last.eventId + 1) {
        findings.push({ is: 'gap', session, from: last.eventId + 1, to: frame.eventId - 1 });
      }
      last = frame;
    }
    merged.push(frame);
  }
  return merged;
}

// Some writers give the reply and the next frame the same number.
function differsAsReply(a: Frame, b: Frame): boolean {
  return (a.event.type === 'reply') !== (b.event.type === 'reply');
}

// Splits at each run_start, unless it has the id of the current run, which was resumed.
function runsOf(session: string, frames: readonly Frame[]): Stretch[] {
  const runs: Stretch[] = [];
  let current: Stretch | null = null;
  for (const frame of frames) {
    const runId = frame.event.type === 'run_start' ? frame.event.runId : null;
    if (current === null || (runId !== null && (runId === '' || current.runId !== runId))) {
      current = { session, runId: runId ?? '', frames: [] };
      runs.push(current);
    }
    current.frames.push(frame);
  }
  return runs;
}
