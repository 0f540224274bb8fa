// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { asArray, asNumber, asObject, asText, asTime, type Json } from '@/wire/json';

// Figures of a study.
export interface Figures {
  steps: number;
  calls: number;
  errors: number;
  completed: boolean;
}

export interface Study {
  id: string;
  session: string; // of the event store
  studyId: string;
  participantId: string;
  condition: string;
  scenario: string;
  implicit: boolean;
  open: boolean;
  startedAt: number; // Unix ms
  endedAt: number | null;
  endReason: string;
  logFile: string;
  records: number | null; // null: unknown
  figures: Figures | null;
}

function readFigures(from: Json): Figures | null {
  const calls = asNumber(from['tool_calls']);
  if (calls === null) return null;
  return {
    calls,
    steps: asNumber(from['steps']) ?? 0,
    errors: asNumber(from['errors']) ?? 0,
    completed: from['completed'] === true,
  };
}

export function readStudy(value: unknown): Study | null {
  const study = asObject(value);
  const id = asText(study['id']);
  if (id === '') return null;
  return {
    id,
    session: asText(study['session']),
    studyId: asText(study['study_id']),
    participantId: asText(study['participant_id']),
    condition: asText(study['condition']),
    scenario: asText(study['scenario']),
    implicit: study['implicit'] === true,
    open: study['state'] === 'open',
    startedAt: asTime(study['started_at']) ?? 0,
    endedAt: asTime(study['ended_at']),
    endReason: asText(study['end_reason']),
    logFile: asText(study['log_file']),
    records: asNumber(study['record_count']),
    figures: readFigures(asObject(study['summary'])),
  };
}

export interface StudyPage {
  studies: Study[];
  next: string | null; // cursor of the next page
}

export function readStudyPage(body: unknown): StudyPage {
  const page = asObject(body);
  const studies = asArray(page['studies'])
    .map(readStudy)
    .filter((study) => study !== null);
  return { studies, next: asText(page['next']) || null };
}

export function lengthOf(study: Study, now: number): number {
  return Math.max(0, (study.endedAt ?? now) - study.startedAt);
}

// --- Choosing and ordering ------------------------------------------------------------------------

export type StateFilter = 'all' | 'open' | 'completed' | 'incomplete' | 'errors';

export interface StudyFilter {
  text: string;
  state: StateFilter;
  studyId: string; // empty: any
  condition: string;
}

export const kNoFilter: StudyFilter = { text: '', state: 'all', studyId: '', condition: '' };

export function isFiltered(filter: StudyFilter): boolean {
  return filter.text.trim() !== '' || filter.state !== 'all' || filter.studyId !== '' || filter.condition !== '';
}

function fitsState(study: Study, state: StateFilter): boolean {
  if (state === 'open') return study.open;
  if (state === 'completed') return study.figures?.completed === true;
  if (state === 'incomplete') return !study.open && study.figures?.completed === false;
  if (state === 'errors') return (study.figures?.errors ?? 0) > 0;
  return true;
}

export function filtered(studies: readonly Study[], filter: StudyFilter): Study[] {
  const words = filter.text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return studies.filter((study) => {
    if (!fitsState(study, filter.state)) return false;
    if (filter.studyId !== '' && study.studyId !== filter.studyId) return false;
    if (filter.condition !== '' && study.condition !== filter.condition) return false;
    if (words.length === 0) return true;
    const { condition, endReason, id, participantId, scenario, studyId } = study;
    const text = [id, participantId, studyId, condition, scenario, endReason].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

export type SortKey = 'started' | 'participant' | 'condition' | 'duration' | 'steps' | 'calls' | 'errors';
export interface SortOrder {
  key: SortKey;
  descending: boolean;
}

function sortValue(study: Study, key: SortKey, now: number): number | string {
  switch (key) {
    case 'participant':
      return study.participantId;
    case 'condition':
      return `${study.studyId} ${study.condition} ${study.scenario}`;
    case 'duration':
      return lengthOf(study, now);
    case 'steps':
    case 'calls':
    case 'errors':
      return study.figures?.[key] ?? -1;
    default:
      return study.startedAt;
  }
}

// Open studies come first in every order.
export function sorted(studies: readonly Study[], order: SortOrder, now: number): Study[] {
  const sign = order.descending ? -1 : 1;
  const compare = new Intl.Collator(undefined, { numeric: true }).compare;
  const keyed = studies.map((study) => ({ study, value: sortValue(study, order.key, now) }));
  keyed.sort((a, b) => {
    if (a.study.open !== b.study.open) return a.study.open ? -1 : 1;
    const [x, y] = [a.value, b.value];
    const by = typeof x === 'number' && typeof y === 'number' ? x - y : compare(String(x), String(y));
    return by !== 0 ? by * sign : b.study.startedAt - a.study.startedAt;
  });
  return keyed.map(({ study }) => study);
}

export function valuesOf(studies: readonly Study[], field: 'studyId' | 'condition'): string[] {
  const values = new Set(studies.map((study) => study[field]).filter((value) => value !== ''));
  return [...values].sort((a, b) => a.localeCompare(b, undefined, { numeric: true }));
}

// --- Summary --------------------------------------------------------------------------------------

export interface SummaryRow {
  studyId: string;
  name: string; // of the condition or the participant
  sessions: number;
  open: number;
  completed: number;
  known: number; // sessions whose figures are known
  steps: number; // means over those
  calls: number;
  errors: number;
  medianMs: number; // of those that have ended
}

export function median(values: readonly number[]): number {
  const ordered = [...values].sort((a, b) => a - b);
  const middle = ordered.length >> 1;
  if (ordered.length % 2 === 1) return ordered[middle] ?? 0;
  return ((ordered[middle - 1] ?? 0) + (ordered[middle] ?? 0)) / 2;
}

export function summarise(studies: readonly Study[], by: 'condition' | 'participantId', now: number): SummaryRow[] {
  const groups = new Map<string, Study[]>();
  for (const study of studies) {
    const key = JSON.stringify([study.studyId, study[by]]);
    const group = groups.get(key);
    if (group) group.push(study);
    else groups.set(key, [study]);
  }
  const rows = [...groups.values()].map((group): SummaryRow => {
    const known = group.map((study) => study.figures).filter((figures) => figures !== null);
    const mean = (of: (figures: Figures) => number) =>
      known.length === 0 ? 0 : known.reduce((sum, it) => sum + of(it), 0) / known.length;
    const ended = group.filter((study) => !study.open);
    return {
      studyId: group[0]?.studyId ?? '',
      name: group[0]?.[by] ?? '',
      sessions: group.length,
      open: group.length - ended.length,
      completed: known.filter((figures) => figures.completed).length,
      known: known.length,
      steps: mean((it) => it.steps),
      calls: mean((it) => it.calls),
      errors: mean((it) => it.errors),
      medianMs: median(ended.map((study) => lengthOf(study, now))),
    };
  });
  const compare = new Intl.Collator(undefined, { numeric: true }).compare;
  return rows.sort((a, b) => compare(a.studyId, b.studyId) || compare(a.name, b.name));
}

// --- Links of participants ------------------------------------------------------------------------

export interface KitStudy {
  id: string;
  title: string;
}

export function readKit(body: unknown): KitStudy[] {
  return asArray(asObject(body)['studies'])
    .map((it): KitStudy => {
      const study = asObject(it);
      return { id: asText(study['id']), title: asText(study['title']) };
    })
    .filter((study) => study.id !== '');
}

// The URL for participants, without a token.
export function participantLink(page: string, studyId: string): string {
  const url = new URL(page);
  url.search = '';
  url.hash = `#/study/${encodeURIComponent(studyId)}`;
  return url.toString();
}

export function agentAddress(page: string): string {
  const url = new URL('/agent/ws', page);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  return url.toString();
}
