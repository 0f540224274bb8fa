// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { asArray, asObject, asText, isObject, parsedJson } from '@/wire/json';
import type { CallItem } from './items';

// The object of a call in one line, from its arguments: "node 3 · steps = 30", a path, a command.
const kObjects = [
  'path',
  'file',
  'command',
  'url',
  'pattern',
  'query',
  'question',
  'folder',
  'node',
  'prompt_id',
  'text',
  'content',
  'name',
  'message',
  'title',
];

export function callObject({ args, name }: Pick<CallItem, 'args' | 'name'>): string {
  const given = asObject(parsedJson(args));
  const text = (key: string) => {
    const value = given[key];
    return typeof value === 'number' ? String(value) : asText(value);
  };
  switch (name) {
    case 'workflow_node_set':
      return `${text('node')} · ${text('input')} = ${short(given['value'])}`;
    case 'workflow_connect':
      return `${text('from')} · ${text('output')} → ${text('to')} · ${text('input')}`;
    case 'workflow_node_add':
      return text('type');
    case 'set_workflow':
      return '';
    default: {
      const named = kObjects.map(text).find((it) => it !== '');
      return (
        named ??
        Object.values(given)
          .map(asText)
          .find((it) => it !== '') ??
        ''
      )
        .replace(/\s+/g, ' ')
        .trim()
        .slice(0, 240);
    }
  }
}

function short(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

// The first line of a result; of a JSON result, its message.
export function resultLine(result: string): string {
  const found = result.startsWith('{') ? parsedJson(result) : null;
  const sentence = isObject(found)
    ? asText(found['message']) ||
      asText(found['error']) ||
      (asArray(found['images']).length > 0 ? '' : asText(found['status']))
    : result;
  const line =
    sentence
      .split('\n')
      .find((it) => it.trim() !== '')
      ?.trim() ?? '';
  return line.length > 120 ? `${line.slice(0, 120)}…` : line;
}

// Indents JSON; other text is unchanged.
export function readable(text: string): string {
  const found = /^\s*[[{]/.test(text) ? parsedJson(text) : null;
  return found === null ? text : JSON.stringify(found, null, 2);
}
