// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// @vitest-environment jsdom
import { createPinia } from 'pinia';
import { Quasar } from 'quasar';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type App, createApp, h, nextTick, shallowRef } from 'vue';
import { i18n, loadPageTexts } from '@/i18n';
import type { ToolItem } from '@/runs/run_items';
import { kDoublePressMs, kUndoMs } from '../answer/use_confirm';
import { kSettleMs } from '../answer/use_settling';
import { wantDecisions } from '../decision/lazy_decision';
import { type AnswerCall, kAnswerCall } from './answer_call';
import { kRowMemory } from './row_memory';
import ToolCard from './ToolCard.vue';

await loadPageTexts();
await wantDecisions();

const kTool: ToolItem = {
  is: 'tool',
  key: '4',
  frames: [4],
  at: 1000,
  endAt: null,
  node: 'act',
  nodeId: '',
  callId: 'c1',
  name: 'bash',
  written: '',
  args: { command: 'rm -r "<b>old</b>"' },
  phase: 'asking',
  asked: true,
  explanation: null,
  startAt: null,
  output: '',
  result: '',
  raw: null,
  agents: [],
};

let app: App | null = null;
const answers: [string, boolean, string][] = [];
const memory = new Map<string, unknown>();

function show(tool: ToolItem, answer: AnswerCall = () => Promise.resolve(true), canAnswer = true): HTMLElement {
  const root = document.createElement('div');
  const item = shallowRef(tool);
  app = createApp({ render: () => h(ToolCard, { tool: item.value, now: 0, canAnswer, selected: false }) });
  app.use(createPinia()).use(Quasar).use(i18n);
  app.provide(kRowMemory, memory);
  app.provide(kAnswerCall, (callId: string, allow: boolean, reason: string) => {
    answers.push([callId, allow, reason]);
    return answer(callId, allow, reason);
  });
  document.body.append(root);
  app.mount(root);
  return root;
}

const part = (root: HTMLElement, name: string): HTMLElement =>
  root.querySelector<HTMLElement>(`[data-test="${name}"]`) ?? document.createElement('i');

// A click as of a person: with a pointer, and after that for two frames not at all.
async function click(root: HTMLElement, name: string): Promise<void> {
  part(root, name).dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 1 }));
  await vi.advanceTimersByTimeAsync(40);
}

// A card whose buttons are there and take presses.
async function settled(root: HTMLElement): Promise<HTMLElement> {
  await vi.advanceTimersByTimeAsync(40);
  await vi.advanceTimersByTimeAsync(kSettleMs);
  expect(part(root, 'deny').tagName).toBe('BUTTON');
  return root;
}

async function write(root: HTMLElement, words: string): Promise<HTMLTextAreaElement> {
  await click(root, 'reason');
  await nextTick();
  const field = part(root, 'reason-field') as HTMLTextAreaElement;
  field.value = words;
  field.dispatchEvent(new Event('input'));
  return field;
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  app?.unmount();
  vi.useRealTimers();
  document.body.replaceChildren();
  answers.length = 0;
  memory.clear();
});

describe('a tool call that asks', () => {
  it('shows the command as text, never as HTML', () => {
    const root = show(kTool);
    expect(root.querySelector('pre')?.textContent).toContain('<b>old</b>');
    expect(root.querySelector('pre b')).toBeNull();
  });

  it('shows all of the command, because all of it is allowed', () => {
    const root = show({ ...kTool, args: { command: `echo harmless${' '.repeat(30_000)}; touch C` } });
    expect(part(root, 'tool-arguments').textContent).toContain('; touch C');
  });

  it('marks and counts hidden characters of the command', () => {
    const root = show({ ...kTool, name: 'ba\u200bsh', args: { command: 'ls \u202e\u2066 部署 👩‍💻' } });
    const marks = [...root.querySelectorAll('pre mark.hidden-character')].map((mark) => mark.textContent);
    expect(marks).toEqual(['U+202E', 'U+2066']);
    expect(part(root, 'approval').textContent).toContain('3 hidden characters');
    expect(root.querySelector('pre')?.textContent).toContain('部署 👩‍💻');
    expect(root.textContent).not.toMatch(/[\u200b\u202e\u2066]/);
  });

  it('has no mark without hidden characters', () => {
    expect(show(kTool).querySelector('[data-test="hidden-note"]')).toBeNull();
  });

  it('is denied with the written reason', async () => {
    const root = await settled(show(kTool));
    await write(root, ' Not that folder. ');
    await click(root, 'deny');
    expect(answers, 'it can be undone').toEqual([]);
    await vi.advanceTimersByTimeAsync(kUndoMs);
    expect(answers).toEqual([['c1', false, 'Not that folder.']]);
  });

  it('is never allowed from the field of the reason', async () => {
    const root = await settled(show(kTool));
    const field = await write(root, 'Not that folder.');
    for (const more of [{}, { ctrlKey: true }])
      field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, ...more }));
    expect(root.querySelector('form'), 'nothing submits itself').toBeNull();
    await vi.advanceTimersByTimeAsync(2 * kUndoMs);
    expect(answers).toEqual([['c1', false, 'Not that folder.']]);
  });

  it('is allowed by a click and a moment, and by a key with its confirmation', async () => {
    const root = await settled(show(kTool));
    part(root, 'allow').click(); // without a pointer
    await vi.advanceTimersByTimeAsync(2 * kUndoMs);
    expect(answers).toEqual([]);
    await click(root, 'undo');
    await nextTick();
    await click(root, 'allow');
    await vi.advanceTimersByTimeAsync(kUndoMs);
    expect(answers).toEqual([['c1', true, '']]);
  });

  it('names the dangers of its command, and is then allowed by a press and its confirmation alone', async () => {
    const none = { dangers: '', touches: '' };
    const explanation = {
      dangerous: true,
      argument: 'cmd',
      en: { dangers: '**Careful:**\n\n- Deletes `old`', touches: '- Programs: `rm`' },
      zh: none,
    };
    const root = await settled(show({ ...kTool, explanation }));
    expect(part(root, 'dangers').textContent).toContain('Deletes old');
    expect(part(root, 'dangers').textContent).toContain('“cmd”, read as a shell command');
    expect(part(root, 'touches').textContent).toContain('Programs: rm');
    await click(root, 'allow');
    await vi.advanceTimersByTimeAsync(2 * kUndoMs);
    expect(answers).toEqual([]);
    await click(root, 'confirm');
    expect(answers).toEqual([['c1', true, '']]);
  });

  it('is denied without a confirmation, whatever its dangers', async () => {
    const none = { dangers: '', touches: '' };
    const root = await settled(show({ ...kTool, explanation: { dangerous: true, argument: '', en: none, zh: none } }));
    await click(root, 'deny');
    await vi.advanceTimersByTimeAsync(kUndoMs);
    expect(answers).toEqual([['c1', false, '']]);
  });

  it('is allowed after all of a long command was opened and its end was on the screen', async () => {
    let looks: (entries: { isIntersecting: boolean }[]) => void = () => undefined;
    vi.stubGlobal(
      'IntersectionObserver',
      class {
        constructor(look: typeof looks) {
          looks = look;
        }
        observe = vi.fn();
        disconnect = vi.fn();
      },
    );
    const root = await settled(show({ ...kTool, args: { command: 'x'.repeat(30_000) } }));
    const isLocked = () => (part(root, 'allow') as HTMLButtonElement).disabled;
    looks([{ isIntersecting: true }]);
    await nextTick();
    expect([isLocked(), part(root, 'locked').textContent]).toEqual([
      true,
      expect.stringContaining('Open the folded parts'),
    ]);
    await click(root, 'tool-line'); // folding the card hides the parts, and shows nothing
    await nextTick();
    expect(isLocked()).toBe(true);
    await click(root, 'tool-line');
    await nextTick();
    await click(root, 'fold');
    await nextTick();
    await nextTick();
    expect([isLocked(), part(root, 'locked').textContent]).toEqual([true, expect.stringContaining('Read to the end')]);
    looks([{ isIntersecting: true }]);
    await nextTick();
    await nextTick();
    expect(isLocked()).toBe(false);
    vi.unstubAllGlobals();
  });

  it('names an earlier answer by another person', async () => {
    const root = await settled(show(kTool, () => Promise.resolve(false)));
    await click(root, 'allow');
    await vi.advanceTimersByTimeAsync(kUndoMs);
    expect(answers).toEqual([['c1', true, '']]);
    expect(root.querySelector('[role="alert"]')?.textContent).toContain('Somebody else');
  });

  it('can be answered again after a server outage', async () => {
    const root = await settled(show(kTool, () => Promise.reject(new Error('away'))));
    await click(root, 'deny');
    await vi.advanceTimersByTimeAsync(kUndoMs);
    await settled(root);
    await click(root, 'deny');
    await vi.advanceTimersByTimeAsync(kDoublePressMs);
    await click(root, 'deny'); // again: at once
    expect(answers).toHaveLength(2);
  });

  it('keeps typed text while out of sight', async () => {
    await write(await settled(show(kTool)), 'Wait');
    app?.unmount();
    const field = part(await settled(show(kTool)), 'reason-field') as HTMLTextAreaElement;
    expect(field.value).toBe('Wait');
  });

  it('offers no answer in a file or without an id', () => {
    for (const root of [show(kTool, undefined, false), show({ ...kTool, callId: '' })])
      expect(root.querySelector('[data-test=approval]')).toBeNull();
  });
});

describe('a tool call that has ended', () => {
  it('shows the exit code of a failed command and a missing answer', () => {
    const failed = show({ ...kTool, phase: 'failed', result: 'hello\nexit code: 1' });
    expect(part(failed, 'tool-line').textContent).toContain('exit code 1');
    app?.unmount();
    expect(part(show({ ...kTool, phase: 'stopped', asked: true }), 'tool-line').textContent).toContain('not answered');
  });

  it('is one line until unfolded', async () => {
    const root = show({ ...kTool, phase: 'done', startAt: 1000, endAt: 3400, result: 'one\ntwo\n[exit code 0]' });
    expect(root.querySelector('pre')).toBeNull();
    expect(part(root, 'tool-line').textContent).toMatch(/Run.*rm -r.*exit code 0.*2\.4 s/);
    part(root, 'tool-line').click();
    await nextTick();
    expect(root.textContent).toContain('two');
  });
});
