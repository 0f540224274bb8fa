// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { kMaxListed, kMaxText, parseToolParams } from './tool_params';
import type { ToolName } from './tool_schema';

describe('params of a tool', () => {
  it.each<[ToolName, unknown, string]>([
    ['filter', {}, 'filter requires a non-empty "field" string'],
    ['filter', { field: 7, operator: 'eq', value: 1 }, 'filter requires a non-empty "field" string'],
    [
      'filter',
      { field: 'title', operator: 'like', value: 1 },
      'filter requires "operator" to be one of eq, neq, contains, gt, lt, gte, lte, in',
    ],
    ['filter', { field: 'title', operator: 'eq' }, 'filter requires a "value"'],
    [
      'filter',
      { field: 'title', operator: 'in', value: 'x' },
      'filter requires "value" to be an array for the operator in',
    ],
    ['sort', { order: 'asc' }, 'sort requires a non-empty "field" string'],
    ['sort', { field: 'title' }, 'sort requires "order" to be asc or desc'],
    ['sort', { field: 'title', order: 'up' }, 'sort requires "order" to be asc or desc'],
    ['highlight', {}, 'highlight requires "itemIds" to be an array of strings'],
    ['highlight', { itemIds: 'm1' }, 'highlight requires "itemIds" to be an array of strings'],
    ['highlight', { itemIds: [1] }, 'highlight requires "itemIds" to be an array of strings'],
    [
      'highlight',
      { itemIds: Array.from({ length: kMaxListed + 1 }, () => 'm1') },
      'highlight requires "itemIds" to name at most 1000 items',
    ],
    ['highlight', { itemIds: ['m1'], style: 'neon' }, 'highlight requires "style" to be one of border, glow, badge'],
    ['augment', {}, 'augment requires a non-empty array of items'],
    ['augment', { items: [] }, 'augment requires a non-empty array of items'],
    ['augment', { items: [null] }, 'Each item must be an object with itemId and value'],
    ['augment', { items: [['m1', 'x']] }, 'Each item must be an object with itemId and value'],
    ['augment', { items: [{ value: 'x' }] }, 'Each item must have a non-empty "itemId" string property'],
    ['augment', { items: [{ itemId: ' ', value: 'x' }] }, 'Each item must have a non-empty "itemId" string property'],
    ['augment', { items: [{ itemId: 'm1' }] }, 'Each item must have a "value" string property'],
    [
      'clearModification',
      { type: 'colour' },
      'clearModification requires "type" to be one of filter, sort, highlight, augment, all',
    ],
    ['select', {}, 'select requires a non-empty "itemId" string'],
    ['select', { itemId: 3 }, 'select requires a non-empty "itemId" string'],
    ['setQuantity', { quantity: 1 }, 'setQuantity requires a valid "typeId" string'],
    ['setQuantity', { typeId: 't' }, 'setQuantity requires "quantity" to be an integer >= 0'],
    ['setQuantity', { typeId: 't', quantity: -1 }, 'setQuantity requires "quantity" to be an integer >= 0'],
    ['setQuantity', { typeId: 't', quantity: 1.5 }, 'setQuantity requires "quantity" to be an integer >= 0'],
    ['setQuantity', { typeId: 't', quantity: '1' }, 'setQuantity requires "quantity" to be an integer >= 0'],
    ['setQuantity', { typeId: 't', quantity: 1e300 }, 'setQuantity requires "quantity" to be an integer >= 0'],
    ['postMessage', { text: '  ' }, 'postMessage requires a non-empty "text" string'],
    ['postMessage', { text: 7 }, 'postMessage requires a non-empty "text" string'],
    ['postMessage', { text: 'x'.repeat(kMaxText + 1) }, 'postMessage requires "text" to have at most 8192 characters'],
    ['next', [], 'next requires "params" to be an object'],
    ['select', 'm1', 'select requires "params" to be an object'],
  ])('of %s: %j is refused', (tool, params, message) => {
    expect(parseToolParams(tool, params)).toEqual({ ok: false, message });
  });

  it('are optional where nothing is needed, and null is absent', () => {
    expect(parseToolParams('next', undefined)).toEqual({ ok: true, act: { tool: 'next' } });
    expect(parseToolParams('prev', null)).toEqual({ ok: true, act: { tool: 'prev' } });
    const all = { ok: true, act: { tool: 'clearModification', kind: 'all' } };
    expect(parseToolParams('clearModification', {})).toEqual(all);
    expect(parseToolParams('clearModification', { type: null })).toEqual(all);
  });

  it('lose unknown members', () => {
    expect(parseToolParams('select', { itemId: 'm1', colour: 'red' })).toEqual({
      ok: true,
      act: { tool: 'select', itemId: 'm1' },
    });
  });

  it('are cleaned: texts trimmed, ids unique, null allowed in filters', () => {
    expect(parseToolParams('postMessage', { text: ' hello ' })).toMatchObject({ act: { text: 'hello' } });
    expect(parseToolParams('highlight', { itemIds: ['a', 'b', 'a'] })).toMatchObject({
      act: { itemIds: ['a', 'b'] },
    });
    expect(parseToolParams('filter', { field: 'x', operator: 'eq', value: null })).toMatchObject({
      act: { value: null },
    });
  });
});
