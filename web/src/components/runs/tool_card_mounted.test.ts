// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// @vitest-environment jsdom
import { Quasar } from 'quasar';
import { afterEach, describe, expect, it } from 'vitest';
import { type App, createApp, h, nextTick, shallowRef } from 'vue';
import { i18n, loadPageTexts } from '@/i18n';
import type { ToolItem } from '@/runs/run_items';
import { type AnswerCall, kAnswerCall } from './answer_call';
import { kRowMemory } from './row_memory';
import ToolCard from './ToolCard.vue';

await loadPageTexts();

const kTool: ToolItem = {
  is: 'tool', key: '4', frames: [4], at: 1000, endAt: null, node: 'act', nodeId: '', callId: 'c1', name: 'bash', written: '', args: { command: 'rm -r "<b>old</b>"' },
  phase: 'asking', asked: true, startAt: null, output: '', result: '', raw: null, agents: [],
};

let app: App | null = null;
const answers: [string, boolean, string][] = [];
const memory = new Map<string, unknown>();

function show(tool: ToolItem, answer: AnswerCall = () => Promise.resolve(true), canAnswer = true): HTMLElement {
  const root = document.createElement('div');
  const item = shallowRef(tool);
  app = createApp({ render: () => h(ToolCard, { tool: item.value, now: 0, canAnswer, selected: false }) });
  app.use(Quasar).use(i18n);
  app.provide(kRowMemory, memory);
  app.provide(kAnswerCall, (callId: string, allow: boolean, reason: string) => {
    answers.push([callId, allow, reason]);
    return answer(callId, allow, reason);
  });
  document.body.append(root);
  app.mount(root);
  return root;
}

const part = (root: HTMLElement, name: string): HTMLElement => root.querySelector<HTMLElement>(`[data-test="${name}"]`) ?? document.createElement('i');

function type(root: HTMLElement, words: string): void {
  const field = part(root, 'approval-reason') as HTMLInputElement;
  field.value = words;
  field.dispatchEvent(new Event('input'));
}

afterEach(() => {
  app?.unmount();
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
    const root = show(kTool);
    type(root, ' Not that folder. ');
    part(root, 'deny').click();
    await nextTick();
    expect(answers).toEqual([['c1', false, 'Not that folder.']]);
  });

  it('names an earlier answer by another person', async () => {
    const root = show(kTool, () => Promise.resolve(false));
    root.querySelector('form')?.dispatchEvent(new Event('submit'));
    await nextTick();
    await nextTick();
    expect(answers).toEqual([['c1', true, '']]);
    expect(root.querySelector('[role="alert"]')?.textContent).toContain('Somebody else');
  });

  it('can be answered again after a server outage', async () => {
    const root = show(kTool, () => Promise.reject(new Error('away')));
    part(root, 'deny').click();
    await nextTick();
    await nextTick();
    part(root, 'deny').click();
    expect(answers).toHaveLength(2);
  });

  it('keeps typed text while out of sight', () => {
    type(show(kTool), 'Wait');
    app?.unmount();
    expect((part(show(kTool), 'approval-reason') as HTMLInputElement).value).toBe('Wait');
  });

  it('offers no answer in a file or without an id', () => {
    expect(show(kTool, undefined, false).querySelector('form')).toBeNull();
    app?.unmount();
    expect(show({ ...kTool, callId: '' }).querySelector('form')).toBeNull();
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
