// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// @vitest-environment jsdom
import { createPinia, setActivePinia } from 'pinia';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type App, createApp, h, ref } from 'vue';
import { useSelection } from '@/stores/selection';
import { kSettleMs, useSettling } from './use_settling';

const kFramesMs = 40; // two frames
const kShownMs = kSettleMs + 2 * kFramesMs;
const pressed = vi.fn();
let app: App;
let form: HTMLElement;
let top = 100;

const press = () => form.querySelector('button')?.click();
const frames = () => vi.advanceTimersByTime(kFramesMs);

beforeEach(() => {
  vi.useFakeTimers();
  setActivePinia(createPinia());
  pressed.mockReset();
  top = 100;
  const root = document.body.appendChild(document.createElement('div'));
  app = createApp({
    setup() {
      const place = ref<HTMLElement | null>(null);
      const { guard, settling } = useSettling(place, 'a');
      return () =>
        h(
          'form',
          { ref: place, onClickCapture: guard, 'data-settling': settling.value },
          h('button', { type: 'button', onClick: pressed }),
        );
    },
  });
  app.mount(root);
  form = root.querySelector('form') ?? root;
  form.getBoundingClientRect = () => ({ top }) as DOMRect;
});

afterEach(() => {
  app.unmount();
  document.body.replaceChildren();
  vi.useRealTimers();
});

it('takes no press until a moment after it was drawn', () => {
  vi.advanceTimersByTime(kSettleMs);
  press();
  expect(pressed).not.toHaveBeenCalled();
  frames();
  press();
  expect(pressed).toHaveBeenCalledTimes(1);
});

it('takes no press when it has got the keys by itself', () => {
  vi.advanceTimersByTime(kShownMs);
  useSelection().offer('b');
  press();
  useSelection().offer('a');
  press();
  expect(pressed).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(kShownMs);
  useSelection().activate('a'); // by the person
  press();
  expect(pressed).toHaveBeenCalledTimes(2);
});

it('takes no press after it was moved, and at once if it has stayed', () => {
  vi.advanceTimersByTime(kShownMs);
  useSelection().moved();
  press();
  expect(pressed, 'not known yet').not.toHaveBeenCalled();
  frames();
  press();
  expect(pressed, 'it has stayed').toHaveBeenCalledTimes(1);
  useSelection().moved();
  top += 36;
  frames();
  press();
  expect(pressed).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(kShownMs);
  press();
  expect(pressed).toHaveBeenCalledTimes(2);
});
