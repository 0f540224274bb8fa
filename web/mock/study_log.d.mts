// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
export interface LogLine {
  sessionId: string;
  eventIndex: number;
  timestamp: string;
  direction: 'in' | 'out' | 'internal';
  type: string;
  payload: Record<string, unknown>;
  id?: unknown;
  replyTo?: unknown;
  clientId?: string;
}
export interface LogOptions {
  records?: number;
  open?: boolean;
  stopAfter?: number;
  seed?: number;
  start?: number;
  sessionId?: string;
  labels?: Record<string, string>;
}
export function studyLog(options?: LogOptions): LogLine[];
