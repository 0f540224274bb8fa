// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// @vitest-environment jsdom
import { createPinia, setActivePinia } from 'pinia';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type App, createApp, h } from 'vue';
import { useSelection } from '@/stores/selection';
import { kUndoMs, useConfirm } from './use_confirm';

const send = vi.fn();
const undone = vi.fn();
let app: App;
let confirming: ReturnType<typeof useConfirm>;

function press(key: string, more: KeyboardEventInit = {}, target: EventTarget = document.body): boolean {
  return target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more }));
}

beforeEach(() => {
  vi.useFakeTimers();
  setActivePinia(createPinia());
  useSelection().activate('a');
  send.mockReset();
  undone.mockReset();
  app = createApp({
    setup() {
      confirming = useConfirm('a', send, undone);
      return () => h('p');
    },
  });
  app.mount(document.createElement('div'));
});

afterEach(() => {
  app.unmount();
  document.body.replaceChildren();
  vi.useRealTimers();
});

describe('a held decision', () => {
  beforeEach(() => confirming.begin('Deny', true));

  it('is sent once, after its moment', () => {
    vi.advanceTimersByTime(kUndoMs - 1);
    expect(send).not.toHaveBeenCalled();
    vi.advanceTimersByTime(kUndoMs);
    expect(send).toHaveBeenCalledTimes(1);
    expect(confirming.unconfirmed.value).toBeNull();
  });

  it('is undone by a press or Escape, for good', () => {
    expect(press('Escape')).toBe(false);
    vi.advanceTimersByTime(2 * kUndoMs);
    expect([send.mock.calls.length, undone.mock.calls.length]).toEqual([0, 1]);
  });

  it('is sent at once by Enter, a second press, or when the page is left', () => {
    press('Enter');
    confirming.begin('Deny', true);
    expect(confirming.again('Deny')).toBe(true);
    confirming.begin('Deny', true);
    window.dispatchEvent(new Event('pagehide'));
    confirming.begin('Deny', true);
    app.unmount();
    expect(send).toHaveBeenCalledTimes(4);
    vi.advanceTimersByTime(2 * kUndoMs);
    expect(send).toHaveBeenCalledTimes(4);
  });

  it('is not sent by a double click or a key that is held down', () => {
    confirming.again('Deny', new MouseEvent('click', { detail: 2 }));
    expect(press('3', { repeat: true })).toBe(false);
    expect(press('Enter', { repeat: true })).toBe(false);
    expect(send).not.toHaveBeenCalled();
  });

  it('leaves the keys of another card, a field and an input method alone', () => {
    const field = document.body.appendChild(document.createElement('textarea'));
    expect(press('Enter', {}, field)).toBe(true);
    expect(press('Enter', { isComposing: true })).toBe(true);
    useSelection().activate('b');
    expect(press('Enter')).toBe(true);
    expect(press('Escape')).toBe(true);
    expect(send).not.toHaveBeenCalled();
  });
});

describe('a chosen decision', () => {
  beforeEach(() => confirming.begin('Always 1', false));

  it('waits for its confirmation, also if the page is left', () => {
    vi.advanceTimersByTime(10 * kUndoMs);
    window.dispatchEvent(new Event('pagehide'));
    app.unmount();
    expect(send).not.toHaveBeenCalled();
  });

  it('is confirmed by Enter', () => {
    press('Enter');
    expect(send).toHaveBeenCalledTimes(1);
  });
});
