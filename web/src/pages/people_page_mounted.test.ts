// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// @vitest-environment jsdom
import { create } from '@bufbuild/protobuf';
import { createPinia, setActivePinia } from 'pinia';
import { Quasar } from 'quasar';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type App, createApp, h, nextTick } from 'vue';
import { createMemoryHistory, createRouter, RouterView } from 'vue-router';
import { WebsocketMessageSchema } from '@/gen/agentassist_pb';
import { i18n } from '@/i18n';
import { decodeFrame } from '@/protocol/frames';
import { usePeople } from '@/stores/people';
import { useSettings } from '@/stores/settings';
import PeoplePage from './PeoplePage.vue';

let app: App;
let root: HTMLElement;
let sent: string[];

const field = () => root.querySelector<HTMLTextAreaElement>('[data-test="chat-field"]') as HTMLTextAreaElement;

async function type(text: string): Promise<void> {
  field().value = text;
  field().dispatchEvent(new Event('input'));
  await nextTick();
}

async function submit(): Promise<void> {
  root.querySelector('form')?.dispatchEvent(new Event('submit', { cancelable: true }));
  await nextTick();
}

beforeEach(async () => {
  vi.useFakeTimers();
  Element.prototype.scrollTo = () => undefined; // jsdom has none
  setActivePinia(createPinia());
  const people = usePeople();
  sent = [];
  people.attach((frame) => sent.push(decodeFrame(frame)?.SendChatMessageRequest?.content ?? '') > 0);
  people.loggedIn('me');
  const onlineUsers = [{ clientId: 'b', nickname: 'Bo', connectedAt: 1n }];
  people.receive(create(WebsocketMessageSchema, { Cmd: 'GetOnlineUsers', GetOnlineUsersResponse: { onlineUsers } }));
  const page = { name: 'people', path: '/people/:person?', component: PeoplePage };
  const router = createRouter({ history: createMemoryHistory(), routes: [page, { path: '/', redirect: '/people' }] });
  await router.push('/people/b');
  root = document.createElement('div');
  document.body.append(root);
  app = createApp({ render: () => h(RouterView) });
  app.use(Quasar).use(i18n).use(router);
  app.mount(root);
  await nextTick();
});

afterEach(() => {
  app.unmount();
  document.body.replaceChildren();
  vi.useRealTimers();
});

it.each(['ls -la\n', 'git status ', '  indented', '\n', ' '])('sends %j as it is', async (text) => {
  await type(text);
  await submit();
  expect(sent).toEqual([text]);
  expect(field().value).toBe('');
});

it('sends nothing for an empty field', async () => {
  await submit();
  expect(sent).toEqual([]);
});

it('has a button for the Return key, alone or behind the text', async () => {
  const press = async () => {
    root.querySelector<HTMLElement>('[data-test="chat-return"]')?.click();
    await nextTick();
  };
  await press();
  await type('make test');
  await press();
  expect(sent).toEqual(['\n', 'make test\n']);
});

it('sends dictated pieces by itself, with the blanks that join them', async () => {
  useSettings().autoSend = 2;
  await type('git status ');
  vi.advanceTimersByTime(2000);
  await nextTick();
  await type('and more');
  vi.advanceTimersByTime(2000);
  expect(sent).toEqual(['git status ', 'and more']);
});

it('shows a message without letters as marks', async () => {
  await type('\n');
  await submit();
  expect(root.querySelector('[data-test="chat-line"] .words')?.textContent).toBe('⏎');
});
