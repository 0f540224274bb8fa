// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Burst } from './burst';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function burst() {
  const handled: number[] = [];
  const it = new Burst<number>((message) => handled.push(message));
  const take = (from: number, to: number) => {
    for (let message = from; message < to; message += 1) it.take(message);
  };
  return { burst: it, handled, take };
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

it('few messages are handled when they come', () => {
  const { handled, take } = burst();
  take(0, 20);
  expect(handled).toEqual(upTo(20));
  vi.advanceTimersByTime(100);
  take(20, 40);
  expect(handled).toEqual(upTo(40));
  vi.runAllTimers();
});

it('a burst is handled in groups, in its order', () => {
  const { handled, take } = burst();
  take(0, 500);
  expect(handled).toEqual(upTo(20));
  vi.advanceTimersByTime(100);
  expect(handled).toEqual(upTo(500));
  take(500, 530);
  expect(handled).toEqual(upTo(520));
  vi.runAllTimers();
  expect(handled).toEqual(upTo(530));
});

it('what waits is handled or dropped on request', () => {
  const { burst: it, handled, take } = burst();
  take(0, 30);
  it.flush();
  expect(handled).toEqual(upTo(30));
  take(30, 40);
  it.clear();
  vi.runAllTimers();
  expect(handled).toEqual(upTo(30));
});
