// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Random calls of an agent: nothing throws, and each ok is true.
import { describe, expect, it } from 'vitest';
import { type Fixture, freeIds, kToday, seeded, startFixture } from './engine_fixture';
import type { ToolOutcome } from './host_engine';
import { createMemoryBackend } from './memory_backend';
import { toolNames } from './tool_schema';
import type { UiSpec } from '@/stage/ui_spec';

type Random = () => number;

function pick<T>(random: Random, from: readonly T[]): T | undefined {
  return from[Math.floor(random() * from.length)];
}

const rubbish = [undefined, null, '', 0, -1, 1.5, 99, 'x', '__proto__', [], [[]], {}, { itemId: {} }, true];

function idFor(random: Random, spec: UiSpec | null): unknown {
  if (random() < 0.1) return pick(random, rubbish);
  const free = spec === null ? [] : freeIds(spec);
  return random() < 0.7 ? pick(random, free) : pick(random, spec?.items ?? [])?.id;
}

function paramsFor(random: Random, tool: unknown, spec: UiSpec | null): unknown {
  if (random() < 0.08) return pick(random, rubbish);
  const fields = Object.keys(spec?.items[0] ?? { id: '' });
  switch (tool) {
    case 'filter':
      return {
        field: pick(random, [...fields, 'nonsense']),
        operator: pick(random, ['eq', 'neq', 'contains', 'gt', 'lt', 'gte', 'lte', 'in', 'like']),
        value: pick(random, [...rubbish, 'A', 'Drama', 120, ['m1', 't1']]),
      };
    case 'sort':
      return { field: pick(random, fields), order: pick(random, ['asc', 'desc', 'up']) };
    case 'highlight':
      return {
        itemIds: [idFor(random, spec), idFor(random, spec)],
        style: pick(random, ['glow', undefined, 'x']),
      };
    case 'augment':
      return { items: [{ itemId: idFor(random, spec), value: pick(random, ['A', '', 7]) }] };
    case 'clearModification':
      return { type: pick(random, ['filter', 'sort', 'highlight', 'augment', 'all', undefined, 'x']) };
    case 'select':
      return { itemId: idFor(random, spec) };
    case 'setQuantity':
      return { typeId: idFor(random, spec), quantity: Math.floor(random() * 4) };
    case 'postMessage':
      return { text: pick(random, ['hello', ' ', 3]) };
    default:
      return {};
  }
}

function toolFor(random: Random, offered: readonly string[]): unknown {
  if (random() < 0.05) return pick(random, [...rubbish, 'bogus']);
  const wanted = random() < 0.35 && offered.includes('next') ? 'next' : undefined;
  return wanted ?? pick(random, random() < 0.85 ? offered : toolNames);
}

// Checks the effect that an ok claims in the spec and the backend.
function expectTrue(
  outcome: ToolOutcome,
  params: unknown,
  before: UiSpec | null,
  booked: number,
  fixture: Fixture,
): void {
  const { engine, backend } = fixture;
  if (!outcome.ok) {
    expect(outcome.message).not.toBe('');
    expect(engine.state.uiSpec).toEqual(before);
    expect(backend.bookings).toHaveLength(booked);
    return;
  }
  const after = engine.state.uiSpec;
  const given = params as Record<string, unknown>;
  switch (outcome.toolName) {
    case 'select': {
      const wasIn = before?.state.selectedList?.some((seat) => seat.id === given['itemId']) ?? false;
      if (after?.stage === 'seat') {
        expect(after.state.selectedList?.some((seat) => seat.id === given['itemId'])).toBe(!wasIn);
      } else expect(after?.state.selected?.id).toBe(given['itemId']);
      break;
    }
    case 'setQuantity': {
      const row = after?.state.quantities?.find((each) => each.item.id === given['typeId']);
      expect(row?.count).toBe(given['quantity']);
      const kept = after?.state.booking.tickets?.find((each) => each.ticketTypeId === given['typeId']);
      expect(kept?.quantity ?? 0).toBe(given['quantity']);
      break;
    }
    case 'next':
      if (before?.stage === 'confirm') {
        expect(backend.bookings).toHaveLength(booked + 1);
        expect(backend.bookings.at(-1)?.seats).toEqual(before.state.booking.selectedSeats?.map((seat) => seat.id));
      } else expect(after?.stage).not.toBe(before?.stage);
      break;
    case 'prev':
      expect(after?.stage).not.toBe(before?.stage);
  }
}

async function walk(seed: number, steps: number): Promise<number> {
  const random = seeded(seed);
  const fixture = await startFixture({ random: seeded(seed + 1) }, createMemoryBackend(kToday));
  const { engine, backend } = fixture;
  for (let step = 0; step < steps; step += 1) {
    const before = engine.state.uiSpec;
    const booked = backend.bookings.length;
    const offered = engine.state.toolSchema.map((tool) => tool.name);
    const tool = toolFor(random, offered);
    const params = paramsFor(random, tool, before);
    const outcome = await engine.runTool(tool, params);
    expectTrue(outcome, params, before, booked, fixture);
    const showing = engine.state.uiSpec?.state.booking.showing?.id ?? '';
    if (random() < 0.01) backend.occupy(showing, String(idFor(random, before)));
    if (random() < 0.002) await engine.reset();
  }
  return backend.bookings.length;
}

describe('random walks of tool calls', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('with seed %i', async (seed) => {
    await walk(seed * 1_000, 300);
  });

  it('reach bookings', async () => {
    let bookings = 0;
    for (let seed = 20; seed < 26; seed += 1) bookings += await walk(seed, 400);
    expect(bookings).toBeGreaterThan(0);
  });
});
