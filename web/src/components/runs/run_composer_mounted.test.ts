// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// @vitest-environment jsdom
import { createPinia, setActivePinia } from 'pinia';
import { Quasar } from 'quasar';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type App, createApp, h, nextTick } from 'vue';
import { createMemoryHistory, createRouter } from 'vue-router';
import { i18n, loadPageTexts } from '@/i18n';
import { HttpRuns } from '@/runs/http_runs';
import { useAccount } from '@/stores/account';
import { useRuns } from '@/stores/runs';
import RunComposer from './RunComposer.vue';

await loadPageTexts();

let app: App | null = null;
let refusal: { status: number; body: unknown } = { status: 500, body: {} };

const kOffers: Record<string, unknown> = {
  '/v1/models': { models: [{ id: 'lab/small', name: 'small', provider: 'lab' }], failures: [], default: 'lab/small' },
  '/v1/agents': {
    agents: [
      { name: 'dev', description: 'Works on software.', source: 'builtin', kind: 'react' },
      { name: 'tot', description: 'Ours.', source: 'project', kind: 'tot' },
    ],
  },
};

async function show(draft: Record<string, string>): Promise<HTMLElement> {
  window.sessionStorage.setItem('parley.run-draft', JSON.stringify(draft));
  const root = document.createElement('div');
  const router = createRouter({
    history: createMemoryHistory(),
    routes: [
      { path: '/', component: RunComposer },
      { path: '/runs/:run', name: 'run', component: RunComposer },
    ],
  });
  app = createApp({ render: () => h(RunComposer) });
  app.use(Quasar).use(i18n).use(router);
  document.body.append(root);
  app.mount(root);
  await vi.waitFor(() => expect(useRuns().models.models).toHaveLength(1));
  await nextTick();
  return root;
}

const part = <T extends HTMLElement>(root: HTMLElement, name: string): T =>
  root.querySelector<T>(`[data-test="${name}"]`) as T;

async function send(root: HTMLElement): Promise<HTMLElement> {
  root.querySelector('form')?.dispatchEvent(new Event('submit', { cancelable: true }));
  await vi.waitFor(() => expect(part(root, 'run-problem')).not.toBeNull());
  await nextTick();
  return part(root, 'run-problem');
}

beforeEach(() => {
  setActivePinia(createPinia());
  useAccount().use('secret');
  useRuns().readBy(
    (token) =>
      new HttpRuns(token, (input, init) => {
        const path = (input as string).split('?')[0] ?? '';
        const { body, status } = init?.method === 'POST' ? refusal : { body: kOffers[path], status: 200 };
        return Promise.resolve(new Response(JSON.stringify(body), { status }));
      }),
  );
});

afterEach(() => {
  app?.unmount();
  document.body.replaceChildren();
});

it('offers every kind and every profile, each name once', async () => {
  const root = await show({});
  await vi.waitFor(() => expect(useRuns().agents).toHaveLength(2));
  await nextTick();
  const groups = [...part(root, 'run-agent').querySelectorAll('optgroup')].map((group) => [
    group.label,
    [...group.querySelectorAll('option')].map(({ value }) => value),
  ]);
  expect(groups).toEqual([
    ['Kinds', ['react', 'dup', 'got', 'agot']],
    ['Built-in profiles', ['dev']],
    ['Of the project', ['tot']],
  ]);
});

describe('a run that is refused', () => {
  it.each([
    ['model', 'run-model', 404],
    ['agent', 'run-agent', 404],
    ['working_folder', 'run-folder', 400],
    ['message', 'run-message', 400],
  ])('shows the error at its focused %s, and keeps the text', async (field, test, status) => {
    const root = await show({ message: 'do it', model: 'lab/gone', agent: 'gone', workingFolder: '/gone' });
    refusal = { status, body: { code: 'x', message: `What is wrong with ${field}.`, field } };
    const problem = await send(root);
    expect(problem.textContent).toBe(`What is wrong with ${field}.`);
    expect(problem.dataset['field']).toBe(field);
    const control = part<HTMLInputElement>(root, test);
    expect(control.getAttribute('aria-invalid')).toBe('true');
    expect(control.getAttribute('aria-describedby')).toBe(problem.id);
    expect(document.activeElement).toBe(control);
    expect(part<HTMLTextAreaElement>(root, 'run-message').value).toBe('do it');
    control.value = test === 'run-model' ? 'lab/small' : test === 'run-agent' ? 'got' : 'other';
    control.dispatchEvent(new Event(control.tagName === 'SELECT' ? 'change' : 'input'));
    await nextTick();
    expect(part(root, 'run-problem'), 'what is changed was not refused').toBeNull();
  });

  it('shows errors of no field above the buttons', async () => {
    const root = await show({ message: 'do it' });
    refusal = {
      status: 429,
      body: { code: 'resource_exhausted', message: 'Too many runs go on. Wait until one of them has ended.' },
    };
    const problem = await send(root);
    expect(problem.textContent).toContain('Too many runs');
    expect(root.querySelector('[aria-invalid=true]')).toBeNull();
    expect(part<HTMLTextAreaElement>(root, 'run-message').value).toBe('do it');
  });

  it('keeps the requested values, even if no longer offered', async () => {
    const root = await show({ message: 'do it', model: 'lab/gone', agent: 'gone' });
    const shown = (name: string) => part<HTMLSelectElement>(root, name).selectedOptions[0]?.textContent?.trim();
    expect(shown('run-model')).toBe('lab/gone');
    expect(shown('run-agent')).toBe('gone');
  });
});
