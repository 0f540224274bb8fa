// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Notifications against stand-ins of ntfy, a webhook's receiver, a mail server and a push service.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from './lib/person.js';
import { MailServer, partsOf, PushBrowser, Receiver, subjectOf } from './lib/receivers.js';
import { Stage } from './lib/stage.js';

const kSecret = 'a-secret-of-the-webhook';

// A test with stand-ins, which are made before the server: `settings` gets them and returns parley.toml.
const notified = (makers, settings, play) => async () => {
  const others = {};
  const stage = new Stage();
  try {
    for (const [name, make] of Object.entries(makers)) others[name] = await make();
    stage.server.configure(settings(others));
    await stage.server.start();
    await play(stage, others);
  } finally {
    await stage.end();
    for (const other of Object.values(others)) await other.end();
  }
};

function api(server, token = server.token) {
  return async (method, path, body) => {
    const answer = await fetch(`${server.url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? null : JSON.parse(text) };
  };
}

const kChoices = [{ text: 'Deploy now?', choices: [{ label: 'Yes' }, { label: 'Not yet' }] }];
const ask = (server, key, more = {}) =>
  api(server)('POST', '/v1/interactions', {
    key,
    prompt: {
      text: 'Deploy now?',
      agent_name: 'reviewer',
      project_directory: '/srv/ann/web-shop',
      questions: kChoices,
      ...more,
    },
  });
const stateOf = async (server, key) => (await api(server)('GET', `/v1/interactions/${key}`)).body;
const notifierOf = async (server, name) =>
  (await api(server)('GET', '/v1/notifiers')).body.notifiers.find((one) => one.name === name);

test(
  'ntfy gets a message whose button answers',
  notified(
    { ntfy: () => Receiver.start() },
    ({ ntfy }) => `
[[notify.ntfy]]
name = "phone"
url = "${ntfy.url}/my-topic"
token = "tk_secret"
`,
    async (stage, { ntfy }) => {
      await ask(stage.server, 'k1');
      const request = await ntfy.request();
      assert.equal(request.headers.authorization, 'Bearer tk_secret');
      const message = await ntfy.json();
      assert.equal(message.topic, 'my-topic');
      assert.equal(message.title, 'Question from reviewer (web-shop)');
      assert.equal(message.click, `${stage.server.url}/#/inbox/item/k1`);
      const [yes, later] = message.actions;
      assert.equal(later.label, 'Not yet');
      const answered = await fetch(later.url, { method: later.method });
      assert.equal(answered.status, 200);
      assert.equal((await stateOf(stage.server, 'k1')).outcome.answer.contents[0].text, 'Not yet');
      assert.equal((await fetch(later.url, { method: 'POST' })).status, 410);
      assert.equal((await fetch(yes.url, { method: 'POST' })).status, 409);
      assert.equal((await notifierOf(stage.server, 'phone')).delivered, 1);
      assert.doesNotMatch(JSON.stringify((await api(stage.server)('GET', '/v1/notifiers')).body), /tk_secret|my-topic/);
    },
  ),
);

test(
  'a webhook is signed, and its redirect to a private address is refused',
  notified(
    { hook: () => Receiver.start(), inner: () => Receiver.start() },
    ({ hook }) => `
[[notify.webhook]]
name = "hook"
url = "${hook.url}/in"
secret = "${kSecret}"
`,
    async (stage, { hook, inner }) => {
      await ask(stage.server, 'k1');
      const { headers, body } = await hook.request();
      const signed = createHmac('sha256', kSecret).update(`${headers['x-parley-timestamp']}.${body}`).digest('hex');
      assert.equal(headers['x-parley-signature'], `v1=${signed}`);
      const notice = await hook.json();
      assert.deepEqual([notice.v, notice.kind, notice.key, notice.agent], [1, 'question', 'k1', 'reviewer']);
      hook.answers.push({ status: 302, headers: { Location: `${inner.url}/stolen` } });
      await ask(stage.server, 'k2');
      await until(
        async () => /redirect/.test((await notifierOf(stage.server, 'hook')).failure),
        'the redirect is refused',
      );
      assert.equal(inner.requests.length, 0);
      assert.equal((await fetch(notice.options[0].url, { method: 'POST' })).status, 200);
    },
  ),
);

test(
  'a failed webhook is tried again',
  notified(
    { hook: () => Receiver.start() },
    ({ hook }) => `
[[notify.webhook]]
name = "hook"
url = "${hook.url}/in"
secret = "${kSecret}"
`,
    async (stage, { hook }) => {
      hook.answers.push({ status: 503 });
      await ask(stage.server, 'k1');
      const first = await hook.json(0);
      assert.deepEqual(await hook.json(1), first, 'the same links');
      await until(async () => (await notifierOf(stage.server, 'hook')).failure === '', 'the success is noted');
    },
  ),
);

test(
  'a mail has links that answer only by their button',
  notified(
    { mail: () => MailServer.start() },
    ({ mail }) => `
[[notify.email]]
name = "mail"
server = "${mail.url}"
starttls = false
from = "parley@example.org"
to = ["ann@example.org", "bob@example.org"]
`,
    async (stage, { mail }) => {
      await ask(stage.server, 'k1', { agent_name: '审阅者', text: 'Deploy <b>now</b>?' });
      const { from, to, text } = await mail.message();
      assert.deepEqual([from, to], ['parley@example.org', ['ann@example.org', 'bob@example.org']]);
      assert.equal(subjectOf(text), 'Question from 审阅者 (web-shop)');
      const parts = partsOf(text);
      assert.match(parts['text/html'], /Deploy &lt;b&gt;now&lt;\/b&gt;\?/);
      const links = [...parts['text/plain'].matchAll(/http:\S+\/a\/\S+/g)].map(([url]) => url);
      assert.equal(links.length, 3, 'two choices and a form');
      for (const url of links) assert.equal((await fetch(url)).status, 200); // as a mail scanner does
      assert.equal((await stateOf(stage.server, 'k1')).state, 'pending');
      const person = await stage.person(null, { width: 375, height: 700 });
      await person.page.goto(links[1]);
      assert.equal(await person.page.locator('strong').innerText(), 'Not yet');
      await person.page.getByRole('button').click();
      await person.page.getByRole('heading', { name: 'Answered' }).waitFor();
      const { outcome } = await stateOf(stage.server, 'k1');
      assert.deepEqual([outcome.answer.contents[0].text, outcome.nickname], ['Not yet', 'mail (link)']);
      await person.page.goto(links[0]);
      await person.page.getByRole('heading', { name: 'No longer open' }).waitFor();
      await person.page.goto(links[1]);
      await person.page.getByRole('heading', { name: 'Already answered' }).waitFor();
    },
  ),
);

for (const tls of ['smtps', 'starttls']) {
  test(
    `a mail goes over ${tls} with a password`,
    notified(
      { mail: () => MailServer.start({ tls }) },
      ({ mail }) => `
[[notify.email]]
name = "mail"
server = "${mail.url}"
user = "ann"
password = "right"
ca_file = "${mail.caFile}"
from = "parley@example.org"
to = ["ann@example.org"]

[[notify.email]]
name = "wrong"
server = "${mail.url}"
user = "ann"
password = "wrong"
ca_file = "${mail.caFile}"
from = "parley@example.org"
to = ["ann@example.org"]

[[notify.email]]
name = "stranger"
server = "${mail.url}"
from = "parley@example.org"
to = ["ann@example.org"]
`,
      async (stage, { mail }) => {
        await ask(stage.server, 'k1');
        assert.equal((await mail.message()).login, 'ann:right');
        const failureOf = async (name) => (await notifierOf(stage.server, name)).failure;
        await until(
          async () => /refused the user or the password/.test(await failureOf('wrong')),
          'the wrong password is named',
        );
        await until(async () => /certificate/i.test(await failureOf('stranger')), 'the unknown certificate is named');
        assert.equal(mail.messages.length, 1);
      },
    ),
  );
}

test(
  'a mail server without STARTTLS gets nothing',
  notified(
    { mail: () => MailServer.start() },
    ({ mail }) => `
[[notify.email]]
name = "mail"
server = "${mail.url}"
from = "parley@example.org"
to = ["ann@example.org"]
`,
    async (stage, { mail }) => {
      await ask(stage.server, 'k1');
      await until(
        async () => /offers no STARTTLS/.test((await notifierOf(stage.server, 'mail')).failure),
        'the failure is named',
      );
      assert.equal(mail.messages.length, 0);
    },
  ),
);

test(
  'a written answer reaches the agent',
  notified(
    { hook: () => Receiver.start() },
    ({ hook }) => `
[[notify.webhook]]
name = "hook"
url = "${hook.url}/in"
secret = "${kSecret}"
`,
    async (stage, { hook }) => {
      const agent = await stage.agent();
      const answer = agent.ask('Which port?');
      const { answer_url: url } = await hook.json();
      const person = await stage.person(null, { width: 375, height: 700 }, { locale: 'zh-CN' });
      await person.page.goto(url);
      await person.page.getByRole('button', { name: '发送此回答' }).click();
      await person.page.locator('.fault').filter({ hasText: '请先选择或填写回答' }).waitFor();
      await person.page.locator('textarea').fill('8080，谢谢');
      await person.page.getByRole('button').click();
      await person.page.getByRole('heading', { name: '已回答' }).waitFor();
      assert.equal(await answer, '8080，谢谢');
    },
  ),
);

test(
  'a mail server that hangs delays nobody',
  notified(
    { mail: () => MailServer.start({ hangs: true }), hook: () => Receiver.start() },
    ({ mail, hook }) => `
[[notify.email]]
name = "mail"
server = "${mail.url}"
starttls = false
total_timeout = "1s"
from = "parley@example.org"
to = ["ann@example.org"]

[[notify.webhook]]
name = "hook"
url = "${hook.url}/in"
secret = "${kSecret}"
`,
    async (stage, { mail, hook }) => {
      await ask(stage.server, 'k1');
      const notice = await hook.json();
      await until(async () => mail.connections > 0, 'the mail server is asked');
      assert.equal((await fetch(notice.options[0].url, { method: 'POST' })).status, 200);
      await until(
        async () => /did not answer in time/.test((await notifierOf(stage.server, 'mail')).failure),
        'the failure is shown',
      );
      const tested = await api(stage.server)('POST', '/v1/notifiers/mail/test');
      assert.equal(tested.status, 503);
      assert.match(tested.body.message, /did not answer in time/);
    },
  ),
);

const pushSettings = () => `
[notify]
push_when = "at_once"
push_private_hosts = ["127.0.0.1"]
`;

test(
  'a push message is encrypted, and withdrawn when another page answers',
  notified({ push: () => PushBrowser.start() }, pushSettings, async (stage, { push }) => {
    const call = api(stage.server);
    const { key } = (await call('GET', '/v1/push/key')).body;
    assert.equal((await call('POST', '/v1/push/subscriptions', push.subscription())).status, 201);
    await ask(stage.server, 'k1');
    const payload = await push.payload(0, key);
    assert.deepEqual(
      [payload.v, payload.kind, payload.key, payload.title],
      [1, 'question', 'k1', 'Question from reviewer (web-shop)'],
    );
    assert.equal(payload.url, '/#/inbox/item/k1');
    const { headers } = await push.request(0);
    assert.ok(Number(headers.ttl) > 60 && headers.urgency === 'high');
    await call('POST', '/v1/interactions/k1/answer', { text: 'Yes' });
    const closed = await push.payload(1, key);
    assert.deepEqual([closed.kind, closed.key], ['closed', 'k1']);
    assert.equal((await push.request(1)).headers.topic, headers.topic);
    assert.equal((await fetch(`${stage.server.url}${payload.options[0].url}`, { method: 'POST' })).status, 409);
  }),
);

test(
  'an action of a push message answers',
  notified({ push: () => PushBrowser.start() }, pushSettings, async (stage, { push }) => {
    const call = api(stage.server);
    const { key } = (await call('GET', '/v1/push/key')).body;
    await call('POST', '/v1/push/subscriptions', push.subscription());
    await ask(stage.server, 'k1');
    const { options } = await push.payload(0, key);
    const url = `${stage.server.url}${options[1].url}`;
    assert.equal((await fetch(url, { method: 'POST', headers: { Origin: stage.server.url } })).status, 200);
    assert.equal((await stateOf(stage.server, 'k1')).outcome.answer.contents[0].text, 'Not yet');
  }),
);

test(
  'a dead push subscription is removed, a busy service asked again',
  notified({ push: () => PushBrowser.start() }, pushSettings, async (stage, { push }) => {
    const call = api(stage.server);
    push.answers.push({ status: 429, headers: { 'Retry-After': '1' } });
    await call('POST', '/v1/push/subscriptions', push.subscription());
    await ask(stage.server, 'k1');
    await push.request(1);
    assert.deepEqual(push.requests[0].path, push.requests[1].path);
    push.answers.push({ status: 410 });
    await ask(stage.server, 'k2');
    const left = async () => (await call('GET', '/v1/push/subscriptions')).body.subscriptions.length;
    await until(async () => (await left()) === 0, 'the subscription is removed');
  }),
);

test(
  'devices belong to their token, and end with it',
  notified(
    { push: () => PushBrowser.start(), mine: () => PushBrowser.start() },
    pushSettings,
    async (stage, { push, mine }) => {
      const other = api(stage.server, await stage.server.createToken('other'));
      await until(async () => (await other('GET', '/v1/me')).status === 200, 'the token is known');
      // Asked before the token has a device: a restart would send it to one that is still registered.
      await other('POST', '/v1/interactions', { key: 'early', prompt: { text: 'Which port?' } });
      const { body } = await other('POST', '/v1/push/subscriptions', push.subscription());
      const call = api(stage.server);
      assert.equal((await call('DELETE', `/v1/push/subscriptions/${body.id}`)).status, 404);
      assert.equal((await call('POST', `/v1/push/subscriptions/${body.id}/test`)).status, 404);
      await ask(stage.server, 'k1');
      assert.equal((await other('POST', `/v1/push/subscriptions/${body.id}/test`)).status, 204);
      assert.equal(push.requests.length, 1, 'the question of the first token is not pushed to the other');
      stage.server.revokeToken('other');
      await until(async () => (await other('GET', '/v1/push/subscriptions')).status === 401, 'the token has ended');
      await stage.server.kill();
      await stage.server.start();
      await call('POST', '/v1/push/subscriptions', mine.subscription());
      await ask(stage.server, 'k2');
      await mine.request(0);
      assert.equal(push.requests.length, 1, 'nothing is sent to the device of the ended token');
    },
  ),
);

test(
  'a restart sends only undelivered notices',
  notified(
    { hook: () => Receiver.start() },
    ({ hook }) => `
[[notify.webhook]]
name = "hook"
url = "${hook.url}/in"
secret = "${kSecret}"
`,
    async (stage, { hook }) => {
      await ask(stage.server, 'k1');
      const first = await hook.json();
      await until(async () => (await notifierOf(stage.server, 'hook')).delivered === 1, 'the delivery is noted');
      await stage.server.kill();
      await stage.server.start();
      await ask(stage.server, 'k2');
      assert.equal((await hook.json(1)).key, 'k2');
      assert.equal(hook.requests.length, 2);
      assert.equal(
        (await fetch(first.options[0].url.replace(/^http:\/\/[^/]+/, stage.server.url), { method: 'POST' })).status,
        200,
        'a link from before the restart',
      );
    },
  ),
);

test(
  'no secret of a link or a notifier is kept in the clear',
  notified(
    { hook: () => Receiver.start() },
    ({ hook }) => `
[[notify.webhook]]
name = "hook"
url = "${hook.url}/in"
secret = "${kSecret}"
`,
    async (stage, { hook }) => {
      await ask(stage.server, 'k1');
      const notice = await hook.json();
      const secrets = [kSecret, ...notice.options.map(({ url }) => url.split('/a/')[1])];
      const [{ url }] = notice.options;
      await fetch(url);
      assert.equal((await fetch(url, { method: 'PUT' })).status, 405);
      assert.equal((await fetch(url, { method: 'POST', headers: { Origin: 'https://evil.example.org' } })).status, 403);
      await fetch(`${url}/`);
      for (const name of readdirSync(stage.server.data)) {
        const path = join(stage.server.data, name);
        if (!statSync(path).isFile()) continue;
        const bytes = readFileSync(path).toString('latin1');
        for (const secret of secrets) assert.ok(!bytes.includes(secret), name);
      }
      for (const end of [
        'GET /a/{secret} -> 200',
        'PUT /a/{secret} -> 405',
        'POST /a/{secret} -> 403',
        'GET /a/{secret} -> 404',
      ]) {
        await until(() => stage.server.log.includes(end), `${end} is in the log`);
      }
      for (const secret of secrets) assert.ok(!stage.server.log.includes(secret), 'the log');
      assert.equal(statSync(join(stage.server.data, 'vapid.pem')).mode & 0o777, 0o600);
    },
  ),
);
