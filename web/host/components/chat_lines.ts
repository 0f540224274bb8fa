// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { HistoryEntry, Stage } from '@/stage/ui_spec';
import type { Act } from '../stores/host_traffic';

// One line of the conversation beside the booking, ordered by time.
export type ChatLine =
  | { kind: 'said'; id: string; at: number; text: string }
  | { kind: 'agent'; id: string; at: number; text: string; agent: string }
  | { kind: 'chose'; id: string; at: number; stage: Stage; label: string; count: number | null }
  | { kind: 'booked'; id: string; at: number }
  | { kind: 'back'; id: string; at: number; stage: Stage }
  | { kind: 'act'; id: string; at: number; act: Act; times: number };

function fromHistory(entry: HistoryEntry, agent: string): ChatLine | null {
  const { id, timestamp: at, stage } = entry;
  if (entry.type === 'agent') return { kind: 'agent', id, at, text: entry.text, agent };
  if (entry.type === 'system') return null;
  if (entry.action === 'input') return { kind: 'said', id, at, text: entry.label };
  if (entry.action === 'back') return { kind: 'back', id, at, stage };
  if (stage === 'confirm') return { kind: 'booked', id, at };
  const counted = stage === 'seat' || stage === 'ticket' ? /^\d+/.exec(entry.label) : null;
  return { kind: 'chose', id, at, stage, label: entry.label, count: counted ? Number(counted[0]) : null };
}

// Tools whose effect has an entry in the history.
const kInHistory = ['postMessage', 'next', 'prev'];

function isShown(act: Act): boolean {
  if (act.state === 'running' || act.tool === '') return false;
  return act.state === 'refused' || !kInHistory.includes(act.tool);
}

// Merges consecutive actions of one kind (seat after seat) into one line with the last reason.
function gathered(lines: readonly ChatLine[]): ChatLine[] {
  const all: ChatLine[] = [];
  for (const line of lines) {
    const last = all.at(-1);
    const same = line.kind === 'act' && last?.kind === 'act' && last.act.tool === line.act.tool;
    if (same && last.act.state === 'done' && line.act.state === 'done' && last.act.agent === line.act.agent) {
      all[all.length - 1] = { ...line, id: last.id, times: last.times + 1 };
    } else all.push(line);
  }
  return all;
}

export function chatLines(history: readonly HistoryEntry[], acts: readonly Act[], agent: string): ChatLine[] {
  const lines = history.map((entry) => fromHistory(entry, agent)).filter((line) => line !== null);
  for (const act of acts) {
    if (isShown(act)) lines.push({ kind: 'act', id: `act-${act.id}-${act.at}`, at: act.at, act, times: 1 });
  }
  return gathered(lines.sort((a, b) => a.at - b.at));
}
