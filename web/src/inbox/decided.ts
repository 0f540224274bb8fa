// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { asArray, asNumber, asObject, asText, asTime } from '@/wire/json';
import { readDocument } from '@/wire/plain_server';

export type Verdict = 'allowed' | 'lasting' | 'denied';

// Earlier decisions about the like of a permission prompt.
export interface Decided {
  allowed: number; // times, with a rule or without
  denied: number;
  last: { verdict: Verdict; at: number; person: string; channel: string };
  isCommand: boolean;
  subject: string; // the command, the path or the arguments that the decisions were about
}

// The least number of times after which the server proposes a rule.
export const kHabitCount = 5;

// The most requests at a time: a page may come with hundreds of cards.
export const kMaxAtOnce = 4;
let running = 0;
const waiting: (() => void)[] = [];

// Runs `work` when its turn comes; one that ends passes its turn on.
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running < kMaxAtOnce) running += 1;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}

// Null: the prompt names no action, or nothing was decided. Rejects with a ServerError.
export async function readDecided(
  key: string,
  token: string,
  signal: AbortSignal,
  fetchIt: typeof fetch = (input, init) => fetch(input, init),
): Promise<Decided | null> {
  const body = asObject(
    await inTurn(() => readDocument(`/v1/decisions?limit=1&like=${encodeURIComponent(key)}`, token, fetchIt, signal)),
  );
  const tally = asObject(body['like']);
  const latest = asArray(body['decisions'])[0];
  if (latest === undefined) return null;
  const last = asObject(latest);
  const verdict = asText(last['verdict']);
  if (verdict !== 'allowed' && verdict !== 'lasting' && verdict !== 'denied') return null;
  return {
    allowed: (asNumber(tally['allowed']) ?? 0) + (asNumber(tally['lasting']) ?? 0),
    denied: asNumber(tally['denied']) ?? 0,
    last: {
      verdict,
      at: asTime(last['closed_at']) ?? asTime(last['at']) ?? 0,
      person: asText(last['person']),
      channel: asText(last['channel']),
    },
    isCommand: asText(asObject(last['action'])['kind']) === 'command',
    subject: asText(asObject(last['action'])['subject']),
  };
}

export const isHabit = ({ allowed, denied, isCommand }: Decided): boolean =>
  isCommand && denied === 0 && allowed >= kHabitCount;
