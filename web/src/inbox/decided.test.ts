// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it, vi } from 'vitest';
import { isHabit, kMaxAtOnce, readDecided } from './decided';

const kLast = {
  verdict: 'denied',
  at: '2026-11-28T08:00:00.000Z',
  closed_at: '2026-11-28T08:01:00.000Z',
  person: 'Pixel',
  channel: 'push',
  action: { kind: 'command', subject: 'make' },
};

function answering(body: unknown) {
  const asked: string[] = [];
  const fetchIt: typeof fetch = (input) => {
    asked.push(input as string);
    return Promise.resolve(new Response(JSON.stringify(body)));
  };
  return { asked, read: () => readDecided('a/b', 'secret', new AbortController().signal, fetchIt) };
}

describe('What was decided before', () => {
  it('is asked for by the key of the prompt, and counts rules as allowed', async () => {
    const { asked, read } = answering({ decisions: [kLast], like: { allowed: 3, lasting: 1, denied: 2 }, next: null });
    expect(await read()).toEqual({
      allowed: 4,
      denied: 2,
      isCommand: true,
      subject: 'make',
      last: { verdict: 'denied', at: Date.parse(kLast.closed_at), person: 'Pixel', channel: 'push' },
    });
    expect(asked).toEqual(['/v1/decisions?limit=1&like=a%2Fb']);
  });

  it.each([{ decisions: [], next: null }, { decisions: [{ ...kLast, verdict: 'dreamed' }], like: {} }, null, []])(
    'is nothing for %j',
    async (body) => {
      expect(await answering(body).read()).toBeNull();
    },
  );

  it('is a habit if a command was allowed five times and never denied', async () => {
    const decided = (allowed: number, denied: number, kind = 'command') =>
      answering({ decisions: [{ ...kLast, action: { kind } }], like: { allowed, lasting: 0, denied } }).read();
    const habits = await Promise.all([decided(5, 0), decided(4, 0), decided(41, 1), decided(41, 0, 'file')]);
    expect(habits.map((found) => found !== null && isHabit(found))).toEqual([true, false, false, false]);
  });

  it('is asked for by a few cards at a time, and by each in its turn', async () => {
    const open: ((response: Response) => void)[] = [];
    const fetchIt: typeof fetch = () => new Promise((resolve) => open.push(resolve));
    const cards = Array.from({ length: kMaxAtOnce + 2 }, (_, i) =>
      readDecided(`${i}`, 'secret', new AbortController().signal, fetchIt),
    );
    await vi.waitFor(() => expect(open).toHaveLength(kMaxAtOnce));
    open[0]?.(new Response('{}'));
    await vi.waitFor(() => expect(open).toHaveLength(kMaxAtOnce + 1));
    while (open.length < cards.length) {
      open.at(-1)?.(new Response('{}'));
      await Promise.resolve();
    }
    for (const answer of open) answer(new Response('{}'));
    expect(await Promise.all(cards)).toEqual(cards.map(() => null));
  });
});
