// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// For tests: an engine on the backend in memory, a clock that stands still, seeded chance.
import { createHostEngine } from './engine';
import type { HostEngine, HostOptions, ToolOutcome } from './host_engine';
import { createMemoryBackend, type MemoryBackend } from './memory_backend';
import type { Stage, UiSpec } from '@/stage/ui_spec';

export const kToday = '2026-11-22';
export const kNow = new Date(2026, 10, 22, 23, 30).getTime(); // late: another day in other time zones

// The Mulberry32 generator, for reproducible tests.
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export interface Fixture {
  engine: HostEngine;
  backend: MemoryBackend;
  spec(): UiSpec;
  offered(): string[];
  call(tool: unknown, params?: unknown): Promise<ToolOutcome>;
  // Calls a tool; throws with the reason if the call is refused.
  must(tool: string, params?: unknown): Promise<UiSpec>;
  // Goes to a stage by tools, with the first free choice of each stage: two seats, two adults.
  advanceTo(stage: Stage): Promise<UiSpec>;
}

export function shownSpec(engine: HostEngine): UiSpec {
  const { uiSpec } = engine.state;
  if (uiSpec === null) throw new Error('no stage is shown');
  return uiSpec;
}

export function freeIds(spec: UiSpec): string[] {
  return spec.visibleItems.filter((item) => !item.isDisabled).map((item) => item.id);
}

export async function startFixture(
  options: HostOptions = {},
  backend: MemoryBackend = createMemoryBackend(kToday),
): Promise<Fixture> {
  const engine = createHostEngine(backend, { now: () => kNow, random: seeded(1), ...options });
  await engine.start();
  const must = async (tool: string, params: unknown = {}): Promise<UiSpec> => {
    const outcome = await engine.runTool(tool, params);
    if (!outcome.ok) throw new Error(`${tool}: ${outcome.code} ${outcome.message}`);
    return shownSpec(engine);
  };
  const chooseHere = async (spec: UiSpec): Promise<void> => {
    if (spec.stage === 'ticket') {
      await must('setQuantity', { typeId: 'tt1', quantity: spec.meta?.['maxTotal'] });
      return;
    }
    const wanted = freeIds(spec).slice(0, spec.stage === 'seat' ? 2 : 1);
    for (const itemId of wanted) await must('select', { itemId });
  };
  return {
    engine,
    backend,
    spec: () => shownSpec(engine),
    offered: () => engine.state.toolSchema.map((tool) => tool.name),
    call: (tool, params) => engine.runTool(tool, params),
    must,
    advanceTo: async (stage) => {
      while (shownSpec(engine).stage !== stage) {
        await chooseHere(shownSpec(engine));
        await must('next');
      }
      return shownSpec(engine);
    },
  };
}
