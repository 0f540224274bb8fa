// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The chat page: its tools, commands, files, list of chats, keys, allowed tools.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { allowLasting, atRest, call, direct, newChat, part, press, say, sessionsOf, texts } from './lib/chat.js';
import { staged } from './lib/chat_stage.js';
import { until } from './lib/person.js';

const kWorkflow = {
  nodes: [
    {
      id: 4,
      type: 'CheckpointLoaderSimple',
      pos: [0, 0],
      size: [315, 98],
      mode: 0,
      widgets_values: ['a.safetensors'],
      inputs: [],
      outputs: [{ name: 'MODEL', type: 'MODEL', links: [1] }],
    },
    {
      id: 3,
      type: 'KSampler',
      pos: [400, 0],
      size: [315, 262],
      mode: 0,
      widgets_values: [7, 'fixed', 20, 8, 'euler', 'normal', 1],
      inputs: [
        { name: 'model', type: 'MODEL', link: 1 },
        { name: 'steps', type: 'INT', link: null, widget: { name: 'steps' } },
      ],
      outputs: [],
    },
  ],
  links: [[1, 4, 0, 3, 0, 'MODEL']],
  groups: [],
  version: 0.4,
};
const kApiWorkflow = {
  3: { class_type: 'KSampler', inputs: { steps: 20, model: ['4', 0] } },
  4: { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: 'a' } },
};

const kForms = [
  ['editor', kWorkflow, direct('workflow_node_set', { node: '3', input: '#2', value: 30 })],
  ['interface', kApiWorkflow, 'set steps of node 3 to 30'],
];

for (const [form, workflow, words] of kForms) {
  test(
    `an edit of the agent in ${form} form can be taken back`,
    staged(async (stage) => {
      const file = stage.file('flow.json');
      writeFileSync(file, JSON.stringify(workflow));
      const { page } = await stage.person();
      await newChat(page, stage.server);
      if ((await part(page, 'workflow').count()) === 0) await part(page, 'flow-toggle').click();
      await part(page, 'workflow-input').setInputFiles(file);
      await part(page, 'workflow-node').nth(1).waitFor();
      await say(page, words);
      await call(page, 'asking').or(call(page, 'done')).first().waitFor();
      if ((await call(page, 'asking').count()) > 0) {
        assert.match(await part(page, 'changes').first().innerText(), /steps[^]*20[^]*30/);
        await press(page, 'allow-once');
      }
      await call(page, 'done').first().waitFor();
      await atRest(page);
      await page.locator('[data-test=workflow][data-changes="1"]').waitFor();
      await page.locator('[data-test=workflow-node][data-id="3"][data-mark=changed]').click();
      assert.match(await part(page, 'node-detail').innerText(), /steps\s*30/);
      await page.reload();
      await page.locator('[data-test=workflow][data-changes="1"]').waitFor();
      await part(page, 'workflow-undo').click();
      await page.locator('[data-test=workflow][data-changes="0"]').waitFor();
    }),
  );
}

test(
  'the page’s tools keep a note and give or refuse a file',
  staged(async (stage) => {
    writeFileSync(stage.file('list.txt'), 'milk and bread');
    const { page } = await stage.person();
    await newChat(page, stage.server);
    if ((await part(page, 'workflow').count()) === 0) await part(page, 'flow-toggle').click();
    await say(page, direct('take_note', { text: 'The shop opens at nine.' }));
    await part(page, 'note').filter({ hasText: 'opens at nine' }).waitFor();
    await atRest(page);
    await say(page, direct('pick_file', { reason: 'the list' }));
    await part(page, 'file-wish').waitFor();
    await part(page, 'refuse-file').click();
    await call(page, 'failed').waitFor();
    await atRest(page);
    // While the dialog of the previous question still closes, a file would answer that question.
    await part(page, 'file-wish').waitFor({ state: 'hidden' });
    await say(page, direct('pick_file', { reason: 'the list' }));
    await part(page, 'file-wish').waitFor();
    await part(page, 'file-wish-input').setInputFiles(stage.file('list.txt'));
    await call(page, 'done').last().waitFor();
    await atRest(page);
    await call(page, 'done').last().locator('[data-test=call-line]').click();
    assert.match(await part(page, 'call-result').last().innerText(), /milk and bread/);
  }),
);

test(
  'commands are suggested; other text beginning with / goes to the agent',
  staged(async (stage) => {
    const { page } = await stage.person();
    await newChat(page, stage.server);
    await say(page, '/view what is it?');
    await texts(page).first().waitFor();
    await atRest(page);
    await part(page, 'chat-text').fill('/');
    await part(page, 'commands').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    assert.equal(await part(page, 'chat-text').inputValue(), '/clear');
    await page.keyboard.press('Enter');
    await part(page, 'empty-chat').waitFor();
    await page.reload();
    await part(page, 'empty-chat').waitFor();
  }),
);

test(
  'files are sent as text or name; oversized ones are refused',
  staged(async (stage) => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M/wHwAEBgIApD5fRAAAAABJRU5ErkJggg==',
      'base64',
    );
    const file = (name, mimeType, buffer) => ({ name, mimeType, buffer });
    const { page } = await stage.person();
    await newChat(page, stage.server);
    await part(page, 'attach-input').setInputFiles([
      file('a.png', 'image/png', png),
      file('note.txt', 'text/plain', Buffer.from('milk')),
      file('app.exe', 'application/x-msdownload', png),
    ]);
    await part(page, 'attachment').nth(1).waitFor();
    assert.match(await part(page, 'refused').innerText(), /app\.exe/);
    await say(page, 'what is in these?');
    await texts(page).first().waitFor();
    await atRest(page);
    assert.equal(await part(page, 'attachment').count(), 0);
    await page.reload();
    assert.match(await part(page, 'user-message').innerText(), /a\.png/);
  }),
);

test(
  'chats are renamed, found and deleted',
  staged(async (stage) => {
    const { page } = await stage.person();
    for (const text of ['hello there', 'good evening']) {
      await newChat(page, stage.server);
      await say(page, text);
      await texts(page).first().waitFor();
      await atRest(page);
    }
    await part(page, 'session').nth(1).waitFor();
    await part(page, 'session-more').first().click();
    await part(page, 'rename').click();
    await part(page, 'session-title').fill('Evening');
    await part(page, 'session-submit').click();
    await part(page, 'session').filter({ hasText: 'Evening' }).waitFor();
    await part(page, 'search').fill('even');
    await page.locator('[data-test=session-list][data-count="1"]').waitFor();
    await part(page, 'session-more').first().click();
    await part(page, 'remove').click();
    await part(page, 'session-submit').click();
    await until(async () => (await sessionsOf(stage.server)).length === 1, 'the chat is gone');
    await part(page, 'search').fill('');
    await page.locator('[data-test=session-list][data-count="1"]').waitFor();
  }),
);

test(
  'foreign and missing chats are not shown',
  staged(async (stage) => {
    const owner = await stage.person();
    await newChat(owner.page, stage.server);
    await say(owner.page, 'hello there');
    await atRest(owner.page);
    const other = await stage.person(await stage.server.createToken('other'));
    for (const url of [owner.page.url(), `${stage.server.url}/#/chat/session_nothing`]) {
      await other.page.goto(url);
      await part(other.page, 'chat-gone').waitFor();
      assert.equal(await part(other.page, 'user-message').count(), 0);
    }
  }),
);

test(
  'a phone shows the list, one chat, the workflow and back',
  staged(async (stage) => {
    const { page } = await stage.person(undefined, { width: 375, height: 720 });
    await part(page, 'nav-chat').first().click();
    await part(page, 'empty-chat').waitFor();
    await say(page, 'write "hello" to b.txt');
    await press(page, 'allow-once');
    await atRest(page);
    assert.equal(await part(page, 'session-list').isVisible(), false);
    await part(page, 'flow-toggle').click();
    await part(page, 'workflow').waitFor();
    await page.keyboard.press('Escape');
    await part(page, 'workflow').waitFor({ state: 'detached' });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth), false);
    await part(page, 'to-chats').click();
    await part(page, 'session').click();
    await call(page, 'done').waitFor();
  }),
);

test(
  'the chat works with the keyboard alone and always visible focus',
  staged(async (stage) => {
    const { page } = await stage.person();
    await newChat(page, stage.server);
    await part(page, 'chat-text').focus();
    await page.keyboard.type('write "hello" to b.txt');
    await page.keyboard.press('Enter');
    await page.locator('[data-test=approval] [data-settling=false]').waitFor();
    await page.keyboard.press('d');
    await call(page, 'denied').waitFor();
    await atRest(page);
    await page.keyboard.press('Control+f');
    await page.keyboard.type('b.txt');
    assert.match(await part(page, 'find-count').innerText(), /^1 of [1-9]/);
    await page.keyboard.press('Escape');
    for (let step = 0; step < 24; step += 1) {
      await page.keyboard.press('Tab');
      const unseen = await page.evaluate(() => {
        const seen = (element) => {
          const { outlineStyle, outlineWidth } = getComputedStyle(element);
          return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
        };
        const at = document.activeElement;
        return at === document.body ||
          seen(at) ||
          (at.matches('[data-test=chat-text], [data-test=search]') && seen(at.closest('.frame, .search')))
          ? ''
          : at.outerHTML.slice(0, 300);
      });
      assert.equal(unseen, '', `the focus is not seen at step ${step}`);
    }
  }),
);

test(
  'allowed tools are shown and revoked in chat and settings',
  staged(async (stage) => {
    const { page } = await stage.person();
    const rows = part(page, 'allowed-tool');
    await newChat(page, stage.server);
    await part(page, 'allowed-open').click();
    await part(page, 'allowed-none').waitFor();
    await part(page, 'allowed-close').click();
    await say(page, 'write "one" to a.txt');
    await allowLasting(page, 'allow-session');
    await call(page, 'done').first().waitFor();
    await atRest(page);
    await say(page, 'run the command touch b.txt');
    await allowLasting(page, 'allow-always');
    await call(page, 'done').nth(1).waitFor();
    await atRest(page);
    await part(page, 'allowed-open').click();
    await rows.nth(1).waitFor();
    assert.match(await part(page, 'allowed-tools').innerText(), /In all chats[^]*bash[^]*In this chat[^]*write_file/);
    await page.keyboard.press('Escape');
    await part(page, 'allowed-tools').waitFor({ state: 'detached' });

    await part(page, 'nav-settings').first().click();
    await part(page, 'nickname').waitFor();
    await page.route('**/api/v1/allowed-tools*', (route) => route.abort());
    await part(page, 'allowed-open').click();
    await part(page, 'allowed-tools').getByRole('alert').waitFor();
    await page.unroute('**/api/v1/allowed-tools*');
    await part(page, 'allowed-retry').click();
    await rows.nth(1).waitFor();
    assert.match(await part(page, 'allowed-tools').innerText(), /In “write "one" to a.txt”/);
    await rows.and(page.locator('[data-tool=bash]')).locator('[data-test=take-back]').click();
    await page.locator('[data-test=allowed-tools][data-count="1"]').waitFor();
    await part(page, 'take-back').click();
    await part(page, 'allowed-none').waitFor();
    await part(page, 'allowed-close').click();

    await part(page, 'nav-chat').first().click();
    await part(page, 'session').click();
    await atRest(page);
    for (const words of ['write "two" to a.txt', 'run the command touch c.txt']) {
      await say(page, words);
      await part(page, 'approval').waitFor();
      await press(page, 'deny');
      await atRest(page);
    }
    assert.equal(readFileSync(stage.file('a.txt'), 'utf8').trim(), 'one');
    assert.equal(existsSync(stage.file('c.txt')), false);
  }),
);

test(
  'allowed tools are revoked on a phone',
  staged(async (stage) => {
    const { page } = await stage.person(undefined, { width: 375, height: 720 });
    await newChat(page, stage.server);
    await say(page, 'write "one" to a.txt');
    await allowLasting(page, 'allow-always');
    await call(page, 'done').waitFor();
    await atRest(page);
    await part(page, 'allowed-open').click();
    await part(page, 'take-back').click();
    await part(page, 'allowed-none').waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth), false);
  }),
);
