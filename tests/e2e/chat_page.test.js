// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The chat page in a real browser against the real server and its demonstration model.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { atRest, call, direct, newChat, part, running, say, sessionsOf, texts } from './lib/chat.js';
import { Model } from './lib/model.js';
import { until } from './lib/person.js';
import { Stage } from './lib/stage.js';

// A test function with a server whose runs work in a folder of the test and use `model`, if given.
const staged = (play, model) => async () => {
  const stage = new Stage();
  stage.folder = join(stage.server.home, 'desk');
  mkdirSync(stage.folder);
  stage.file = (name) => join(stage.folder, name);
  stage.server.configure(`[runs]\nworking_folder = "${stage.folder}"\n${model?.settings ?? ''}`);
  try {
    await stage.server.start();
    await play(stage);
  } finally {
    await stage.end();
  }
};

const withModel = (play) => async () => {
  const model = await Model.start();
  try {
    await staged((stage) => play(stage, model), model)();
  } finally {
    await model.end();
  }
};

const kWords = Array.from({ length: 40 }, (_, at) => `word${at + 1}`);
const wordsIn = async (locator) => (await locator.innerText()).match(/word\d+/g);

const kSlow = direct('bash', { command: 'for i in 1 2 3 4 5 6 7 8; do echo line $i; sleep 0.5; done' });
const kWorkflow = {
  nodes: [
    { id: 4, type: 'CheckpointLoaderSimple', pos: [0, 0], size: [315, 98], mode: 0, widgets_values: ['a.safetensors'], inputs: [], outputs: [{ name: 'MODEL', type: 'MODEL', links: [1] }] },
    { id: 3, type: 'KSampler', pos: [400, 0], size: [315, 262], mode: 0, widgets_values: [7, 'fixed', 20, 8, 'euler', 'normal', 1], inputs: [{ name: 'model', type: 'MODEL', link: 1 }, { name: 'steps', type: 'INT', link: null, widget: { name: 'steps' } }], outputs: [] },
  ],
  links: [[1, 4, 0, 3, 0, 'MODEL']],
  groups: [],
  version: 0.4,
};
const kApiWorkflow = { 3: { class_type: 'KSampler', inputs: { steps: 20, model: ['4', 0] } }, 4: { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: 'a' } } };

test('a first message creates a chat; its streamed answer survives a reload', staged(async (stage) => {
  writeFileSync(stage.file('a.txt'), 'The till opens at nine.\n');
  const { page } = await stage.person();
  await part(page, 'nav-chat').first().click();
  await part(page, 'empty-chat').waitFor();
  await say(page, 'read the file a.txt and tell me what it says');
  await call(page, 'done').waitFor();
  await atRest(page);
  assert.match(await texts(page).last().innerText(), /nine/);
  await call(page, 'done').locator('[data-test=call-line]').click();
  assert.match(await part(page, 'call-result').innerText(), /The till opens at nine/);
  assert.match(await part(page, 'chat-title').innerText(), /read the file a\.txt/);
  await page.reload();
  await atRest(page);
  await texts(page).last().waitFor();
  assert.equal(await part(page, 'user-message').count(), 1);
  assert.match(await texts(page).last().innerText(), /nine/);
  assert.equal((await sessionsOf(stage.server)).length, 1);
}));

test('a call that asks is allowed by key and runs', staged(async (stage) => {
  const { page } = await stage.person();
  await newChat(page, stage.server);
  await say(page, 'write "hello" to b.txt');
  await part(page, 'approval').waitFor();
  assert.equal(existsSync(stage.file('b.txt')), false);
  await until(() => page.evaluate(() => document.activeElement?.getAttribute('data-choice') === '1'), 'the question has the focus');
  await page.keyboard.press('1');
  await call(page, 'done').waitFor();
  await atRest(page);
  assert.equal(readFileSync(stage.file('b.txt'), 'utf8').trim(), 'hello');
}));

test('a denied call does not run', staged(async (stage) => {
  const { page } = await stage.person();
  await newChat(page, stage.server);
  await say(page, 'write "hello" to b.txt');
  await part(page, 'deny').click();
  await call(page, 'denied').waitFor();
  await atRest(page);
  assert.equal(existsSync(stage.file('b.txt')), false);
  assert.equal(await part(page, 'approval').count(), 0);
}));

test('a denied call is still shown as denied after a reload', staged(async (stage) => {
  const { page } = await stage.person();
  await newChat(page, stage.server);
  await say(page, 'write "hello" to b.txt');
  await part(page, 'deny').click();
  await call(page, 'denied').waitFor();
  await atRest(page);
  await page.reload();
  await call(page, 'denied').waitFor();
  await atRest(page);
  assert.equal(await call(page, 'failed').count(), 0);
}));

test('Esc stops a run during a command, and the chat goes on', staged(async (stage) => {
  const { page } = await stage.person();
  await newChat(page, stage.server);
  await say(page, `run the command sleep 60 && touch late.txt`);
  await part(page, 'allow-once').click();
  await call(page, 'running').waitFor();
  await page.keyboard.press('Escape');
  await part(page, 'interrupted').waitFor();
  await atRest(page);
  await call(page, 'stopped').waitFor();
  assert.equal(existsSync(stage.file('late.txt')), false);
  await say(page, '/help');
  await part(page, 'block').waitFor();
}));

test('the stop button withdraws the open question', staged(async (stage) => {
  const { page } = await stage.person();
  await newChat(page, stage.server);
  await say(page, 'write "hello" to b.txt');
  await part(page, 'approval').waitFor();
  await part(page, 'stop').click();
  await atRest(page);
  assert.equal(await part(page, 'approval').count(), 0);
  assert.equal(existsSync(stage.file('b.txt')), false);
}));

test('a reload during streaming loses and repeats nothing', staged(async (stage) => {
  const { page } = await stage.person();
  await newChat(page, stage.server);
  await say(page, kSlow);
  await part(page, 'allow-once').click();
  await part(page, 'terminal').filter({ hasText: 'line 2' }).waitFor();
  await page.reload();
  await running(page);
  await part(page, 'terminal').filter({ hasText: 'line 4' }).waitFor();
  await call(page, 'done').waitFor();
  await atRest(page);
  await call(page, 'done').locator('[data-test=call-line]').click();
  const lines = (await part(page, 'call-result').innerText()).match(/line \d/g);
  assert.deepEqual(lines, [1, 2, 3, 4, 5, 6, 7, 8].map((n) => `line ${n}`));
  assert.equal(await part(page, 'user-message').count(), 1);
}));

test('two tabs see one chat live, and an answer updates both', staged(async (stage) => {
  const first = (await stage.person()).page;
  const second = (await stage.person()).page;
  await newChat(first, stage.server);
  await say(first, 'write "hello" to b.txt');
  await part(first, 'approval').waitFor();
  await second.goto(first.url());
  await part(second, 'approval').waitFor();
  await part(second, 'allow-once').click();
  await call(first, 'done').waitFor();
  await call(second, 'done').waitFor();
  await atRest(first);
  assert.equal(await part(first, 'approval').count(), 0);
  await part(first, 'answered-by').waitFor();
  assert.equal(await part(second, 'answered-by').count(), 0, 'who answered is told to others');
  assert.equal(await part(first, 'text').last().innerText(), await part(second, 'text').last().innerText());
  await say(second, 'write "again" to c.txt');
  await part(first, 'user-message').nth(1).waitFor();
  await part(first, 'deny').click();
  await call(second, 'denied').waitFor();
  assert.equal(existsSync(stage.file('c.txt')), false);
}));

test('the page reconnects after a killed server, and the run is over', staged(async (stage) => {
  const { page } = await stage.person();
  await newChat(page, stage.server);
  await say(page, 'write "hello" to b.txt');
  await part(page, 'approval').waitFor();
  await part(page, 'chat-text').fill('half a thought');
  await stage.server.kill();
  await part(page, 'line-note').waitFor();
  await stage.server.start();
  await part(page, 'error').waitFor();
  await atRest(page);
  assert.equal(await part(page, 'approval').count(), 0);
  assert.equal(await part(page, 'chat-text').inputValue(), 'half a thought', 'what was typed is kept');
  assert.equal(existsSync(stage.file('b.txt')), false);
  await say(page, 'write "hello" to b.txt');
  await part(page, 'allow-once').click();
  await call(page, 'done').waitFor();
  assert.equal(existsSync(stage.file('b.txt')), true);
}));

test('an edited message removes the later ones, also in a second tab', staged(async (stage) => {
  writeFileSync(stage.file('a.txt'), 'one\n');
  writeFileSync(stage.file('b.txt'), 'two\n');
  const { page } = await stage.person();
  await newChat(page, stage.server);
  await say(page, 'read the file a.txt');
  await atRest(page);
  await call(page, 'done').waitFor();
  await part(page, 'user-message').hover();
  await part(page, 'edit').click();
  await part(page, 'edit-field').fill('read the file b.txt');
  await part(page, 'edit-send').click();
  await call(page, 'done').filter({ hasText: 'b.txt' }).waitFor();
  await atRest(page);
  assert.equal(await part(page, 'user-message').count(), 1);
  assert.equal(await call(page, 'done').count(), 1);
  await part(page, 'user-message').hover();
  await part(page, 'retry').click();
  await until(async () => (await part(page, 'user-message').count()) === 1 && (await call(page, 'done').count()) === 1, 'the retry stands alone');
  await atRest(page);
  await page.reload();
  await call(page, 'done').waitFor();
  assert.equal(await part(page, 'user-message').count(), 1);
  assert.doesNotMatch(await part(page, 'thread').innerText(), /a\.txt/);
}));

const kEvil = [
  '<script>window.evil = 1</script>', '<img src=x onerror="window.evil = 2">', '<svg onload="window.evil = 3"><script>window.evil = 4</script></svg>',
  '[one](javascript:window.evil=5)', '[two](JaVaScRiPt:window.evil=6)', '[three](data:text/html;base64,PHNjcmlwdD53aW5kb3cuZXZpbD03PC9zY3JpcHQ+)', '[four](vbscript:window.evil=8)',
  '![x](javascript:window.evil=9)', '![x](x" onerror="window.evil=10)', '<a href="javascript:window.evil=11">five</a>', '<iframe srcdoc="<script>parent.evil=12</script>"></iframe>',
  '<details open ontoggle="window.evil=13">x</details>', '<math><mtext><style><img src=x onerror="window.evil=14"></style></mtext></math>', '<form action="javascript:window.evil=15"><button id=go>go</button></form>',
  '```html\n<img src=x onerror="window.evil=16">\n```', '`<img src=x onerror="window.evil=17">`', '| <img src=x onerror="window.evil=18"> |\n| --- |', '<https://example.com/"onmouseover="window.evil=19>', '**bold end**',
].join('\n\n');

test('text of a model cannot run in the page', withModel(async (stage, model) => {
  model.words = kEvil.match(/[^]{1,7}/g);
  const { page } = await stage.person();
  const asked = [];
  page.on('request', (request) => asked.push(request.url()));
  await newChat(page, stage.server);
  await say(page, kEvil.replace(/\n+/g, ' '));
  await page.locator('[data-test=text] strong').filter({ hasText: 'bold end' }).waitFor();
  await atRest(page);
  for (const link of await page.locator('[data-test=thread] a').all()) assert.match((await link.getAttribute('href')) ?? 'https:', /^(https?:|mailto:)/);
  for (const button of await page.locator('[data-test=thread] article').all()) await button.hover();
  await page.reload();
  await page.locator('[data-test=text] strong').filter({ hasText: 'bold end' }).waitFor();
  assert.equal(await page.evaluate(() => window.evil), undefined);
  assert.equal(await page.locator('[data-test=thread] :is(script, iframe, form, style, [onerror], [onload], [ontoggle], [onmouseover], [srcdoc])').count(), 0);
  assert.deepEqual(asked.filter((url) => !url.startsWith(stage.server.url) && !url.startsWith('data:') && !url.startsWith('blob:')), [], 'nothing is fetched from elsewhere');
}));

test('results of a tool cannot run in the page', staged(async (stage) => {
  writeFileSync(stage.file('evil.md'), kEvil);
  const { page } = await stage.person();
  await newChat(page, stage.server);
  await say(page, 'read the file evil.md and tell me what it says');
  await atRest(page);
  await call(page, 'done').locator('[data-test=call-line]').click();
  await part(page, 'call-result').waitFor();
  assert.equal(await page.evaluate(() => window.evil), undefined);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth), false);
}));

test('a spoken answer continues after a reload and after the server ends', withModel(async (stage, model) => {
  const { page } = await stage.person();
  model.holdAt(20);
  await newChat(page, stage.server);
  await say(page, 'Say your words.');
  await texts(page).filter({ hasText: 'word20' }).waitFor();
  await page.reload();
  await running(page);
  await texts(page).filter({ hasText: 'word20' }).waitFor();
  model.release();
  await texts(page).filter({ hasText: 'word40' }).waitFor();
  await atRest(page);
  assert.deepEqual(await wordsIn(texts(page)), kWords);
  model.holdAt(10);
  await say(page, 'Once more.');
  await texts(page).nth(1).filter({ hasText: 'word10' }).waitFor();
  await stage.server.kill();
  await part(page, 'line-note').waitFor();
  await stage.server.start();
  await part(page, 'error').waitFor();
  await atRest(page);
  model.release();
  assert.deepEqual(await wordsIn(texts(page).nth(0)), kWords, 'nothing is shown twice');
  assert.deepEqual(await wordsIn(texts(page).nth(1)), kWords.slice(0, 10));
}));

test('a stopped answer keeps its text', withModel(async (stage, model) => {
  const { page } = await stage.person();
  model.holdAt(12);
  await newChat(page, stage.server);
  await say(page, 'Say your words.');
  await texts(page).filter({ hasText: 'word12' }).waitFor();
  await part(page, 'stop').click();
  await part(page, 'interrupted').waitFor();
  await atRest(page);
  model.release();
  assert.deepEqual(await wordsIn(texts(page)), kWords.slice(0, 12));
}));

test('a reader who scrolled up stays there while the answer grows', withModel(async (stage, model) => {
  const { page } = await stage.person();
  model.words = Array.from({ length: 120 }, (_, at) => `word${at + 1}\n\n`);
  model.holdAt(80);
  await newChat(page, stage.server);
  await say(page, 'Say your words.');
  await texts(page).filter({ hasText: 'word80' }).waitFor();
  const thread = part(page, 'thread');
  await until(() => thread.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight < 4), 'the end is followed');
  await thread.evaluate((box) => box.scrollTo(0, 300));
  await part(page, 'to-newest').waitFor();
  const before = await thread.evaluate((box) => box.scrollTop);
  model.release();
  await texts(page).filter({ hasText: 'word120' }).waitFor();
  await atRest(page);
  assert.equal(await thread.evaluate((box) => box.scrollTop), before);
  await part(page, 'to-newest').click();
  await until(() => thread.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight < 4), 'the button leads to the end');
}));

// Without a ComfyUI server the values of the editor's form are named by position.
const kForms = [
  ['editor', kWorkflow, direct('workflow_node_set', { node: '3', input: '#2', value: 30 })],
  ['interface', kApiWorkflow, 'set steps of node 3 to 30'],
];

for (const [form, workflow, words] of kForms) {
  test(`an edit of the agent in ${form} form can be taken back`, staged(async (stage) => {
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
      await part(page, 'allow-once').click();
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
  }));
}

test('the page’s tools keep a note and give or refuse a file', staged(async (stage) => {
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
}));

test('commands are suggested; other text beginning with / goes to the agent', staged(async (stage) => {
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
}));

test('files are sent as text or name; oversized ones are refused', staged(async (stage) => {
  const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M/wHwAEBgIApD5fRAAAAABJRU5ErkJggg==', 'base64');
  const file = (name, mimeType, buffer) => ({ name, mimeType, buffer });
  const { page } = await stage.person();
  await newChat(page, stage.server);
  await part(page, 'attach-input').setInputFiles([file('a.png', 'image/png', png), file('note.txt', 'text/plain', Buffer.from('milk')), file('app.exe', 'application/x-msdownload', png)]);
  await part(page, 'attachment').nth(1).waitFor();
  assert.match(await part(page, 'refused').innerText(), /app\.exe/);
  await say(page, 'what is in these?');
  await texts(page).first().waitFor();
  await atRest(page);
  assert.equal(await part(page, 'attachment').count(), 0);
  await page.reload();
  assert.match(await part(page, 'user-message').innerText(), /a\.png/);
}));

test('chats are renamed, found and deleted', staged(async (stage) => {
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
}));

test('foreign and missing chats are not shown', staged(async (stage) => {
  const owner = await stage.person();
  await newChat(owner.page, stage.server);
  await say(owner.page, 'hello there');
  await atRest(owner.page);
  const other = await stage.person(stage.server.createToken('other'));
  for (const url of [owner.page.url(), `${stage.server.url}/#/chat/session_nothing`]) {
    await other.page.goto(url);
    await part(other.page, 'chat-gone').waitFor();
    assert.equal(await part(other.page, 'user-message').count(), 0);
  }
}));

test('a phone shows the list, one chat, the workflow and back', staged(async (stage) => {
  const { page } = await stage.person(undefined, { width: 375, height: 720 });
  await part(page, 'nav-chat').first().click();
  await part(page, 'empty-chat').waitFor();
  await say(page, 'write "hello" to b.txt');
  await part(page, 'allow-once').click();
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
}));

test('the chat works with the keyboard alone and always visible focus', staged(async (stage) => {
  const { page } = await stage.person();
  await newChat(page, stage.server);
  await part(page, 'chat-text').focus();
  await page.keyboard.type('write "hello" to b.txt');
  await page.keyboard.press('Enter');
  await part(page, 'approval').waitFor();
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
      return at === document.body || seen(at) || (at.matches('[data-test=chat-text], [data-test=search]') && seen(at.closest('.frame, .search'))) ? '' : at.outerHTML.slice(0, 300);
    });
    assert.equal(unseen, '', `the focus is not seen at step ${step}`);
  }
}));

test('allowed tools are shown and revoked in chat and settings', staged(async (stage) => {
  const { page } = await stage.person();
  const rows = part(page, 'allowed-tool');
  await newChat(page, stage.server);
  await part(page, 'allowed-open').click();
  await part(page, 'allowed-none').waitFor();
  await part(page, 'allowed-close').click();
  await say(page, 'write "one" to a.txt');
  await part(page, 'allow-session').click();
  await call(page, 'done').first().waitFor();
  await atRest(page);
  await say(page, 'run the command touch b.txt');
  await part(page, 'allow-always').click();
  await call(page, 'done').nth(1).waitFor();
  await atRest(page);
  await part(page, 'allowed-open').click();
  await rows.nth(1).waitFor();
  assert.match(await part(page, 'allowed-tools').innerText(), /In all chats[^]*bash[^]*In this chat[^]*write_file/);
  await page.keyboard.press('Escape');
  await part(page, 'allowed-tools').waitFor({ state: 'detached' });

  await part(page, 'nav-settings').first().click();
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
    await part(page, 'deny').click();
    await atRest(page);
  }
  assert.equal(readFileSync(stage.file('a.txt'), 'utf8').trim(), 'one');
  assert.equal(existsSync(stage.file('c.txt')), false);
}));

test('allowed tools are revoked on a phone', staged(async (stage) => {
  const { page } = await stage.person(undefined, { width: 375, height: 720 });
  await newChat(page, stage.server);
  await say(page, 'write "one" to a.txt');
  await part(page, 'allow-always').click();
  await call(page, 'done').waitFor();
  await atRest(page);
  await part(page, 'allowed-open').click();
  await part(page, 'take-back').click();
  await part(page, 'allowed-none').waitFor();
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth), false);
}));

const kUser = ['bo', 'correct-horse-7'];

async function signIn(page, [name, password]) {
  await part(page, 'sign-in').waitFor();
  await part(page, 'sign-in-by-password').click();
  await part(page, 'user').fill(name);
  await part(page, 'password').fill(password);
  await part(page, 'password').press('Enter');
}

// The credentials in the page's session storage.
const kept = (page) => page.evaluate(() => ({ token: JSON.parse(sessionStorage.getItem('parley.token')), ...JSON.parse(sessionStorage.getItem('parley.login')) }));
const auth = (server, what, body, token) => fetch(`${server.url}/api/v1/auth/${what}`, {
  method: 'POST', headers: { 'Content-Type': 'application/json', ...(token ? { Authorization: `Bearer ${token}` } : {}) }, body: JSON.stringify(body),
});

test('a person signs in with name and password, chats and signs out', staged(async (stage) => {
  stage.server.createUser(...kUser);
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
}));

test('a login renews its token in all tabs; drafts survive its end', staged(async (stage) => {
  stage.server.createUser(...kUser);
  const person = await stage.person(null);
  const { page } = person;
  await page.goto(`${stage.server.url}/#/chat/new`);
  await part(page, 'remember').click();
  await signIn(page, kUser);
  await say(page, 'hello there');
  await texts(page).first().waitFor();
  await atRest(page);
  const other = await person.newTab();
  await other.goto(page.url());
  await atRest(other);
  let refreshes = 0;
  for (const tab of [page, other]) tab.on('request', (request) => (refreshes += request.url().endsWith('/auth/refresh') ? 1 : 0));

  const before = await kept(page);
  assert.equal((await auth(stage.server, 'refresh', { refreshToken: before.refresh })).status, 200);
  await until(async () => (await kept(page)).token !== before.token, 'the page has the next token');
  for (const tab of [page, other]) {
    await atRest(tab);
    await say(tab, 'hello again');
    await texts(tab).nth(tab === page ? 1 : 2).waitFor();
    await atRest(tab);
  }
  assert.equal((await kept(page)).token, (await kept(other)).token);
  assert.ok(refreshes >= 1 && refreshes <= 4, `the tabs asked ${refreshes} times`);

  await part(page, 'chat-text').fill('half a thought');
  const { token } = await kept(page);
  assert.equal((await auth(stage.server, 'logout', {}, token)).status, 200);
  await part(page, 'denied').waitFor();
  assert.match(await part(page, 'denied').innerText(), /login has ended/);
  await signIn(page, kUser);
  await atRest(page);
  await texts(page).nth(2).waitFor();
  assert.equal(await part(page, 'chat-text').inputValue(), 'half a thought');
}));

test('a link with an expired login asks for the password first', staged(async (stage) => {
  stage.server.createUser(...kUser);
  let login;
  await until(async () => {
    login = await auth(stage.server, 'login', { email: kUser[0], password: kUser[1] });
    return login.ok;
  }, 'the server knows its new user');
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
}));
