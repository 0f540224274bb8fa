// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Each permission prompt that an agent was recorded with, allowed and denied on each way to a person: the effect in the agent is the same.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { effectOf } from '../hook/agents.js';
import { Desk } from '../hook/hooks.js';
import { Person, until } from './lib/person.js';
import { MailServer, partsOf, PushBrowser, Receiver } from './lib/receivers.js';

const kInputs = new URL('../hook/inputs/', import.meta.url);
const kGate = ['--gate', 'bash,edit,Bash,Edit,Write'];
const kPhone = { width: 375, height: 812 };

// The prompts that take Allow once and Deny: not questions and plans, whose recordings have other answers.
const kPrompts = readdirSync(kInputs)
  .map((file) => file.replace('.json', ''))
  .filter(
    (name) =>
      /PermissionRequest|permission-asked|permissionRequest/.test(name) &&
      !/AskUserQuestion|ask_user_question|ExitPlanMode|exit_plan_mode/.test(name),
  );

const input = (name) => JSON.parse(readFileSync(new URL(`${name}.json`, kInputs), 'utf8'));
const agentOf = (name) => name.slice(0, name.indexOf('-'));
const encode = (key) => encodeURIComponent(key);

// Answers by the button of a notice, or where it has none for this label by the form of its page.
async function byNotice(server, options, page, label) {
  const option = options.find((one) => one.label === label);
  if (option) return fetch(new URL(option.url, server.url), { method: 'POST', headers: { Origin: server.url } });
  return byForm(server, page, label);
}

async function byForm(server, url, label) {
  assert.match(await (await fetch(url)).text(), new RegExp(`value="${label}"`), 'the page shows all, and offers it');
  return fetch(url, {
    method: 'POST',
    headers: { Origin: server.url, 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ choice: label }),
  });
}

// A way to a person: `decide` answers the question with the choice, `channel` is what the event says. Only that of the
// console has somebody at a page.
const kWays = {
  api: { channel: 'api', decide: ({ desk }, question, label) => desk.answer(question, label) },
  console: {
    channel: 'console',
    isAtPage: true,
    decide: async ({ person }, { key }, label) => {
      const { page } = person;
      await page.goto(`${page.url().split('#')[0]}#/inbox/item/${encode(key)}`);
      const card = page.locator(`[data-card="${key}"]`);
      await card.locator('[data-settling=false]').waitFor();
      const choice = card.locator('button.choice').filter({ has: page.getByText(label, { exact: true }) });
      await choice.click();
      await page.locator('[data-test=confirm-bar][data-ready=true]').waitFor();
      await choice.click();
    },
  },
  push: {
    channel: 'push',
    decide: async ({ desk, push }, { key }, label) => {
      const payload = await noticeOf(push, key, (index) => push.payload(index, push.key));
      // Without a button the notice opens the card; its test is the console's.
      const option = payload.options.find((one) => one.label === label);
      if (!option) return (assert.equal(label, 'Allow once', 'a refusal always has its button'), 'opens');
      return fetch(new URL(option.url, desk.server.url), { method: 'POST', headers: { Origin: desk.server.url } });
    },
  },
  ntfy: {
    channel: 'ntfy',
    decide: async ({ desk, ntfy }, { key }, label) => {
      const message = await noticeOf(
        ntfy,
        key,
        (index) => ntfy.json(index),
        ({ click }) => click.endsWith(`/${encode(key)}`),
      );
      return byNotice(
        desk.server,
        message.actions.filter(({ action }) => action === 'http'),
        message.actions.find(({ action }) => action === 'view')?.url,
        label,
      );
    },
  },
  webhook: {
    channel: 'webhook',
    decide: async ({ desk, hook }, { key }, label) => {
      const notice = await noticeOf(hook, key, (index) => hook.json(index));
      return byNotice(desk.server, notice.options, notice.answer_url, label);
    },
  },
  mail: {
    channel: 'mail',
    decide: async ({ desk, mail }, { key }, label) => {
      await until(
        async () =>
          mail.messages.some(({ text }) => partsOf(text)['text/plain'].includes(`/inbox/item/${encode(key)}`)),
        'the mail came',
      );
      const text = partsOf(
        mail.messages.find((one) => partsOf(one.text)['text/plain'].includes(`/inbox/item/${encode(key)}`)).text,
      )['text/plain'];
      const form = [...text.matchAll(/http:\S+\/a\/\S+/g)].map(([url]) => url).at(-1);
      return byForm(desk.server, form, label);
    },
  },
};

// The notice about this question, among those that have come.
async function noticeOf(receiver, key, read, isIt = (notice) => notice.kind === 'question' && notice.key === key) {
  for (let index = 0; ; index += 1) {
    const notice = await read(index);
    if (isIt(notice)) return notice;
  }
}

const settings = ({ ntfy, hook, mail }) => `
[notify]
push_when = "at_once"
push_private_hosts = ["127.0.0.1"]

[[notify.ntfy]]
name = "phone"
url = "${ntfy.url}/topic"

[[notify.webhook]]
name = "hook"
url = "${hook.url}/in"
secret = "a-secret-of-the-webhook"

[[notify.email]]
name = "mail"
server = "${mail.url}"
starttls = false
from = "parley@example.org"
to = ["ann@example.org"]
`;

async function withWorld(play) {
  const world = {
    desk: new Desk(),
    ntfy: await Receiver.start(),
    hook: await Receiver.start(),
    push: await PushBrowser.start(),
    mail: await MailServer.start(),
  };
  try {
    world.desk.server.configure(settings(world));
    await world.desk.server.start();
    world.push.key = (await world.desk.api('GET', '/v1/push/key')).key;
    await world.desk.api('POST', '/v1/push/subscriptions', world.push.subscription());
    await play(world);
  } finally {
    await world.person?.close();
    await world.desk[Symbol.asyncDispose]();
    for (const each of [world.ntfy, world.hook, world.push, world.mail]) await each.end();
  }
}

test('a recorded prompt is decided on each way (long: every recorded one)', async (t) => {
  assert.ok(kPrompts.length >= 12, `${kPrompts.length} prompts`);
  await withWorld(async (world) => {
    const { desk } = world;
    const byButton = [];
    for (const [way, { channel, decide, isAtPage }] of Object.entries(kWays)) {
      await world.person?.close();
      world.person = isAtPage ? await Person.open(desk.server, undefined, kPhone) : undefined;
      for (const name of kPrompts) {
        for (const label of ['Allow once', 'Deny']) {
          await t.test(`${way}, ${name}: ${label}`, async () => {
            const agent = agentOf(name);
            const said = input(name);
            const hook = desk.hook(agent, said, { args: agent === 'copilot' ? kGate : [] });
            const question = await desk.question();
            const answer = await decide(world, question, label);
            if (answer === 'opens') {
              assert.ok(question.prompt.text.length > 100, 'only what is not seen at once has no button');
              await desk.answer(question, label);
            } else if (answer instanceof Response) {
              assert.equal(answer.status, 200);
              if (way === 'push' && label === 'Allow once') byButton.push(name);
            }
            const effect = effectOf(agent, said, await hook.ended);
            assert.equal(effect.does, label === 'Deny' ? 'refuses' : 'runs');
            const { outcome } = await desk.api('GET', `/v1/interactions/${encode(question.key)}`);
            assert.equal(outcome.by.channel, answer === 'opens' ? 'api' : channel);
          });
        }
      }
    }
    assert.ok(byButton.includes('claude-2.1.332-PermissionRequest-Bash'), 'a short command is allowed from its notice');
  });
});
