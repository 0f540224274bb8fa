// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { RunsError } from '@/runs/http_runs';
import type { Finding } from '@/runs/merge';
import type { ToolItem } from '@/runs/run_items';
import { asksPerson } from '@/runs/tool_calls';
import { asArray, asObject, asText } from '@/wire/json';
import type { Translate } from '@/studies/words';
import { shortDuration } from '@/text/relative_time';

const kVerbs: Readonly<Record<string, string>> = {
  read: 'read',
  write_file: 'write',
  edit: 'edit',
  multiedit: 'edit',
  apply_patch: 'patch',
  move_file: 'move',
  move: 'move',
  delete_file: 'delete',
  delete: 'delete',
  create_dir: 'createDir',
  ls: 'list',
  glob: 'find',
  grep: 'search',
  bash: 'run',
  web_fetch: 'fetch',
  web_fetcher: 'fetch',
  todo: 'todo',
  todo_write: 'todo',
  todo_read: 'todo',
  remember: 'remember',
  recall: 'recall',
  ask_question: 'ask',
  invoke_agent: 'agent',
  batch: 'batch',
};

export function toolVerb(name: string, t: Translate): string {
  const verb = Object.hasOwn(kVerbs, name) ? kVerbs[name] : undefined;
  return verb === undefined ? name : t(`runs.verb.${verb}`);
}

const kObjects = [
  'path',
  'file',
  'command',
  'url',
  'pattern',
  'query',
  'question',
  'key',
  'text',
  'content',
  'name',
  'from',
  'source',
];

// The object of a call in one line: the path, the command, the address.
export function toolObject({ args, name }: Pick<ToolItem, 'args' | 'name'>): string {
  const fields = asObject(args);
  if (name === 'invoke_agent') {
    const agents = asArray(fields['agents']).map((it) => asText(asObject(it)['agent']));
    return agents.filter((it) => it !== '').join(', ') || asText(fields['agent']);
  }
  if (name === 'batch')
    return asArray(fields['calls'])
      .map((it) => asText(asObject(it)['tool']))
      .join(', ');
  const named = kObjects.map((key) => asText(fields[key])).find((text) => text !== '');
  const any =
    named ??
    Object.values(fields)
      .map(asText)
      .find((text) => text !== '') ??
    (typeof args === 'string' ? args : '');
  const path = asText(fields['path']);
  const line = any.replace(/\s+/g, ' ').trim();
  return name === 'grep' && path !== '' ? `${asText(fields['pattern'])} · ${path}` : line;
}

// The outcome of a call in a few words.
export function toolOutcome(tool: ToolItem, t: Translate): string {
  if (asksPerson(tool)) return t('runs.tool.asking');
  if (tool.phase === 'stopped' && tool.asked && tool.startAt === null) return t('runs.tool.unanswered');
  if (tool.phase !== 'done' && tool.phase !== 'failed') return t(`runs.tool.${tool.phase}`);
  const lines = tool.result.split('\n').filter((line) => line.trim() !== '');
  const exit = lines.length > 1 ? /\[?exit code:? (-?\d+)\]?/i.exec(tool.result)?.[1] : undefined;
  if (exit !== undefined) return t('runs.tool.exit', { code: exit });
  if (lines.length > 1 && tool.phase === 'done') return t('runs.tool.lines', { count: lines.length }, lines.length);
  return firstWords(tool.result) || t(`runs.tool.${tool.phase}`);
}

export function firstWords(text: string, limit = 90): string {
  const line =
    text
      .split('\n')
      .find((it) => it.trim() !== '')
      ?.trim() ?? '';
  return line.length > limit ? `${line.slice(0, limit)}…` : line;
}

// 40 ms, 1.2 s, 3 min; '' if unknown.
export function spanWords(from: number | null, to: number | null): string {
  if (from === null || to === null) return '';
  const ms = Math.max(0, to - from);
  return shortDuration(ms);
}

export function countWords(count: number, locale: string): string {
  return new Intl.NumberFormat(locale, {
    notation: count < 10_000 ? 'standard' : 'compact',
    maximumFractionDigits: 1,
  }).format(count);
}

export function runFinding(finding: Finding, t: Translate): string {
  const key = `runs.finding.${finding.is === 'gap' && finding.from === finding.to ? 'gapOne' : finding.is}`;
  return 'count' in finding ? t(key, { ...finding }, finding.count) : t(key, { ...finding });
}

export function errorWords(error: unknown, t: Translate): string {
  if (!(error instanceof RunsError)) return t('runs.error.other');
  if (error.status === 0) return t('runs.error.unreachable');
  return error.sentence || t('runs.error.status', { status: error.status });
}

// The field that the server names as faulty, if the form has it.
export function faultyField<T extends string>(error: unknown, fields: readonly T[]): T | '' {
  const field = error instanceof RunsError ? error.field : '';
  return fields.find((it) => it === field) ?? '';
}

export function jsonText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
}
