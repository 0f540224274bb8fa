// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { Change } from './changes';
import { asArray, asText } from '@/wire/json';
import type { Entry, Person, ToolCall } from './replay';

export type Translate = (key: string, values?: Record<string, unknown>, plural?: number) => string;

// The text of an entry: the event, and its reason or error.
export interface Words {
  title: string;
  detail: string;
  quoted: boolean; // the detail is a quotation
}

export function personName(person: Person, t: Translate): string {
  if (person.name !== '') return person.name;
  return person.clientId === '' ? t('studies.replay.theAgent') : shortId(person.clientId);
}

function shortId(id: string): string {
  return id.length > 12 ? `${id.slice(0, 12)}…` : id;
}

function plain(value: unknown): string {
  if (Array.isArray(value)) return value.map(plain).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value ?? '');
}

const kNamed = [
  'filter',
  'sort',
  'highlight',
  'augment',
  'clearModification',
  'select',
  'setQuantity',
  'next',
  'prev',
  'postMessage',
];

// A tool call in words: "Filters by genre: Drama".
export function callWords({ params, toolName }: ToolCall, t: Translate): string {
  if (!kNamed.includes(toolName)) return t('studies.tool.other', { tool: toolName || '?' });
  const count = asArray(params[toolName === 'augment' ? 'items' : 'itemIds']).length;
  const values = {
    field: plain(params['field']),
    operator: asText(params['operator']),
    value: plain(params['value']),
    item: plain(params['itemId'] ?? params['typeId']),
    quantity: plain(params['quantity']),
    text: plain(params['text']),
    count,
  };
  if (toolName === 'sort') return t(`studies.tool.sort${params['order'] === 'desc' ? 'Down' : 'Up'}`, values);
  return t(`studies.tool.${toolName}`, values, count);
}

export function changeWords(change: Change, t: Translate): string {
  switch (change.is) {
    case 'chose':
      return t('studies.act.chose', { label: change.label });
    case 'went':
      return t('studies.act.went');
    case 'selected':
      return t('studies.act.selected', { value: change.value });
    case 'added':
    case 'removed':
      return t(`studies.act.${change.is}`, { values: change.values.join(', ') });
    case 'quantity':
      return t('studies.act.quantity', { value: change.value, count: change.count });
    case 'undid':
      return t('studies.act.undid', { kinds: change.kinds.join(', ') });
  }
}

const kStages = ['movie', 'theater', 'date', 'time', 'seat', 'ticket', 'confirm'];

export function stageName(stage: string, title: string, t: Translate): string {
  return kStages.includes(stage) ? t(`stage.step.${stage}`) : title || stage;
}

function roleName(role: string, t: Translate): string {
  return t(role === 'host' ? 'studies.role.host' : 'studies.role.agent');
}

export function entryWords({ what }: Entry, t: Translate): Words {
  const words = (title: string, detail = '', quoted = false): Words => ({ title, detail, quoted });
  switch (what.is) {
    case 'call': {
      const { call } = what;
      if (call.outcome === 'refused') return words(callWords(call, t), call.message || call.code);
      return words(callWords(call, t), call.reason, call.reason !== '');
    }
    case 'words':
      return words(t('studies.entry.words'), what.text, true);
    case 'said':
      return words(t('studies.entry.said'), what.text, true);
    case 'acted':
      return words(what.changes.map((change) => changeWords(change, t)).join(' · '));
    case 'stage':
      return words(t('studies.entry.stage', { stage: stageName(what.stage, what.title, t) }));
    case 'joined':
    case 'left':
      if (what.role === 'host') return words(t(`studies.entry.${what.is}`, { who: roleName(what.role, t) }));
      return words(t(`studies.entry.${what.is}`, { who: personName(what.person, t) }), roleName(what.role, t));
    case 'opened':
      return words(t('studies.entry.opened'), what.text);
    case 'started':
      return words(t('studies.entry.started'), what.facts.participantId);
    case 'ended':
    case 'closed':
      return words(t(`studies.entry.${what.is}`), what.text);
    case 'error':
      return words(t('studies.entry.error'), what.message || what.code);
  }
}
