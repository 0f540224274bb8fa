// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Texts that try to run code, in every place of the chat page that shows a text of others. The browser
// ignores the page's Content-Security-Policy, which would block most of them and so hide a text that the
// page did not neutralise.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ScriptedModel } from '../lib/scripted_model.mjs';
import { atRest, newChat, part, press, say } from './lib/chat.js';
import { until } from './lib/person.js';
import { ask } from './lib/runs.js';
import { Stage } from './lib/stage.js';
import { kCorpus, kLines, kWithoutPolicy, oddities, watched } from './lib/xss.js';

// Replies with the next text of the test in small pieces, with its tool calls, or with its error.
class Puppet extends ScriptedModel {
  replies = [];

  async reply(_messages, write, send) {
    const next = this.replies.shift() ?? { text: 'Done.' };
    if (next.error !== undefined) send(JSON.stringify({ error: { message: next.error, code: 'invalid_request' } }));
    else if (next.calls !== undefined) {
      for (const [index, { name, args }] of next.calls.entries()) {
        const given = typeof args === 'string' ? args : JSON.stringify(args);
        write({ tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name, arguments: given } }] });
      }
      write({}, 'tool_calls');
    } else {
      for (const piece of next.text.match(/[^]{1,11}/g)) write({ content: piece });
      write({}, 'stop');
    }
  }
}

const calls = (name, ...all) => ({ calls: all.map((args) => ({ name, args })) });
const groups = (list, size) =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, at) => list.slice(size * at, size * (at + 1)));

const played = (play) => async () => {
  const stage = new Stage();
  const model = await Puppet.start();
  stage.folder = join(stage.server.home, 'desk');
  mkdirSync(stage.folder);
  stage.server.configure(`[runs]\nworking_folder = "${stage.folder}"\n${model.settings}`);
  try {
    await stage.server.start();
    const { page } = await stage.person(undefined, { width: 1600, height: 2400 }, kWithoutPolicy);
    const seen = await watched(page, stage.server.url);
    await play({ stage, page, model, seen });
  } finally {
    await stage.end();
    await model.end();
  }
};

// Checks the whole page, scrolling through the thread, whose hidden parts are not in the DOM.
async function assertHarmless(page, seen, what) {
  const looked = new Set();
  const look = async () => {
    for (const odd of await oddities(page.locator('body'))) looked.add(odd);
  };
  // A chat without messages has no thread.
  const scrolled = (to) =>
    page.evaluate(
      (top) =>
        new Promise((done) => {
          const box = document.querySelector('[data-test=thread]');
          box?.scrollTo(0, top);
          requestAnimationFrame(() =>
            requestAnimationFrame(() => done({ high: box?.scrollHeight ?? 0, seenAtOnce: box?.clientHeight ?? 1 })),
          );
        }),
      to,
    );
  for (let at = 0; ;) {
    const { high, seenAtOnce } = await scrolled(at);
    at += Math.max(seenAtOnce, 200);
    if (at >= high) break;
    await look();
  }
  await look();
  assert.deepEqual(seen.ran, [], `${what}: something ran`);
  assert.deepEqual([...looked], [], `${what}: something is in the page that could run`);
  assert.deepEqual(seen.asked, [], `${what}: something was asked for elsewhere`);
}

// Opens the cards of calls that are in the DOM.
const openCalls = (page) =>
  page.evaluate(() => {
    for (const line of document.querySelectorAll('[data-test=call-line][aria-expanded=false]')) line.click();
  });

test(
  'the attack texts run in an unsafe page',
  played(async ({ page, seen }) => {
    assert.ok(kCorpus.length >= 60 && kLines.length >= 30);
    await page.evaluate((texts) => {
      for (const text of texts) {
        const place = document.body.appendChild(document.createElement('div'));
        place.innerHTML = text;
        for (const link of place.querySelectorAll('a[href^="javascript:"], button')) link.click();
      }
    }, kCorpus);
    await until(() => seen.ran.length >= 15, 'at least fifteen of them run');
    assert.notDeepEqual(await oddities(page.locator('body')), []);
  }),
);

test(
  'texts of the model are harmless',
  played(async ({ stage, page, model, seen }) => {
    await newChat(page, stage.server);
    for (const [at, some] of groups(kCorpus, 8).entries()) {
      model.replies.push({ text: `${some.join('\n\n')}\n\n**end ${at}**` });
      await say(page, `Say some, ${at}.`);
      await page
        .locator('[data-test=chat-page][data-running=false] [data-test=text]')
        .filter({ hasText: `end ${at}` })
        .waitFor();
      await atRest(page);
    }
    await assertHarmless(page, seen, 'an answer');
    await page.reload();
    await atRest(page);
    await page.locator('[data-test=text]').filter({ hasText: 'end' }).first().waitFor();
    await assertHarmless(page, seen, 'an answer that is read again');
  }),
);

test(
  'texts of the person and titles of chats are harmless',
  played(async ({ stage, page, seen }) => {
    await newChat(page, stage.server);
    for (const some of groups(kCorpus, 8)) {
      await say(page, some.join('\n'));
      await atRest(page);
    }
    await assertHarmless(page, seen, 'a message');
    for (const title of kLines) await ask(stage.server, 'POST', '/api/v1/sessions', { title, rules: title });
    await page.reload();
    await page.locator(`[data-test=session-list][data-count="${kLines.length + 1}"]`).waitFor();
    await assertHarmless(page, seen, 'a title');
    for (const at of [0, 7, 20]) {
      await part(page, 'session').nth(at).click();
      await part(page, 'session-more').nth(at).click();
      await part(page, 'remove').click();
      await part(page, 'session-submit').waitFor();
      await assertHarmless(page, seen, 'the title of a chat that is to be deleted');
      await page.keyboard.press('Escape');
      await part(page, 'session-submit').waitFor({ state: 'detached' });
    }
  }),
);

test(
  'names, arguments and errors of tools are harmless',
  played(async ({ stage, page, model, seen }) => {
    await newChat(page, stage.server);
    for (const [at, some] of groups(kLines, 16).entries()) {
      model.replies.push(
        {
          calls: some.flatMap((text) => [
            { name: text, args: { path: text, [text]: text } },
            { name: 'read', args: { path: text } },
          ]),
        },
        calls('write_file', { path: `${at} ${some[0].replaceAll('/', ';')}`, content: some.join('\n') }),
        calls('bash', { command: `: ${some.join(' ; ')}` }),
        { text: `**end ${at}**` },
      );
      await say(page, `Call some, ${at}.`);
      for (let asked = 1; asked <= 2; asked += 1) {
        const card = await page.locator('[data-test=call]:has([data-test=deny])').getAttribute('data-card');
        await assertHarmless(page, seen, 'a call that asks');
        await press(page, 'deny');
        await press(page, 'confirm');
        await page.locator(`[data-card="${card}"] [data-test=deny]`).waitFor({ state: 'detached' });
      }
      await page
        .locator('[data-test=text]')
        .filter({ hasText: `end ${at}` })
        .waitFor();
      await atRest(page);
    }
    assert.ok((await part(page, 'thread').getAttribute('data-count')) > kLines.length, 'calls are shown');
    await assertHarmless(page, seen, 'calls');
    await openCalls(page);
    await assertHarmless(page, seen, 'opened calls');
  }),
);

test(
  'results and terminal output are harmless',
  played(async ({ stage, page, model, seen }) => {
    writeFileSync(join(stage.folder, 'evil.md'), kCorpus.join('\n'));
    execFileSync('mkfifo', [join(stage.folder, 'wait')]);
    for (const [at, text] of kLines.entries())
      writeFileSync(join(stage.folder, `${at} ${text.replaceAll('/', ';')}`), text);
    await newChat(page, stage.server);
    model.replies.push(
      calls('read', { path: 'evil.md' }),
      calls('ls', {}),
      calls('bash', { command: 'cat evil.md; cat evil.md >&2; cat wait' }),
      { text: '**end**' },
    );
    await say(page, 'Look.');
    await press(page, 'allow-once');
    await part(page, 'terminal').first().waitFor();
    await assertHarmless(page, seen, 'a terminal');
    writeFileSync(join(stage.folder, 'wait'), ''); // opens the pipe: the command ends
    await page.locator('[data-test=text]').filter({ hasText: 'end' }).waitFor();
    await atRest(page);
    await openCalls(page);
    await part(page, 'call-result').first().waitFor();
    await assertHarmless(page, seen, 'results');
  }),
);

test(
  'plans, status, notes, wishes, errors and summaries are harmless',
  played(async ({ stage, page, model, seen }) => {
    await newChat(page, stage.server);
    await part(page, 'flow-toggle').waitFor();
    if ((await part(page, 'workflow').count()) === 0) await part(page, 'flow-toggle').click();
    for (const [at, some] of groups(kLines, 8).entries()) {
      model.replies.push(
        {
          calls: [
            { name: 'todo_write', args: { todos: some.map((content) => ({ content, status: 'pending' })) } },
            ...some.map((text) => ({ name: 'status_update', args: { title: text, message: text, phase: 'planning' } })),
            ...some.map((text) => ({ name: 'take_note', args: { text } })),
          ],
        },
        { text: `**end ${at}**` },
      );
      await say(page, `Plan some, ${at}.`);
      await page
        .locator('[data-test=text]')
        .filter({ hasText: `end ${at}` })
        .waitFor();
      await atRest(page);
    }
    assert.ok((await part(page, 'note').count()) >= kLines.length, 'notes are kept');
    assert.ok(
      (await part(page, 'todo').count()) > 0 && (await part(page, 'status').count()) > 0,
      'plans and status are shown',
    );
    await assertHarmless(page, seen, 'plans, status and notes');
    for (const some of groups(kLines, 12).slice(0, 2)) {
      model.replies.push(calls('pick_file', { reason: some.join(' ') }), { error: some.join(' ') });
      await say(page, 'Fail.');
      await part(page, 'file-wish').waitFor();
      await assertHarmless(page, seen, 'a wish');
      await part(page, 'refuse-file').click();
      await atRest(page);
    }
    await part(page, 'error').first().waitFor();
    await assertHarmless(page, seen, 'errors');
    model.replies.push({ text: kCorpus.join('\n\n') });
    await say(page, '/compact');
    await part(page, 'summary').waitFor();
    await atRest(page);
    await part(page, 'summary').getByRole('button').first().click();
    await assertHarmless(page, seen, 'a summary');
  }),
);

test(
  'workflows and names of files and ComfyUI servers are harmless',
  played(async ({ stage, page, seen }) => {
    for (const [at, text] of kLines.entries()) {
      await ask(stage.server, 'POST', '/api/v1/comfyui-servers', {
        serverKey: `key-${at}`,
        serverName: text,
        description: text,
        baseUrl: 'http://127.0.0.1:9',
      });
    }
    const nodes = kCorpus.map((text, at) => ({
      id: at + 1,
      type: text,
      title: text,
      pos: [(at % 8) * 330, Math.floor(at / 8) * 200],
      size: [300, 120],
      mode: 0,
      inputs: [{ name: text, type: text, link: null, widget: { name: text } }],
      outputs: [{ name: text, type: text, links: [] }],
      widgets_values: [text],
    }));
    const ids = Object.fromEntries(
      kLines.map((text) => [text, { class_type: text, inputs: { [text]: text }, _meta: { title: text } }]),
    );
    await newChat(page, stage.server);
    await assertHarmless(page, seen, 'the choice of a server');
    if ((await part(page, 'workflow').count()) === 0) await part(page, 'flow-toggle').click();
    for (const [name, workflow] of [
      ['ui', { nodes, links: [], groups: [{ title: kLines[0], bounding: [0, 0, 9, 9] }], version: 0.4 }],
      ['api', ids],
    ]) {
      await part(page, 'workflow-input').setInputFiles({
        name: `${name}.json`,
        mimeType: 'application/json',
        buffer: Buffer.from(JSON.stringify(workflow)),
      });
      await part(page, 'workflow-node').nth(3).waitFor();
      await assertHarmless(page, seen, `a workflow (${name})`);
      for (const at of [0, 2, 3]) {
        await part(page, 'workflow-node').nth(at).dispatchEvent('click');
        await part(page, 'node-detail').waitFor();
        await assertHarmless(page, seen, 'a node');
        await part(page, 'workflow-node').nth(at).dispatchEvent('click');
      }
    }
    for (const some of groups(kLines, 3).slice(0, 8)) {
      await part(page, 'attach-input').setInputFiles(
        some.map((text) => ({
          name: `${text.replaceAll('/', ';')}.txt`,
          mimeType: 'text/plain',
          buffer: Buffer.from(text),
        })),
      );
      await part(page, 'attachment').first().waitFor();
      await assertHarmless(page, seen, 'an attachment');
      await say(page, 'Look.');
      await atRest(page);
    }
    await part(page, 'attach-input').setInputFiles(
      kLines
        .slice(0, 3)
        .map((text) => ({ name: `${text}.exe`, mimeType: 'application/x-msdownload', buffer: Buffer.from(text) })),
    );
    await part(page, 'refused').first().waitFor();
    await assertHarmless(page, seen, 'a refused file');
    await page.reload();
    await atRest(page);
    await part(page, 'user-message').first().waitFor();
    await assertHarmless(page, seen, 'names of files in messages');
  }),
);
