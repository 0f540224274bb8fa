// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Actions of tests on the chat page.
import { join } from 'node:path';
import { ask } from './runs.js';

export const part = (page, name) => page.locator(`[data-test=${name}]`);

// Presses a button of a call that asks, once its buttons take presses: an earlier attempt would scroll the thread.
export async function press(page, name) {
  await page.locator('[data-settling=false]').first().waitFor();
  await part(page, name).click();
}

// Allows more than one call, as `allow-session` or `allow-always` says, and confirms it.
export async function allowLasting(page, choice) {
  for (const name of ['always', choice, 'confirm']) await press(page, name);
}

// Opens the page of a new chat.
export async function newChat(page, server) {
  await page.goto(`${server.url}/#/chat/new`);
  await part(page, 'chat-page').and(page.locator('[data-phase=ready]')).waitFor();
}

export async function say(page, text) {
  await part(page, 'chat-text').fill(text);
  await part(page, 'chat-text').press('Enter');
}

// Waits until nothing runs and the connection is live.
export const atRest = (page) => page.locator('[data-test=chat-page][data-running=false][data-line=live]').waitFor();
export const running = (page) => page.locator('[data-test=chat-page][data-running=true][data-line=live]').waitFor();
export const call = (page, phase) => page.locator(`[data-test=call][data-phase=${phase}]`);
export const texts = (page) => page.locator('[data-test=text]');

// A message that makes the demonstration model call any tool: `TOOL {json}`.
export const direct = (tool, args) => `${tool} ${JSON.stringify(args)}`;

export const fileOf = (stage, name) => join(stage.server.home, name);

export const sessionsOf = async (server) => (await (await ask(server, 'GET', '/api/v1/sessions')).json()).data;
