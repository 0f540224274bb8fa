// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Hidden characters that agents send: every page escapes them, and warns where a person decides.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { test } from 'node:test';
import { atRest, newChat, part, say } from './lib/chat.js';
import { ask, folderOf, startElsewhere } from './lib/runs.js';
import { staged } from './lib/stage.js';

// Controls, bidi controls, zero-width and tag characters; emoji of these tests have no joiners.
const kHidden =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|\udb40[\udc00-\udfff]/;
// PARLEY_LOOK=FOLDER keeps screenshots of the test.
const kLook = process.env.PARLEY_LOOK;
const kRun = 'run the command "echo \u202e\u2066fdp.exe\u2069\u202c 部署 \u200bnow"';

async function picture(page, name, ready) {
  if (!kLook) return;
  mkdirSync(kLook, { recursive: true });
  for (const language of ['zh', 'en']) {
    await page.evaluate((it) => {
      const settings = JSON.parse(localStorage.getItem('parley.settings') ?? '{}');
      localStorage.setItem('parley.settings', JSON.stringify({ ...settings, language: it }));
    }, language);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.reload();
    await page.locator(ready).first().waitFor();
    for (const theme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme: theme });
      for (const [width, height] of [
        [1440, 900],
        [375, 812],
      ]) {
        await page.setViewportSize({ width, height });
        await page.screenshot({ path: `${kLook}/${name}-${language}-${theme}-${width}.png` });
      }
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}

test(
  'hidden characters of a question, its options and links are shown',
  staged(async (stage) => {
    await ask(stage.server, 'POST', '/v1/interactions', {
      key: 'plain',
      prompt: {
        agent_name: 'helper\u202e',
        project_directory: '/srv/shop\u200b',
        text: 'Deploy `rm -rf \u2066build\u2069` to production? 请确认 👩‍💻\n\nSee [https://good.example](https://evil.example/a) \u{e0067}\u{e006f}.',
      },
    });
    await ask(stage.server, 'POST', '/v1/interactions', {
      key: 'options',
      prompt: {
        text: 'Which one?',
        questions: [
          {
            text: 'Which\u202e one?',
            choices: [{ label: 'yes\u200b', description: 'deploys \u202etxt.exe' }, { label: 'لا — no' }],
          },
        ],
      },
    });
    const { page } = await stage.person();
    await page.locator('[data-test=question-card]').nth(1).waitFor();
    const text = await page.locator('body').innerText();
    assert.doesNotMatch(text.replaceAll('👩\u200d💻', ''), kHidden);
    for (const mark of ['U+2066', 'U+202E', 'U+200B', 'U+E0067']) assert.ok(text.includes(mark), mark);
    assert.ok(text.includes('(evil.example)'), 'a link says where it leads');
    assert.ok(text.includes('请确认 👩‍💻') && text.includes('لا — no'), 'readable text stays');
    assert.ok((await page.locator('[data-test=hidden-note]').count()) >= 3, 'it is said that something was hidden');
    await page.goto(`${stage.server.url}/#/inbox/all`);
    await picture(page, 'inbox', '[data-test=question-card]');
  }),
);

test(
  'hidden characters of an approval’s command are shown',
  staged(async (stage) => {
    const folder = folderOf(stage, { 'a.txt': 'one\n' });
    const { id } = await startElsewhere(stage, { message: kRun, working_folder: folder, approve: 'ask' });
    const { page } = await stage.person();
    await page.locator('[data-test=question-card]').waitFor();
    assert.doesNotMatch(await page.locator('body').innerText(), kHidden);
    await page.goto(`${stage.server.url}/#/inbox/all`);
    await picture(page, 'approval-inbox', '[data-test=question-card]');
    await page.goto(`${stage.server.url}/#/runs/${id}`);
    await page.locator('[data-test=approval]').waitFor();
    const text = await page.locator('body').innerText();
    assert.doesNotMatch(text, kHidden);
    assert.match(text, /echo U\+202EU\+2066fdp\.exeU\+2069U\+202C 部署 U\+200Bnow/);
    assert.match(await page.locator('[data-test=approval]').innerText(), /5 hidden characters/);
    for (const title of await page.locator('[title]').evaluateAll((all) => all.map((one) => one.title)))
      assert.doesNotMatch(title, kHidden);
    await picture(page, 'approval-run', '[data-test=approval]');
  }),
);

test(
  'hidden characters in titles, files, nodes and servers are shown',
  staged(async (stage) => {
    const kOdd = 'invoice\u202egpj.exe\u200b';
    await ask(stage.server, 'POST', '/api/v1/sessions', { title: kOdd });
    await ask(stage.server, 'POST', '/api/v1/comfyui-servers', {
      serverKey: 'odd',
      serverName: kOdd,
      baseUrl: 'http://127.0.0.1:9',
    });
    const { page } = await stage.person();
    const looked = async (what) => {
      const text = await page
        .locator('body')
        .evaluate(
          (body) =>
            body.innerText +
            [...body.querySelectorAll('[aria-label], [title], [alt], option')]
              .map(
                (it) =>
                  ['aria-label', 'title', 'alt', 'label'].map((name) => it.getAttribute(name) ?? '').join(' ') +
                  it.textContent,
              )
              .join(' '),
        );
      assert.doesNotMatch(text, kHidden, what);
      assert.match(text, /U\+202E/, what);
    };
    await page.goto(`${stage.server.url}/#/chat`);
    await part(page, 'session').waitFor();
    await looked('the list of chats');
    await part(page, 'session').click();
    await part(page, 'chat-title').filter({ hasText: 'invoice' }).waitFor();
    await looked('the title of a chat');
    await part(page, 'session-more').click();
    await part(page, 'remove').click();
    await part(page, 'session-submit').waitFor();
    await looked('a chat that is to be deleted');
    await page.keyboard.press('Escape');
    await part(page, 'session-submit').waitFor({ state: 'detached' });
    await part(page, 'attach-input').setInputFiles([
      { name: `${kOdd}.txt`, mimeType: 'text/plain', buffer: Buffer.from('x') },
      { name: `${kOdd}.bin`, mimeType: 'application/octet-stream', buffer: Buffer.from('x') },
    ]);
    await part(page, 'refused').waitFor();
    await looked('files of a message');
    await say(page, 'What is it?');
    await atRest(page);
    await looked('a message with a file');
    await newChat(page, stage.server);
    await part(page, 'choose-server').locator('option').nth(1).waitFor({ state: 'attached' });
    if ((await part(page, 'workflow').count()) === 0) await part(page, 'flow-toggle').click();
    const workflow = {
      [`1${kOdd}`]: {
        class_type: `Type${kOdd}`,
        inputs: { [kOdd]: kOdd, from: [`2${kOdd}`, 0] },
        _meta: { title: kOdd },
      },
      [`2${kOdd}`]: { class_type: 'A', inputs: {} },
    };
    await part(page, 'workflow-input').setInputFiles({
      name: 'a.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(workflow)),
    });
    await part(page, 'workflow-node').first().dispatchEvent('click');
    await part(page, 'node-detail').waitFor();
    await looked('a node and a server');
  }),
);
