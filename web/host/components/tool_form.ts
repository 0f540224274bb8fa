// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { ToolDescription, ToolParameter } from '@/stage/ui_spec';

// Texts of the form fields of the manual tool runner, by parameter.
export type Fields = Record<string, string>;

export type Built = { ok: true; params: Record<string, unknown> } | { ok: false; param: string };

export function emptyFields(tool: ToolDescription | undefined): Fields {
  return Object.fromEntries(Object.keys(tool?.parameters ?? {}).map((name) => [name, '']));
}

function valueOf(parameter: ToolParameter, text: string): { value: unknown } | null {
  const trimmed = text.trim();
  switch (parameter.type) {
    case 'string':
      return { value: text };
    case 'number': {
      const number = Number(trimmed);
      return trimmed !== '' && Number.isFinite(number) ? { value: number } : null;
    }
    case 'array': {
      const json = fromJson(trimmed);
      if (json && Array.isArray(json.value)) return json;
      if (json || /^[[{"]/.test(trimmed)) return null;
      // Ids without quotes are accepted: m1, m2
      return {
        value: trimmed
          .split(',')
          .map((it) => it.trim())
          .filter((it) => it !== ''),
      };
    }
    case 'any':
      return fromJson(trimmed) ?? { value: text };
  }
}

export function fromJson(text: string): { value: unknown } | null {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return null;
  }
}

// Params from the fields. Empty optional fields are omitted; `param` names the first invalid field.
export function paramsOf(tool: ToolDescription, fields: Fields): Built {
  const params: Record<string, unknown> = {};
  for (const [name, parameter] of Object.entries(tool.parameters)) {
    const text = fields[name] ?? '';
    if (text.trim() === '' && parameter.optional) continue;
    const read = valueOf(parameter, text);
    if (!read) return { ok: false, param: name };
    params[name] = read.value;
  }
  return { ok: true, params };
}

// The fields for given params, for switching from raw JSON to the form.
export function fieldsOf(tool: ToolDescription, params: unknown): Fields {
  const from = (typeof params === 'object' && params !== null ? params : {}) as Record<string, unknown>;
  const fields = emptyFields(tool);
  for (const name of Object.keys(fields)) {
    const value = from[name];
    if (value === undefined) continue;
    fields[name] = typeof value === 'string' ? value : JSON.stringify(value);
  }
  return fields;
}
