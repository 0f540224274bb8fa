// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { SeenWatch } from './seen';

function watchOf(): { watch: SeenWatch; seen: string[]; set: (more: { visible?: boolean; pass?: number }) => void } {
  let visible = true;
  let now = 0;
  const seen: string[] = [];
  const watch = new SeenWatch(
    (key) => seen.push(key),
    () => visible,
    () => now,
  );
  return {
    watch,
    seen,
    set: (more) => {
      visible = more.visible ?? visible;
      now += more.pass ?? 0;
    },
  };
}

describe('a question is seen', () => {
  it('once, when it is on the screen of a person', () => {
    const { watch, seen } = watchOf();
    watch.show('a');
    watch.hide('a');
    watch.show('a');
    expect(seen).toEqual(['a']);
  });

  it('not while the page is hidden', () => {
    const { watch, seen, set } = watchOf();
    set({ visible: false });
    watch.show('a');
    expect(seen).toEqual([]);
    set({ visible: true });
    watch.settle();
    expect(seen).toEqual(['a']);
  });

  it('not without a sign of a person', () => {
    const { watch, seen, set } = watchOf();
    set({ pass: 60_000 });
    watch.show('a');
    watch.show('b');
    watch.hide('b');
    expect(seen).toEqual([]);
    watch.sign();
    expect(seen).toEqual(['a']);
  });
});
