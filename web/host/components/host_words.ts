// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { isToolName } from '../engine/tool_schema';

type Translate = (key: string, values?: Record<string, unknown>, plural?: number) => string;

// An action of the agent as a short sentence.
export function actWords(act: { tool: string; agent: string }, t: Translate): string {
  const agent = act.agent || t('stage.theAgent');
  return isToolName(act.tool) ? t(`host.act.${act.tool}`, { agent }) : t('host.act.other', { agent, tool: act.tool });
}

const kFailures: [RegExp, string][] = [
  [/not reachable/i, 'unreachable'],
  [/not answer in time/i, 'late'],
  [/already occupied|just booked/i, 'occupied'],
  [/sold out/i, 'soldOut'],
];

// The reason why an action failed, translated if it is a known one.
export function failureWords(failure: string, t: Translate): string {
  const known = kFailures.find(([pattern]) => pattern.test(failure));
  if (!known) return failure;
  const seats = /\(([^)]+)\)\s*$/.exec(failure)?.[1];
  return known[1] === 'occupied' && seats ? t('host.failure.occupiedSeats', { seats }) : t(`host.failure.${known[1]}`);
}
