// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// A real browser with one page, and actions of a person on it.
import { openContext } from './browser.js';

const kPatience = 60_000;
const kViewport = { width: 1280, height: 800 };

export class Person {
  #context;
  #end;

  // Opens the page with a token in its address, as `parley serve` prints it; null: without a token. `more`:
  // options of the browser context, and `flags`, further flags of the browser.
  static async open(server, token = server.token, viewport = kViewport, more = {}) {
    const person = new Person();
    const { context, end } = await openContext({ viewport, ...more });
    person.#context = context;
    person.#end = end;
    person.page = await context.newPage();
    await person.page.goto(token === null ? `${server.url}/` : `${server.url}/?token=${encodeURIComponent(token)}`);
    if (token !== null) await person.untilOnline();
    return person;
  }

  newTab() {
    return this.#context.newPage();
  }

  async untilOnline() {
    await this.page.locator('[data-test=strip][data-phase=online]').waitFor();
  }

  async untilOffline() {
    await this.page.locator('[data-test=strip]:not([data-phase=online])').waitFor();
  }

  // The open card of a question.
  card(question) {
    return this.page.locator('[data-test=question-card]').filter({ hasText: question });
  }

  taskCard(summary) {
    return this.page.locator('[data-test=task-card]').filter({ hasText: summary });
  }

  // The card of a closed question.
  closedCard(question, state = 'answered') {
    return this.page.locator(`[data-test=closed-card][data-state=${state}]`).filter({ hasText: question });
  }

  async answer(question, words) {
    await this.#fill(this.card(question), words);
  }

  async confirm(summary, words) {
    await this.#fill(this.taskCard(summary), words);
  }

  // Opens the settings within the page.
  async openSettings() {
    await this.page.locator('[data-test=nav-settings]').first().click();
    await this.page.locator('[data-test=nickname]').waitFor();
  }

  async openInbox() {
    await this.page.locator('[data-test=nav-inbox]').first().click();
  }

  // Another user who is online, under the title bar.
  onlineUser() {
    return this.page.locator('[data-test=online-user]');
  }

  // Sends a message in the open chat.
  async say(words) {
    await this.page.locator('[data-test=chat-field]').fill(words);
    await this.page.locator('[data-test=chat-field]').press('Enter');
  }

  // Types words through an input method and accepts its candidate with Enter.
  async compose(words) {
    await this.page.locator('[data-test=chat-field]').fill(words);
    await this.page.locator('[data-test=chat-field]').dispatchEvent('keydown', { key: 'Enter', isComposing: true });
  }

  chatLine(words) {
    return this.page.locator('[data-test=chat-line]').filter({ hasText: words });
  }

  async scrollUp() {
    await this.page.locator('[data-test=thread]').evaluate((thread) => thread.scrollTo({ top: 0 }));
  }

  async setNickname(name) {
    await this.page.locator('[data-test=nav-settings]').first().click();
    await this.page.locator('[data-test=nickname]').fill(name);
    await this.page.locator('[data-test=nickname]').blur();
    await this.page.locator('[data-test=nav-inbox]').first().click();
  }

  async close() {
    await this.#end();
  }

  async #fill(card, words) {
    await card.locator('[data-test=answer-field]').fill(words);
    await card.locator('[data-test=send]').click();
  }
}

// Repeats `test()` until it is true; rejects after kPatience.
export async function until(test, what) {
  const deadline = Date.now() + kPatience;
  while (!(await test())) {
    if (Date.now() > deadline) throw new Error(`it never came true: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
