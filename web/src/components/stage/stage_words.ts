// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { Choice } from '@/stage/ui_spec';
import type { Change } from '@/stage/stage_view';

// A price in dollars, in every language.
export function money(amount: number): string {
  return `$${amount.toFixed(2)}`;
}

// A date "YYYY-MM-DD" in the language's format; other text unchanged.
export function writtenDate(date: string, language: string): string {
  const at = new Date(`${date}T00:00:00Z`);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date) || Number.isNaN(at.getTime())) return date;
  const options: Intl.DateTimeFormatOptions = { weekday: 'short', month: 'short', day: 'numeric', timeZone: 'UTC' };
  return new Intl.DateTimeFormat(language === 'zh' ? 'zh-CN' : 'en-US', options).format(at);
}

const kFields = [
  'genre',
  'rating',
  'duration',
  'title',
  'name',
  'location',
  'date',
  'dayOfWeek',
  'time',
  'availableSeats',
  'row',
  'number',
  'label',
  'type',
  'status',
  'price',
];
const kMomentFields = ['date', 'time'];

type Translate = (key: string, values?: Record<string, unknown>, plural?: number) => string;

function fieldWord(field: string, t: Translate): string {
  return kFields.includes(field) ? t(`stage.field.${field}`) : field;
}

// "only Genre: Drama" or "only Time from 18:00", for the line that shows the agent's filter.
export function filterWords(change: Extract<Change, { kind: 'filter' }>, t: Translate): string {
  const moment = kMomentFields.includes(change.field) && ['gt', 'lt', 'gte', 'lte'].includes(change.operator);
  const operator = moment ? `${change.operator}Moment` : change.operator;
  return t(`stage.operator.${operator}`, { field: fieldWord(change.field, t), value: change.value });
}

const kNamed = 4; // more items than this are shown as a number

// The agent's change in one sentence. `nameOf`: the name of an item on the page.
export function changeWords(change: Change, agent: string, t: Translate, nameOf: (item: Choice) => string): string {
  switch (change.kind) {
    case 'filter':
      return t('stage.change.filter', {
        agent,
        what: filterWords(change, t),
        shown: change.shown,
        total: change.total,
      });
    case 'sort':
      return t(`stage.change.${change.order}`, { agent, field: fieldWord(change.field, t) });
    case 'highlight':
      return change.items.length > 0 && change.items.length <= kNamed
        ? t('stage.change.highlightNames', { agent, names: change.items.map(nameOf).join(', ') })
        : t('stage.change.highlight', { agent, count: change.items.length }, change.items.length);
    case 'augment':
      return t('stage.change.augment', { agent, count: change.count }, change.count);
  }
}
