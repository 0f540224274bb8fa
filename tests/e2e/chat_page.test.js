// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The chat page in a real browser against the real server and its demonstration model: messages, calls, streams.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { atRest, call, direct, newChat, part, press, running, say, sessionsOf, texts } from './lib/chat.js';
import { staged, withModel } from './lib/chat_stage.js';
import { until } from './lib/person.js';

const kWords = Array.from({ length: 40 }, (_, at) => `word${at + 1}`);
const wordsIn = async (locator) => (await locator.innerText()).match(/word\d+/g);

const kSlow = direct('bash', { command: 'for i in 1 2 3 4 5 6 7 8; do echo line $i; sleep 0.5; done' });

test(
  'a first message creates a chat; its streamed answer survives a reload',
  staged(async (stage) => {
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
  }),
);

test(
  'a first message is sent although its page is left at once',
  staged(async (stage) => {
    const { page } = await stage.person();
    await newChat(page, stage.server);
    let create;
    const asked = new Promise((resolve) => {
      void page.route('**/api/v1/sessions', (route) => {
        if (route.request().method() !== 'POST') return route.continue();
        create = () => route.continue();
        resolve();
      });
    });
    await say(page, 'Paint a weathercock');
    await asked;
    await page.goto(`${stage.server.url}/#/search`);
    await create();
    await part(page, 'search-page').waitFor();
    await until(async () => (await sessionsOf(stage.server)).length === 1, 'the chat is there');
    await page.goto(`${stage.server.url}/#/chat`);
    await part(page, 'session').filter({ hasText: 'Paint a weathercock' }).first().click();
    await part(page, 'user-message').filter({ hasText: 'Paint a weathercock' }).waitFor();
    await atRest(page);
  }),
);

test(
  'a first message is sent, and another chat shown that is chosen at once',
  staged(async (stage) => {
    const { page } = await stage.person();
    await newChat(page, stage.server);
    await say(page, 'Paint a weathercock');
    await part(page, 'user-message').waitFor();
    await atRest(page);
    const older = page.url();
    await newChat(page, stage.server);
    let create;
    const asked = new Promise((resolve) => {
      void page.route('**/api/v1/sessions', (route) => {
        if (route.request().method() !== 'POST') return route.continue();
        create = () => route.continue();
        resolve();
      });
    });
    await say(page, 'Paint a lighthouse');
    await asked;
    await part(page, 'session').filter({ hasText: 'Paint a weathercock' }).first().click();
    await create();
    await part(page, 'user-message').filter({ hasText: 'Paint a weathercock' }).waitFor();
    assert.equal(page.url(), older);
    await part(page, 'session').filter({ hasText: 'Paint a lighthouse' }).first().click();
    await part(page, 'user-message').filter({ hasText: 'Paint a lighthouse' }).waitFor();
  }),
);

test(
  'a call that asks is allowed by key and runs',
  staged(async (stage) => {
    const { page } = await stage.person();
    await newChat(page, stage.server);
    await say(page, 'write "hello" to b.txt');
    await page.locator('[data-test=approval] [data-settling=false]').waitFor();
    await until(
      () => page.evaluate(() => document.activeElement?.getAttribute('data-test') === 'approval'),
      'the question has the focus',
    );
    await page.keyboard.press('1');
    await page.locator('[data-test=confirm-bar][data-held=false][data-ready=true]').waitFor();
    assert.equal(existsSync(stage.file('b.txt')), false, 'a key alone allows nothing');
    await page.keyboard.press('Enter');
    await call(page, 'done').waitFor();
    await atRest(page);
    assert.equal(readFileSync(stage.file('b.txt'), 'utf8').trim(), 'hello');
  }),
);

test(
  'no key grants more than one call, and a key that is held down allows nothing',
  staged(async (stage) => {
    const { page } = await stage.person();
    const allowed = async () =>
      (
        await (
          await fetch(`${stage.server.url}/api/v1/allowed-tools`, {
            headers: { Authorization: `Bearer ${stage.server.token}` },
          })
        ).json()
      ).data;
    await newChat(page, stage.server);
    await say(page, 'write "hello" to b.txt');
    await page.locator('[data-test=approval] [data-settling=false]').waitFor();
    await page.keyboard.press('2');
    await part(page, 'allow-always').waitFor(); // it shows the rules
    await page.locator('[data-test=approval] [data-settling=false]').waitFor();
    for (let times = 0; times < 3; times += 1) await page.keyboard.down('1');
    await page.keyboard.up('1');
    await page.locator('[data-test=confirm-bar][data-held=false]').waitFor();
    assert.equal(await call(page, 'asking').count(), 1);
    assert.equal(existsSync(stage.file('b.txt')), false);
    assert.deepEqual(await allowed(), []);
    await page.keyboard.press('Escape');
    await part(page, 'confirm-bar').waitFor({ state: 'detached' });
    assert.equal(await call(page, 'asking').count(), 1, 'Escape has stopped nothing but the decision');
    await page.locator('[data-test=approval] [data-settling=false]').waitFor();
    await page.keyboard.press('3'); // Deny, as in the inbox
    await page.locator('[data-test=confirm-bar][data-held=true]').waitFor();
    await call(page, 'denied').waitFor();
  }),
);

test(
  'a question of the agent ends its turn, and the next message answers it',
  staged(async (stage) => {
    const { page } = await stage.person();
    await newChat(page, stage.server);
    await say(
      page,
      direct('ask_question', { question: 'Which colour?', choices: [{ label: 'Red' }, { label: 'Blue' }] }),
    );
    await part(page, 'block').filter({ hasText: 'Which colour?' }).waitFor();
    await atRest(page);
    assert.equal(await call(page, 'running').count(), 1, 'the call waits');
    if (process.env.PARLEY_PICTURES) await page.screenshot({ path: process.env.PARLEY_PICTURES });
    await say(page, 'Blue, as the sea');
    await call(page, 'done').waitFor();
    await atRest(page);
    assert.match(await texts(page).last().innerText(), /Blue, as the sea/);
    await page.reload();
    await texts(page).filter({ hasText: 'Blue, as the sea' }).waitFor();
    assert.equal(await part(page, 'user-message').count(), 2);
  }),
);

test(
  'a denied call does not run',
  staged(async (stage) => {
    const { page } = await stage.person();
    await newChat(page, stage.server);
    await say(page, 'write "hello" to b.txt');
    await press(page, 'deny');
    await call(page, 'denied').waitFor();
    await atRest(page);
    assert.equal(existsSync(stage.file('b.txt')), false);
    assert.equal(await part(page, 'approval').count(), 0);
  }),
);

test(
  'a denied call is still shown as denied after a reload',
  staged(async (stage) => {
    const { page } = await stage.person();
    await newChat(page, stage.server);
    await say(page, 'write "hello" to b.txt');
    await press(page, 'deny');
    await call(page, 'denied').waitFor();
    await atRest(page);
    await page.reload();
    await call(page, 'denied').waitFor();
    await atRest(page);
    assert.equal(await call(page, 'failed').count(), 0);
  }),
);

test(
  'Esc stops a run during a command, and the chat goes on',
  staged(async (stage) => {
    const { page } = await stage.person();
    await newChat(page, stage.server);
    await say(page, `run the command sleep 60 && touch late.txt`);
    await press(page, 'allow-once');
    await call(page, 'running').waitFor();
    await page.keyboard.press('Escape');
    await part(page, 'interrupted').waitFor();
    await atRest(page);
    await call(page, 'stopped').waitFor();
    assert.equal(existsSync(stage.file('late.txt')), false);
    await say(page, '/help');
    await part(page, 'block').waitFor();
  }),
);

test(
  'the stop button withdraws the open question',
  staged(async (stage) => {
    const { page } = await stage.person();
    await newChat(page, stage.server);
    await say(page, 'write "hello" to b.txt');
    await part(page, 'approval').waitFor();
    await part(page, 'stop').click();
    await atRest(page);
    assert.equal(await part(page, 'approval').count(), 0);
    assert.equal(existsSync(stage.file('b.txt')), false);
  }),
);

test(
  'a reload during streaming loses and repeats nothing',
  staged(async (stage) => {
    const { page } = await stage.person();
    await newChat(page, stage.server);
    await say(page, kSlow);
    await press(page, 'allow-once');
    await part(page, 'terminal').filter({ hasText: 'line 2' }).waitFor();
    await page.reload();
    await running(page);
    await part(page, 'terminal').filter({ hasText: 'line 4' }).waitFor();
    await call(page, 'done').waitFor();
    await atRest(page);
    await call(page, 'done').locator('[data-test=call-line]').click();
    const lines = (await part(page, 'call-result').innerText()).match(/line \d/g);
    assert.deepEqual(
      lines,
      [1, 2, 3, 4, 5, 6, 7, 8].map((n) => `line ${n}`),
    );
    assert.equal(await part(page, 'user-message').count(), 1);
  }),
);

test(
  'two tabs see one chat live, and an answer updates both',
  staged(async (stage) => {
    const first = (await stage.person()).page;
    const second = (await stage.person()).page;
    await newChat(first, stage.server);
    await say(first, 'write "hello" to b.txt');
    await part(first, 'approval').waitFor();
    await second.goto(first.url());
    await part(second, 'approval').waitFor();
    await press(second, 'allow-once');
    await call(first, 'done').waitFor();
    await call(second, 'done').waitFor();
    await atRest(first);
    assert.equal(await part(first, 'approval').count(), 0);
    await part(first, 'answered-by').waitFor();
    assert.equal(await part(second, 'answered-by').count(), 0, 'who answered is told to others');
    assert.equal(await part(first, 'text').last().innerText(), await part(second, 'text').last().innerText());
    await say(second, 'write "again" to c.txt');
    await part(first, 'user-message').nth(1).waitFor();
    await press(first, 'deny');
    await call(second, 'denied').waitFor();
    assert.equal(existsSync(stage.file('c.txt')), false);
  }),
);

test(
  'the page reconnects after a killed server, and the run is over',
  staged(async (stage) => {
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
    await press(page, 'allow-once');
    await call(page, 'done').waitFor();
    assert.equal(existsSync(stage.file('b.txt')), true);
  }),
);

test(
  'an edited message removes the later ones, also in a second tab',
  staged(async (stage) => {
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
    await until(
      async () => (await part(page, 'user-message').count()) === 1 && (await call(page, 'done').count()) === 1,
      'the retry stands alone',
    );
    await atRest(page);
    await page.reload();
    await call(page, 'done').waitFor();
    assert.equal(await part(page, 'user-message').count(), 1);
    assert.doesNotMatch(await part(page, 'thread').innerText(), /a\.txt/);
  }),
);

const kEvil = [
  '<script>window.evil = 1</script>',
  '<img src=x onerror="window.evil = 2">',
  '<svg onload="window.evil = 3"><script>window.evil = 4</script></svg>',
  '[one](javascript:window.evil=5)',
  '[two](JaVaScRiPt:window.evil=6)',
  '[three](data:text/html;base64,PHNjcmlwdD53aW5kb3cuZXZpbD03PC9zY3JpcHQ+)',
  '[four](vbscript:window.evil=8)',
  '![x](javascript:window.evil=9)',
  '![x](x" onerror="window.evil=10)',
  '<a href="javascript:window.evil=11">five</a>',
  '<iframe srcdoc="<script>parent.evil=12</script>"></iframe>',
  '<details open ontoggle="window.evil=13">x</details>',
  '<math><mtext><style><img src=x onerror="window.evil=14"></style></mtext></math>',
  '<form action="javascript:window.evil=15"><button id=go>go</button></form>',
  '```html\n<img src=x onerror="window.evil=16">\n```',
  '`<img src=x onerror="window.evil=17">`',
  '| <img src=x onerror="window.evil=18"> |\n| --- |',
  '<https://example.com/"onmouseover="window.evil=19>',
  '**bold end**',
].join('\n\n');

test(
  'text of a model cannot run in the page',
  withModel(async (stage, model) => {
    model.words = kEvil.match(/[^]{1,7}/g);
    const { page } = await stage.person();
    const asked = [];
    page.on('request', (request) => asked.push(request.url()));
    await newChat(page, stage.server);
    await say(page, kEvil.replace(/\n+/g, ' '));
    await page.locator('[data-test=text] strong').filter({ hasText: 'bold end' }).waitFor();
    await atRest(page);
    for (const link of await page.locator('[data-test=thread] a').all())
      assert.match((await link.getAttribute('href')) ?? 'https:', /^(https?:|mailto:)/);
    for (const button of await page.locator('[data-test=thread] article').all()) await button.hover();
    await page.reload();
    await page.locator('[data-test=text] strong').filter({ hasText: 'bold end' }).waitFor();
    assert.equal(await page.evaluate(() => window.evil), undefined);
    assert.equal(
      await page
        .locator(
          '[data-test=thread] :is(script, iframe, form, style, [onerror], [onload], [ontoggle], [onmouseover], [srcdoc])',
        )
        .count(),
      0,
    );
    assert.deepEqual(
      asked.filter((url) => !url.startsWith(stage.server.url) && !url.startsWith('data:') && !url.startsWith('blob:')),
      [],
      'nothing is fetched from elsewhere',
    );
  }),
);

test(
  'results of a tool cannot run in the page',
  staged(async (stage) => {
    writeFileSync(stage.file('evil.md'), kEvil);
    const { page } = await stage.person();
    await newChat(page, stage.server);
    await say(page, 'read the file evil.md and tell me what it says');
    await atRest(page);
    await call(page, 'done').locator('[data-test=call-line]').click();
    await part(page, 'call-result').waitFor();
    assert.equal(await page.evaluate(() => window.evil), undefined);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth), false);
  }),
);

test(
  'a spoken answer continues after a reload and after the server ends',
  withModel(async (stage, model) => {
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
  }),
);

test(
  'a stopped answer keeps its text',
  withModel(async (stage, model) => {
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
  }),
);

test(
  'a reader who scrolled up stays there while the answer grows',
  withModel(async (stage, model) => {
    const { page } = await stage.person();
    model.words = Array.from({ length: 120 }, (_, at) => `word${at + 1}\n\n`);
    model.holdAt(80);
    await newChat(page, stage.server);
    await say(page, 'Say your words.');
    await texts(page).filter({ hasText: 'word80' }).waitFor();
    const thread = part(page, 'thread');
    await until(
      () => thread.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight < 4),
      'the end is followed',
    );
    await thread.evaluate((box) => box.scrollTo(0, 300));
    await part(page, 'to-newest').waitFor();
    const before = await thread.evaluate((box) => box.scrollTop);
    model.release();
    await texts(page).filter({ hasText: 'word120' }).waitFor();
    await atRest(page);
    assert.equal(await thread.evaluate((box) => box.scrollTop), before);
    await part(page, 'to-newest').click();
    await until(
      () => thread.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight < 4),
      'the button leads to the end',
    );
  }),
);

// Without a ComfyUI server the values of the editor's form are named by position.
