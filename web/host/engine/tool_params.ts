// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Parses params from the wire into an action, or refuses them with a sentence that names the parameter at
// fault.
import { clearKinds, filterOperators, highlightStyles, sortOrders, type ToolName } from './tool_schema';
import type { FilterOperator, HighlightStyle, ModificationKind } from '@/stage/ui_spec';

export type ToolAct =
  | { tool: 'filter'; field: string; operator: FilterOperator; value: unknown }
  | { tool: 'sort'; field: string; order: 'asc' | 'desc' }
  | { tool: 'highlight'; itemIds: string[]; style?: HighlightStyle }
  | { tool: 'augment'; items: { itemId: string; value: string }[] }
  | { tool: 'clearModification'; kind: ModificationKind | 'all' }
  | { tool: 'select'; itemId: string }
  | { tool: 'setQuantity'; typeId: string; quantity: number }
  | { tool: 'next' | 'prev' }
  | { tool: 'postMessage'; text: string };

export type Parsed = { ok: true; act: ToolAct } | { ok: false; message: string };

// Limit of one text that an agent shows to the participant, in characters.
export const kMaxText = 8_192;
// Limit of the entries of one list in params.
export const kMaxListed = 1_000;

type Params = Readonly<Record<string, unknown>>;

function refused(message: string): Parsed {
  return { ok: false, message };
}

function oneOf<T extends string>(allowed: readonly T[], value: unknown): T | undefined {
  return allowed.find((each) => each === value);
}

function filled(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function parseFilter(params: Params): Parsed {
  const field = filled(params['field']);
  if (field === undefined) return refused('filter requires a non-empty "field" string');
  const operator = oneOf(filterOperators, params['operator']);
  if (operator === undefined) {
    return refused(`filter requires "operator" to be one of ${filterOperators.join(', ')}`);
  }
  const value = params['value'];
  if (value === undefined) return refused('filter requires a "value"');
  if (operator === 'in' && !Array.isArray(value)) {
    return refused('filter requires "value" to be an array for the operator in');
  }
  return { ok: true, act: { tool: 'filter', field, operator, value } };
}

function parseSort(params: Params): Parsed {
  const field = filled(params['field']);
  if (field === undefined) return refused('sort requires a non-empty "field" string');
  const order = oneOf(sortOrders, params['order']);
  if (order === undefined) return refused('sort requires "order" to be asc or desc');
  return { ok: true, act: { tool: 'sort', field, order } };
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function parseHighlight(params: Params): Parsed {
  const itemIds = params['itemIds'];
  if (!isStrings(itemIds)) return refused('highlight requires "itemIds" to be an array of strings');
  if (itemIds.length > kMaxListed) {
    return refused(`highlight requires "itemIds" to name at most ${String(kMaxListed)} items`);
  }
  const act: ToolAct = { tool: 'highlight', itemIds: [...new Set(itemIds)] };
  const given = params['style'] ?? undefined;
  if (given === undefined) return { ok: true, act };
  const style = oneOf(highlightStyles, given);
  if (style === undefined) {
    return refused(`highlight requires "style" to be one of ${highlightStyles.join(', ')}`);
  }
  return { ok: true, act: { ...act, style } };
}

function parseAugmentItem(given: unknown): { itemId: string; value: string } | string {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return 'Each item must be an object with itemId and value';
  }
  const { itemId, value } = given as Params;
  if (typeof itemId !== 'string' || itemId.trim() === '') {
    return 'Each item must have a non-empty "itemId" string property';
  }
  if (typeof value !== 'string') return 'Each item must have a "value" string property';
  if (value.length > kMaxText) {
    return `Each item must have a "value" of at most ${String(kMaxText)} characters`;
  }
  return { itemId, value };
}

function parseAugment(params: Params): Parsed {
  const given = params['items'];
  if (!Array.isArray(given) || given.length === 0) {
    return refused('augment requires a non-empty array of items');
  }
  if (given.length > kMaxListed) return refused(`augment takes at most ${String(kMaxListed)} items`);
  const items: { itemId: string; value: string }[] = [];
  for (const each of given as unknown[]) {
    const item = parseAugmentItem(each);
    if (typeof item === 'string') return refused(item);
    items.push(item);
  }
  return { ok: true, act: { tool: 'augment', items } };
}

function parseClear(params: Params): Parsed {
  const kind = oneOf(clearKinds, params['type'] ?? 'all');
  if (kind === undefined) {
    return refused(`clearModification requires "type" to be one of ${clearKinds.join(', ')}`);
  }
  return { ok: true, act: { tool: 'clearModification', kind } };
}

function parseSelect(params: Params): Parsed {
  const itemId = filled(params['itemId']);
  if (itemId === undefined) return refused('select requires a non-empty "itemId" string');
  return { ok: true, act: { tool: 'select', itemId } };
}

export function isQuantity(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function parseQuantity(params: Params): Parsed {
  const typeId = filled(params['typeId']);
  if (typeId === undefined) return refused('setQuantity requires a valid "typeId" string');
  const quantity = params['quantity'];
  if (!isQuantity(quantity)) {
    return refused('setQuantity requires "quantity" to be an integer >= 0');
  }
  return { ok: true, act: { tool: 'setQuantity', typeId, quantity } };
}

function parseMessage(params: Params): Parsed {
  const text = filled(params['text']);
  if (text === undefined) return refused('postMessage requires a non-empty "text" string');
  if (text.length > kMaxText) {
    return refused(`postMessage requires "text" to have at most ${String(kMaxText)} characters`);
  }
  return { ok: true, act: { tool: 'postMessage', text: text.trim() } };
}

// Absent params are empty; unknown parameters are ignored.
export function parseToolParams(tool: ToolName, given: unknown): Parsed {
  const params = given ?? {};
  if (typeof params !== 'object' || Array.isArray(params)) {
    return refused(`${tool} requires "params" to be an object`);
  }
  switch (tool) {
    case 'filter':
      return parseFilter(params as Params);
    case 'sort':
      return parseSort(params as Params);
    case 'highlight':
      return parseHighlight(params as Params);
    case 'augment':
      return parseAugment(params as Params);
    case 'clearModification':
      return parseClear(params as Params);
    case 'select':
      return parseSelect(params as Params);
    case 'setQuantity':
      return parseQuantity(params as Params);
    case 'postMessage':
      return parseMessage(params as Params);
    default:
      return { ok: true, act: { tool } };
  }
}
