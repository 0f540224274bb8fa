// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The envelopes that a host reads and writes. Written ones are built field by field, so that they contain no
// data of the engine or the backend that is not named here.
import { compactHistory } from './compact_history';
import type { ChangeSource, HostState } from './host_engine';
import type { ErrorCode, HistoryEntry, UiSpec } from '@/stage/ui_spec';

export const kVersion = 'mvp-0.2';

export interface Envelope {
  type: string;
  id?: unknown; // of any JSON type; returned unchanged
  replyTo?: unknown;
  payload: Record<string, unknown>;
}

// Ids of the study kit with which the host page opens a study.
export interface StudyLabels {
  studyId?: string;
  participantId?: string;
  condition?: string;
  scenario?: string;
}

export function parseEnvelope(text: string): Envelope | undefined {
  let frame: unknown;
  try {
    frame = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof frame !== 'object' || frame === null || Array.isArray(frame)) return undefined;
  const { type, id, replyTo, payload } = frame as Record<string, unknown>;
  if (typeof type !== 'string') return undefined;
  const isObject = typeof payload === 'object' && payload !== null && !Array.isArray(payload);
  return { type, id, replyTo, payload: isObject ? (payload as Record<string, unknown>) : {} };
}

function frame(type: string, payload: object, replyTo?: unknown): string {
  const head = { v: kVersion, type };
  return JSON.stringify(replyTo === undefined ? { ...head, payload } : { ...head, replyTo, payload });
}

export function joinFrame(sessionId: string, takeover: boolean, study?: StudyLabels): string {
  return frame('relay.join', {
    role: 'host',
    sessionId,
    ...(takeover && { takeover }),
    ...(study && { study }),
  });
}

export function startedFrame(replyTo: unknown, sessionId: string): string {
  return frame('session.started', { sessionId }, replyTo);
}

export function endedFrame(replyTo: unknown, sessionId: string): string {
  return frame('session.ended', { sessionId, logFile: '', stateReset: true }, replyTo);
}

export function snapshotFrame(replyTo: unknown, sessionId: string, state: HostState, full: boolean): string {
  const { uiSpec, messageHistory, toolSchema } = state;
  const history = compactHistory(messageHistory, full);
  return frame('snapshot.state', { sessionId, uiSpec, messageHistory: history, toolSchema }, replyTo);
}

export function resultFrame(
  replyTo: unknown,
  result: { toolName: string; uiSpec?: UiSpec; messageHistory: HistoryEntry[] },
  full: boolean,
): string {
  const { toolName, uiSpec } = result;
  const messageHistory = compactHistory(result.messageHistory, full);
  return frame('tool.result', { ok: true, toolName, ...(uiSpec && { uiSpec }), messageHistory }, replyTo);
}

export function errorFrame(replyTo: unknown, code: ErrorCode, message: string): string {
  return frame('error', { code, message }, replyTo);
}

export function updatedFrame(source: ChangeSource, state: HostState, full: boolean): string {
  const { uiSpec, messageHistory, toolSchema } = state;
  const history = compactHistory(messageHistory, full);
  return frame('state.updated', { source, uiSpec, messageHistory: history, toolSchema });
}

export function userMessageFrame(text: string, stage: string): string {
  return frame('user.message', { text, stage });
}
