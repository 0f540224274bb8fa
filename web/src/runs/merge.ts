// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { asObject, isObject } from '@/wire/json';
import { sameJson } from './json_diff';
import type { Frame } from './run_event';

// What is odd in a stream. Only what is 'wrong' breaks a rule; the rest is worth a word.
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
  runId: string; // '' if nothing says
  frames: Frame[];
}

export interface Merged {
  runs: Stretch[];
  findings: Finding[];
}

// Puts frames that came in any order, some of them twice, into the order in which they happened, and
// cuts them into runs. Frames of a session are told apart by event_id; one without stays behind the
// frame that it followed.
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

// Some writers name another session in the reply than in the events before it: such a reply belongs
// to the run that it ends.
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

// Some writers that were killed give numbers anew that they had not stored. Where a `resumed` takes
// the number of another frame, that frame is void, and so is what stands before it and is not smaller.
function withoutVoid(frames: readonly Frame[]): readonly Frame[] {
  if (!frames.some(isResumed)) return frames;
  let kept: Frame[] = [];
  for (const frame of frames) {
    const { eventId } = frame;
    const there = eventId !== null && isResumed(frame) ? kept.find((it) => it.eventId === eventId) : undefined;
    if (there && !sameJson(there.raw, frame.raw)) kept = kept.filter((it) => it.eventId === null || it.eventId < (eventId ?? 0));
    kept.push(frame);
  }
  return kept;
}

const isResumed = ({ event }: Frame): boolean => event.type === 'custom' && isObject(asObject(event.value)['resumed']);

interface Numbered {
  frame: Frame;
  order: number; // event_id, or that of the frame before
  line: number;
}

function inOrder(session: string, frames: readonly Frame[], findings: Finding[]): Frame[] {
  let order = -1;
  let highest = -1;
  const numbered = frames.map((frame, line): Numbered => {
    if (frame.eventId !== null) {
      const before = order;
      order = frame.eventId;
      if (order < highest && before >= 0 && order < before) findings.push({ is: 'backwards', session, eventId: order, after: before });
      highest = Math.max(highest, order);
    }
    return { frame, order, line };
  });
  // Without envelope only the order of lines is left.
  numbered.sort((a, b) => a.order - b.order || a.line - b.line);
  const kept: Frame[] = [];
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
    kept.push(frame);
  }
  return kept;
}

// Some writers let the reply and what follows it share a number.
function differsAsReply(a: Frame, b: Frame): boolean {
  return (a.event.type === 'reply') !== (b.event.type === 'reply');
}

// A run_start begins another run, unless it names the one that goes on: that was taken up again.
function runsOf(session: string, frames: readonly Frame[]): Stretch[] {
  const runs: Stretch[] = [];
  let current: Stretch | null = null;
  for (const frame of frames) {
    const runId = frame.event.type === 'run_start' ? frame.event.runId : null;
    if (current === null || (runId !== null && (runId === '' || (current.runId !== runId)))) {
      current = { session, runId: runId ?? '', frames: [] };
      runs.push(current);
    }
    current.frames.push(frame);
  }
  return runs;
}
