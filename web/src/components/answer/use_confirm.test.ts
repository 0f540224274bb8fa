// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// @vitest-environment jsdom
import { createPinia, setActivePinia } from 'pinia';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type App, createApp, h } from 'vue';
import { useSelection } from '@/stores/selection';
import { kDoublePressMs, kUndoMs, sendHeld, useConfirm } from './use_confirm';

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
      confirming = useConfirm(() => useSelection().activeKey === 'a', send, undone);
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
    vi.advanceTimersByTime(kDoublePressMs);
    press('Enter');
    confirming.begin('Deny', true);
    vi.advanceTimersByTime(kDoublePressMs);
    expect(confirming.again('Deny')).toBe(true);
    confirming.begin('Deny', true);
    window.dispatchEvent(new Event('pagehide'));
    confirming.begin('Deny', true);
    sendHeld();
    confirming.begin('Deny', true);
    app.unmount();
    expect(send).toHaveBeenCalledTimes(5);
    vi.advanceTimersByTime(2 * kUndoMs);
    sendHeld();
    expect(send).toHaveBeenCalledTimes(5);
  });

  it('is not sent by a double press or a key that is held down', () => {
    vi.advanceTimersByTime(kDoublePressMs - 1);
    expect(confirming.again('Deny')).toBe(true);
    expect(press('Enter')).toBe(false);
    vi.advanceTimersByTime(1);
    expect(press('3', { repeat: true })).toBe(false);
    expect(press('Enter', { repeat: true })).toBe(false);
    expect(send).not.toHaveBeenCalled();
    expect(press('Enter')).toBe(false);
    expect(send).toHaveBeenCalledTimes(1);
  });

  it('leaves the keys of a menu and a dialog alone', () => {
    vi.advanceTimersByTime(kDoublePressMs);
    for (const layer of ['q-menu', 'q-dialog']) {
      const menu = document.body.appendChild(document.createElement('div'));
      menu.className = layer;
      for (const key of ['Enter', 'Escape']) expect(press(key, {}, menu), key).toBe(true);
      menu.remove();
    }
    const item = document.body.appendChild(document.createElement('div'));
    item.setAttribute('role', 'menuitem');
    expect(press('Enter', {}, item)).toBe(true);
    expect([send.mock.calls.length, undone.mock.calls.length]).toEqual([0, 0]);
  });

  it('leaves the keys of another card, a field and an input method alone', () => {
    vi.advanceTimersByTime(kDoublePressMs);
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
    sendHeld();
    app.unmount();
    expect(send).not.toHaveBeenCalled();
  });

  it('is confirmed by Enter', () => {
    vi.advanceTimersByTime(kDoublePressMs);
    press('Enter');
    expect(send).toHaveBeenCalledTimes(1);
  });
});
