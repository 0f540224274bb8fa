// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { startFixture } from './engine_fixture';
import { toolNames, toolSchemaOf } from './tool_schema';

const five = ['filter', 'sort', 'highlight', 'augment', 'clearModification'];

describe('toolSchema', () => {
  it('offers only postMessage while no stage is shown', () => {
    expect(toolSchemaOf(null, false)).toStrictEqual([
      {
        name: 'postMessage',
        description: 'Post an agent message to the chat timeline',
        parameters: { text: { type: 'string', description: 'Message content to display' } },
      },
    ]);
  });

  it('describes parameters as a map, with enum and optional where they apply', async () => {
    const { engine } = await startFixture();
    const of = (name: string) => engine.state.toolSchema.find((tool) => tool.name === name)?.parameters;
    expect(of('filter')).toStrictEqual({
      field: { type: 'string', description: 'Field to filter by (e.g., "genre", "rating", "duration")' },
      operator: {
        type: 'string',
        description: 'Comparison operator',
        enum: ['eq', 'neq', 'contains', 'gt', 'lt', 'gte', 'lte', 'in'],
      },
      value: { type: 'any', description: 'Value to compare against' },
    });
    expect(of('highlight')?.['style']).toStrictEqual({
      type: 'string',
      description: 'Highlight style',
      enum: ['border', 'glow', 'badge'],
      optional: true,
    });
    expect(of('clearModification')?.['type']?.enum).toEqual(['filter', 'sort', 'highlight', 'augment', 'all']);
  });

  it('offers in each stage what the protocol lists, in its order', async () => {
    const { advanceTo, offered } = await startFixture();
    expect(offered()).toEqual([...five, 'select', 'postMessage']);
    for (const stage of ['theater', 'date', 'time', 'seat'] as const) {
      await advanceTo(stage);
      expect(offered()).toEqual([...five, 'select', 'prev', 'postMessage']);
    }
    await advanceTo('ticket');
    expect(offered()).toEqual([...five, 'setQuantity', 'prev', 'postMessage']);
    await advanceTo('confirm');
    expect(offered()).toEqual([...five, 'next', 'prev', 'postMessage']);
  });

  it('offers next only once the choice is complete', async () => {
    const { advanceTo, must, offered } = await startFixture();
    await must('select', { itemId: 'm1' });
    expect(offered()).toEqual([...five, 'select', 'next', 'postMessage']);
    const seats = await advanceTo('seat');
    const seat = seats.visibleItems.find((item) => !item.isDisabled)?.id;
    await must('select', { itemId: seat });
    expect(offered()).toContain('next');
    await must('select', { itemId: seat });
    expect(offered()).not.toContain('next');
    await advanceTo('ticket');
    await must('setQuantity', { typeId: 'tt1', quantity: 1 });
    expect(offered()).not.toContain('next');
    await must('setQuantity', { typeId: 'tt2', quantity: 1 });
    expect(offered()).toContain('next');
  });

  it('drops select without a choosable visible item', async () => {
    const { must, offered } = await startFixture();
    await must('filter', { field: 'title', operator: 'eq', value: 'nothing' });
    expect(offered()).not.toContain('select');
    await must('clearModification', { type: 'filter' });
    expect(offered()).toContain('select');
  });

  it('keeps to the tools of a condition, in the same order', async () => {
    const { offered, call } = await startFixture({ tools: ['postMessage', 'highlight', 'sort'] });
    expect(offered()).toEqual(['sort', 'highlight', 'postMessage']);
    expect(await call('select', { itemId: 'm1' })).toMatchObject({ ok: false, code: 'UNKNOWN_TOOL' });
  });

  it('has ten tools', () => {
    expect(toolNames).toHaveLength(10);
  });
});
