// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The chat page with users: names and passwords, renewed logins.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atRest, newChat, part, say, texts } from './lib/chat.js';
import { staged } from './lib/chat_stage.js';
import { until } from './lib/person.js';

const kUser = ['bo', 'correct-horse-7'];

async function signIn(page, [name, password]) {
  await part(page, 'sign-in').waitFor();
  await part(page, 'sign-in-by-password').click();
  await part(page, 'user').fill(name);
  await part(page, 'password').fill(password);
  await part(page, 'password').press('Enter');
}

// The credentials in the page's session storage.
const kept = (page) =>
  page.evaluate(() => ({
    token: JSON.parse(sessionStorage.getItem('parley.token')),
    ...JSON.parse(sessionStorage.getItem('parley.login')),
  }));
const auth = (server, what, body, token) =>
  fetch(`${server.url}/api/v1/auth/${what}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(token ? { Authorization: `Bearer ${token}` } : {}) },
    body: JSON.stringify(body),
  });

test(
  'a person signs in with name and password, chats and signs out',
  staged(async (stage) => {
    await stage.server.createUser(...kUser);
    const { page } = await stage.person(null);
    await page.goto(`${stage.server.url}/#/chat/new`);
    assert.match(await part(page, 'sign-in').innerText(), /parley token create/);
    await signIn(page, [kUser[0], 'wrong-password-1']);
    assert.match(await part(page, 'sign-in-problem').innerText(), /name or the password is wrong/);
    assert.match(await part(page, 'sign-in').innerText(), /parley user add .*--admin/);
    await signIn(page, kUser);
    await part(page, 'chat-page').and(page.locator('[data-phase=ready]')).waitFor();
    await say(page, 'hello there');
    await texts(page).first().waitFor();
    await atRest(page);
    await page.reload();
    await texts(page).first().waitFor();
    await part(page, 'nav-settings').first().click();
    assert.match(await part(page, 'signed-in').innerText(), /signed in as bo/);
    const { token } = await kept(page);
    const me = () => fetch(`${stage.server.url}/v1/me`, { headers: { Authorization: `Bearer ${token}` } });
    assert.equal((await me()).status, 200);
    await part(page, 'sign-out').click();
    await part(page, 'sign-in').waitFor();
    await until(async () => (await me()).status === 401, 'the login has ended on the server');
    await page.goto(`${stage.server.url}/#/chat/new`);
    await page.reload();
    await part(page, 'sign-in').waitFor();
  }),
);

test(
  'a login renews its token in all tabs; drafts survive its end',
  staged(async (stage) => {
    await stage.server.createUser(...kUser);
    const person = await stage.person(null);
    const { page } = person;
    await page.goto(`${stage.server.url}/#/chat/new`);
    await part(page, 'remember').click();
    await signIn(page, kUser);
    await part(page, 'chat-page').and(page.locator('[data-phase=ready]')).waitFor();
    await say(page, 'hello there');
    await texts(page).first().waitFor();
    await atRest(page);
    const other = await person.newTab();
    await other.goto(page.url());
    await atRest(other);
    let refreshes = 0;
    const opened = new Map([
      [page, []],
      [other, []],
    ]); // the addresses of new sockets
    for (const tab of [page, other]) {
      tab.on('request', (request) => (refreshes += request.url().endsWith('/auth/refresh') ? 1 : 0));
      tab.on('websocket', (socket) => opened.get(tab).push(new URL(socket.url())));
    }

    const before = await kept(page);
    assert.equal((await auth(stage.server, 'refresh', { refreshToken: before.refresh })).status, 200);
    await until(async () => (await kept(page)).token !== before.token, 'the page has the next token');
    // Each tab may have asked for a token of its own, which ends the former one: a message on the socket of an ended token
    // is lost, and shown as not sent.
    const isConnected = (tab, token) =>
      opened
        .get(tab)
        .some((url) => url.pathname.startsWith('/api/ws/chat/') && url.searchParams.get('token') === token);
    await until(async () => {
      const [{ token }, others] = [await kept(page), await kept(other)];
      const live = await Promise.all(
        [page, other].map((tab) => tab.locator('[data-test=chat-page][data-line=live]').count()),
      );
      return (
        token === others.token &&
        live.every((count) => count === 1) &&
        [page, other].every((tab) => isConnected(tab, token))
      );
    }, 'both tabs are connected with the same token');
    const needed = refreshes;
    for (const tab of [page, other]) {
      await atRest(tab);
      await say(tab, 'hello again');
      await texts(tab)
        .nth(tab === page ? 1 : 2)
        .waitFor();
      await atRest(tab);
    }
    assert.equal((await kept(page)).token, (await kept(other)).token);
    assert.ok(needed >= 1);
    assert.equal(refreshes, needed, 'once both tabs are connected with one token, none asks for another');

    await part(page, 'chat-text').fill('half a thought');
    const { token } = await kept(page);
    assert.equal((await auth(stage.server, 'logout', {}, token)).status, 200);
    await part(page, 'denied').waitFor();
    assert.match(await part(page, 'denied').innerText(), /login has ended/);
    await signIn(page, kUser);
    await atRest(page);
    await texts(page).nth(2).waitFor();
    assert.equal(await part(page, 'chat-text').inputValue(), 'half a thought');
  }),
);

test(
  'a link with an expired login asks for the password first',
  staged(async (stage) => {
    await stage.server.createUser(...kUser);
    const login = await auth(stage.server, 'login', { email: kUser[0], password: kUser[1] });
    const { accessToken } = (await login.json()).data;
    const { page } = await stage.person(accessToken);
    await newChat(page, stage.server);
    await say(page, 'hello there');
    await texts(page).first().waitFor();
    await atRest(page);
    await auth(stage.server, 'logout', {}, accessToken);
    await part(page, 'denied').waitFor();
    assert.match(await part(page, 'denied').innerText(), /login has ended/);
    await part(page, 'user').fill(kUser[0]);
    await part(page, 'password').fill(kUser[1]);
    await part(page, 'sign-in-submit').click();
    await texts(page).first().waitFor();
  }),
);
