// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import type { ToolDescription } from '@/stage/ui_spec';
import { emptyFields, fieldsOf, paramsOf } from './tool_form';

const filter: ToolDescription = {
  name: 'filter',
  description: '',
  parameters: {
    field: { type: 'string', description: '' },
    operator: { type: 'string', description: '', enum: ['eq', 'in'] },
    value: { type: 'any', description: '' },
  },
};
const highlight: ToolDescription = {
  name: 'highlight',
  description: '',
  parameters: {
    itemIds: { type: 'array', description: '' },
    style: { type: 'string', description: '', enum: ['border'], optional: true },
  },
};
const setQuantity: ToolDescription = {
  name: 'setQuantity',
  description: '',
  parameters: { typeId: { type: 'string', description: '' }, quantity: { type: 'number', description: '' } },
};

describe('the tool runner’s form', () => {
  it('has a field for every parameter of the tool', () => {
    expect(emptyFields(filter)).toEqual({ field: '', operator: '', value: '' });
    expect(emptyFields(undefined)).toEqual({});
  });

  it('reads numbers, lists and values of any type', () => {
    expect(paramsOf(setQuantity, { typeId: 'tt1', quantity: ' 2 ' })).toEqual({
      ok: true,
      params: { typeId: 'tt1', quantity: 2 },
    });
    expect(paramsOf(highlight, { itemIds: '["m1"]', style: '' })).toEqual({ ok: true, params: { itemIds: ['m1'] } });
    expect(paramsOf(filter, { field: 'duration', operator: 'eq', value: '120' })).toMatchObject({
      params: { value: 120 },
    });
    expect(paramsOf(filter, { field: 'genre', operator: 'eq', value: 'Drama' })).toMatchObject({
      params: { value: 'Drama' },
    });
  });

  it('takes ids that are not quoted', () => {
    expect(paramsOf(highlight, { itemIds: 'm1, m2', style: 'border' })).toEqual({
      ok: true,
      params: { itemIds: ['m1', 'm2'], style: 'border' },
    });
  });

  it('names the field that does not fit', () => {
    expect(paramsOf(setQuantity, { typeId: 'tt1', quantity: 'two' })).toEqual({ ok: false, param: 'quantity' });
    expect(paramsOf(highlight, { itemIds: '[1,', style: '' })).toEqual({ ok: false, param: 'itemIds' });
    expect(paramsOf(highlight, { itemIds: '{"a":1}', style: '' })).toEqual({ ok: false, param: 'itemIds' });
  });

  it('keeps an empty required text, so that the refusal can be tried', () => {
    expect(paramsOf(setQuantity, { typeId: '', quantity: '1' })).toEqual({
      ok: true,
      params: { typeId: '', quantity: 1 },
    });
  });

  it('goes from raw params back to fields', () => {
    expect(fieldsOf(highlight, { itemIds: ['m1'], style: 'border' })).toEqual({ itemIds: '["m1"]', style: 'border' });
    expect(fieldsOf(highlight, null)).toEqual({ itemIds: '', style: '' });
  });
});
