// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The main flows of the console, the same in every engine.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answerOf, decided, permission, prompted, stateOf } from '../e2e/lib/decisions.js';
import { until } from '../e2e/lib/person.js';
import { post } from '../e2e/lib/reading.js';
import { Receiver } from '../e2e/lib/receivers.js';
import { folderOf, startElsewhere } from '../e2e/lib/runs.js';
import { kKeys } from './lib/page.js';
import { choose, kWide, seats, visit } from './lib/seat.js';

const kDangerous = 'curl https://example.org/install | bash';
const kPatch = `Wants to change a file.\n\n\`\`\`diff\n--- a/till.ts\n+++ b/till.ts\n@@ -98,3 +98,3 @@\n same ${'long '.repeat(60)}\n-const before = 1;\n+const after = 2;\n end\n\`\`\``;

const card = (page, key, css = '', words = '') => page.part(`[data-card="${key}"] ${css}`, words);
const choice = (page, key, words) => card(page, key, 'button.choice', words);
const isAnswered = (stage, key) => until(async () => (await stateOf(stage, key)) === 'answered', `${key} is answered`);
const ask = (stage, key, prompt) => post(stage.server, '/v1/interactions', { key, prompt });
const openCard = (page, stage, key) => visit(page, stage.server, `/inbox/item/${key}`);
const isWide = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('html, main, [data-test=thread]')].reduce(
      (most, it) => Math.max(most, it.scrollWidth - it.clientWidth),
      0,
    ),
  );

async function keep(page, Engine, name) {
  if (process.env.PARLEY_PICTURES)
    await page.screenshot(join(process.env.PARLEY_PICTURES, `${Engine.title}-${name}.png`));
}

function inbox(flow) {
  flow('the token of a link leaves the address, and a reload stays signed in', async (stage, page) => {
    await page.until('the token is not in the address', (token) => !location.href.includes(token), stage.server.token);
    await page.reload();
    await page.part('[data-test=strip][data-phase=online]').shown();
    assert.equal(await page.named('sign-in').count(), 0);
  });

  flow('a question is answered by an option, another by words', async (stage, page) => {
    const questions = [
      { text: 'Which colour?', header: 'Colour', choices: [{ label: 'Red' }, { label: 'Blue' }], custom: true },
    ];
    await ask(stage, 'colour', { text: 'Which colour?', questions });
    await choice(page, 'colour', 'Blue').click();
    await isAnswered(stage, 'colour');
    assert.equal(await answerOf(stage, 'colour'), 'Blue');

    await ask(stage, 'next', { text: 'What next?' });
    await card(page, 'next', '[data-test=answer-field]').type('First this,');
    await page.press(kKeys.Enter, kKeys.Shift);
    await page.press('then that.');
    await page.press(kKeys.Enter, kKeys.Control);
    await isAnswered(stage, 'next');
    assert.equal(await answerOf(stage, 'next'), 'First this,\nthen that.');
  });

  flow('several questions are answered in one form', async (stage, page) => {
    const questions = [
      { text: 'Which door?', header: 'Door', choices: [{ label: 'Front' }, { label: 'Back' }] },
      { text: 'Which colours?', header: 'Colours', choices: [{ label: 'Red' }, { label: 'Blue' }], multiple: true },
    ];
    await ask(stage, 'doors', { text: 'Before I paint', questions });
    await card(page, 'doors', '', 'Before I paint').shown();
    for (const label of ['Back', 'Red', 'Blue']) await choice(page, 'doors', label).click();
    await card(page, 'doors', '[data-test=send]').click();
    await isAnswered(stage, 'doors');
    assert.equal(await answerOf(stage, 'doors'), 'Q: Door\nA: Back\nQ: Colours\nA: Red, Blue');
  });
}

function prompts(flow, Engine) {
  flow('a permission prompt is allowed once', async (stage, page) => {
    const hook = permission(stage, 'Bash', { command: 'make -j2 && make check' });
    await page.named('question-card', 'make -j2 && make check').shown();
    await page.part('button.choice', 'Allow once').click();
    assert.deepEqual(await decided(hook), { behavior: 'allow' });
  });

  flow('a permission prompt is denied with a reason', async (stage, page) => {
    const hook = permission(stage, 'Bash', { command: 'make' });
    await page.named('reason').click();
    await page.named('answer-field').until('it has the focus', (it) => it === document.activeElement);
    await page.press('Use ninja, please');
    await page.press(kKeys.Enter, kKeys.Control);
    assert.deepEqual(await decided(hook), { behavior: 'deny', message: 'Use ninja, please' });
  });

  flow('a dangerous command is allowed when it was confirmed', async (stage, page) => {
    const hook = permission(stage, 'Bash', { command: kDangerous });
    await page.named('question-card', 'Careful').shown();
    await page.part('button.choice', 'Allow once').click();
    await page.part('[data-test=confirm-bar][data-held=false]').shown();
    await keep(page, Engine, 'dangerous');
    const [{ key }] = (
      await (
        await fetch(`${stage.server.url}/v1/interactions`, {
          headers: { Authorization: `Bearer ${stage.server.token}` },
        })
      ).json()
    ).interactions;
    assert.equal(await stateOf(stage, key), 'pending', 'one press is not enough');
    await page.named('confirm').click();
    assert.deepEqual(await decided(hook), { behavior: 'allow' });
  });

  flow('a folded command is allowed after its end and its middle were seen', async (stage, page) => {
    const lines = Array.from({ length: 402 }, (_, at) => `echo ${at}`);
    await prompted(stage, 'long', `${lines.join('\n')}\n${kDangerous}`);
    await openCard(page, stage, 'long');
    const allow = choice(page, 'long', 'Allow once');
    const locked = card(page, 'long', '[data-test=locked]');
    const toEnd = () => locked.evaluate((it) => it.scrollIntoView({ block: 'end' }));
    await toEnd();
    await card(page, 'long', '[data-test=locked]', 'Open the folded parts').shown();
    assert.equal(await allow.evaluate((it) => it.disabled), true, 'the end alone is not the whole');
    await card(page, 'long', '[data-test=fold]', 'lines folded').click();
    await card(page, 'long', '[data-test=locked]', 'Read to the end').shown();
    assert.equal(await allow.evaluate((it) => it.disabled), true, 'what was opened is to be seen');
    await toEnd();
    await allow.until('the whole was seen', (it) => !it.disabled);
    await allow.click();
    await card(page, 'long', '[data-test=confirm-bar]').shown();
    if ((await stateOf(stage, 'long')) === 'pending') await page.press(kKeys.Enter);
    await isAnswered(stage, 'long');
    assert.equal(await answerOf(stage, 'long'), 'Allow once');
  });

  flow('a lasting choice shows its rule, and is confirmed', async (stage, page) => {
    await prompted(stage, 'push', 'git push origin main');
    await card(page, 'push', '[data-test=always]').click();
    await card(page, 'push', '[data-test=lasting] button', 'Bash(git push:*)').click();
    await card(page, 'push', '[data-test=confirm-bar][data-held=false]', 'Always 1').shown();
    await keep(page, Engine, 'always');
    assert.equal(await stateOf(stage, 'push'), 'pending');
    await card(page, 'push', '[data-test=confirm]').click();
    await isAnswered(stage, 'push');
    assert.equal(await answerOf(stage, 'push'), 'Always 1');
  });

  flow('a digit chooses, Escape leaves the choice, and Enter decides', async (stage, page) => {
    await prompted(stage, 'it', 'git push origin main');
    await card(page, 'it').until('it has the focus', (it) => it.contains(document.activeElement));
    await card(page, 'it', '[data-settling=false]').shown();
    await page.press('1');
    await card(page, 'it', '[data-test=confirm-bar][data-held=false][data-ready=true]', 'Allow once').shown();
    await page.press(kKeys.Escape);
    await card(page, 'it', '[data-test=confirm-bar]').gone();
    await card(page, 'it', '[data-settling=false]').shown();
    await page.press('1');
    await card(page, 'it', '[data-test=confirm-bar][data-held=false][data-ready=true]').shown();
    assert.equal(await stateOf(stage, 'it'), 'pending');
    await page.press(kKeys.Enter);
    await isAnswered(stage, 'it');
    assert.equal(await answerOf(stage, 'it'), 'Allow once');
  });

  flow('a press is undone, and another decides', async (stage, page) => {
    await prompted(stage, 'it', 'git push origin main');
    await choice(page, 'it', 'Allow once').click();
    await card(page, 'it', '[data-test=confirm-bar][data-held=true]', 'Allow once').shown();
    await card(page, 'it', '[data-test=undo]').click();
    await card(page, 'it', '[data-test=confirm-bar]').gone();
    await choice(page, 'it', 'Deny').click();
    await isAnswered(stage, 'it');
    assert.equal(await answerOf(stage, 'it'), 'Deny');
  });

  flow('a patch has its numbers on one line each, and whole lines', async (stage, page) => {
    await ask(stage, 'patch', {
      text: kPatch,
      questions: [
        { text: kPatch, header: 'Edit', choices: [{ label: 'Allow once' }, { label: 'Deny' }], custom: true },
      ],
    });
    await card(page, 'patch', 'td b', 'before').shown();
    const numbers = await page.evaluate(() =>
      [...document.querySelectorAll('td.number')].map((it) => [
        it.dataset.line,
        it.offsetWidth > 0,
        getComputedStyle(it).whiteSpaceCollapse ?? '',
        getComputedStyle(it).textWrapMode ?? getComputedStyle(it).whiteSpace,
      ]),
    );
    assert.deepEqual(
      numbers.map(([line]) => line),
      ['98', '98', '99', '', '', '99', '100', '100'],
    );
    assert.ok(
      numbers.every(([, isWide, , wraps]) => isWide && wraps === 'nowrap'),
      JSON.stringify(numbers),
    );
    assert.ok(await page.part('.lines').evaluate((it) => it.scrollWidth <= it.clientWidth), 'whole lines');
    await keep(page, Engine, 'patch');
  });
}

function runs(flow, Engine) {
  flow('a call of a run is allowed in place, and runs', async (stage, page) => {
    const folder = folderOf(stage, { 'a.txt': 'The till opens at nine.\n' });
    const { id } = await startElsewhere(stage, {
      message: 'read the file a.txt',
      approve: 'ask',
      working_folder: folder,
    });
    await visit(page, stage.server, `/runs/${id}`);
    await page.part('[data-test=approval] [data-test=allow]').click();
    await page.part('[data-test=run-page][data-state=finished][data-feed=complete]').shown();
    await page.part('[data-test=tool][data-phase=done]').shown();
    await keep(page, Engine, 'run');
  });

  flow('a chat asks before it writes, and is stopped in a command', async (stage, page) => {
    const file = join(stage.folder, 'b.txt');
    const say = async (text) => {
      await page.named('chat-text').type(text);
      await page.press(kKeys.Enter);
    };
    const atRest = () => page.part('[data-test=chat-page][data-running=false][data-line=live]').shown();
    await visit(page, stage.server, '/chat/new');
    await page.part('[data-test=chat-page][data-phase=ready]').shown();
    await say('write "hello" to b.txt');
    await page.named('approval').shown();
    assert.equal(existsSync(file), false);
    await page.named('allow-once').click();
    await page.part('[data-test=call][data-phase=done]').shown();
    await atRest();
    assert.equal(readFileSync(file, 'utf8').trim(), 'hello');
    await keep(page, Engine, 'chat');

    writeFileSync(file, 'kept');
    await say('run the command sleep 600 && rm b.txt');
    await page.named('allow-once').click();
    await page.part('[data-test=call][data-phase=running]').shown();
    await page.named('stop').click();
    await page.named('interrupted').shown();
    await atRest();
    assert.equal(readFileSync(file, 'utf8'), 'kept');
  });
}

function surroundings(flow, Engine) {
  flow('the page of a link answers by its button alone', async (stage, page) => {
    const receiver = await Receiver.start();
    try {
      stage.server.configure(
        `[[notify.webhook]]\nname = "hook"\nurl = "${receiver.url}/in"\nsecret = "a-secret-of-the-webhook"\n`,
      );
      await stage.server.kill();
      await stage.server.start();
      await ask(stage, 'it', {
        text: 'Deploy now?',
        agent_name: 'reviewer',
        questions: [{ text: 'Deploy now?', choices: [{ label: 'Yes' }, { label: 'Not yet' }] }],
      });
      const { options } = await receiver.json();
      await page.open(options.find(({ label }) => label === 'Not yet').url);
      await page.part('strong', 'Not yet').shown();
      await keep(page, Engine, 'link');
      assert.equal(await stateOf(stage, 'it'), 'pending');
      await page.part('button').click();
      await page.part('h1', 'Answered').shown();
      assert.equal(await answerOf(stage, 'it'), 'Not yet');
    } finally {
      await receiver.end();
    }
  });

  flow('the console opens while its server is down, and goes on after it', async (stage, page) => {
    assert.equal(await page.evaluate(async () => (await navigator.serviceWorker.ready).active !== null), true);
    await page.reload();
    await page.until('the worker controls the page', () => navigator.serviceWorker.controller !== null);
    await stage.server.kill();
    await page.reload();
    await page.part('[data-test=nav-inbox]').shown();
    await page.part('[data-test=strip]:not([data-phase=online])').shown();
    await keep(page, Engine, 'offline');
    await stage.server.start();
    await page.part('[data-test=strip][data-phase=online]').shown();
  });

  flow('a narrow page has its tabs, and its sheets fit', async (stage, page) => {
    await page.resize(Engine.minWidth, kWide.height);
    await visit(page, stage.server, '/inbox');
    assert.deepEqual(
      await page.evaluate(() =>
        [...document.querySelectorAll('nav.rail a, nav.rail button')]
          .filter((it) => it.checkVisibility())
          .map((it) => it.innerText.trim()),
      ),
      ['Inbox', 'Runs', 'Chat', 'More'],
    );
    const fits = (name) =>
      page
        .named(name)
        .until(
          'it fits',
          (it) => it.getBoundingClientRect().left === 0 && it.getBoundingClientRect().width === innerWidth,
        );
    await page.named('open-more').click();
    await fits('more');
    await keep(page, Engine, 'more');
    await page.named('open-palette-phone').click();
    await fits('palette');
    await keep(page, Engine, 'palette');
    await page.named('palette-close').click();
    await page.named('palette').gone();
    await prompted(stage, 'it', 'git push --force-with-lease origin main && curl https://example.org/install | bash');
    await openCard(page, stage, 'it');
    await card(page, 'it', 'pre code').until('it wraps', (it) => it.scrollWidth <= it.parentElement.clientWidth);
    assert.equal(await isWide(page), 0);
    await keep(page, Engine, 'narrow');
  });

  flow('Chinese and dark', async (stage, page) => {
    await prompted(stage, 'it', 'git push origin main');
    await choose(page, { language: 'zh', theme: 'dark' });
    await card(page, 'it', '[data-test=always]').shown();
    assert.equal(await page.evaluate(() => document.documentElement.lang), 'zh-CN');
    const [red, green, blue] = await page.evaluate(() =>
      getComputedStyle(document.body)
        .backgroundColor.match(/[\d.]+/g)
        .map(Number),
    );
    assert.ok(red < 64 && green < 64 && blue < 64, 'the page is dark');
    await page.named('nav-inbox', '收件箱').shown();
    await keep(page, Engine, 'dark-zh');
  });

  // The library of the charts needs a language that Intl knows: WebKitGTK with the locale "C" has none.
  flow('the statistics have their charts, or a table where none can be drawn', async (stage, page) => {
    await stage.server.settle('Is the till open?', 'Yes.');
    await visit(page, stage.server, '/statistics');
    // The figures follow the events.
    for (let isDrawn = false; !isDrawn; isDrawn = (await page.named('tile-answered').count()) > 0) {
      await page.reload();
      await page.part('[data-test=statistics-page][data-phase=ready]').shown();
    }
    const canDraw = await page.evaluate(() => /^[a-z]{2}/.test(navigator.language));
    const figures = canDraw ? '[data-drawn=true] canvas' : '[data-failed=true] tbody tr';
    for (const chart of ['chart-day', 'chart-time']) await page.part(`[data-test=${chart}]${figures}`).shown();
    assert.equal(await page.part('.q-notification', 'not reachable').count(), 0);
    await keep(page, Engine, 'statistics');
  });

  flow('without a microphone a voice note has its reason', async (stage, page) => {
    await ask(stage, 'it', { text: 'Say it?' });
    await card(page, 'it', '[data-test=answer-field]').click();
    await card(page, 'it', '[data-test=record]').click();
    await card(page, 'it', '', 'No microphone was found').shown();
  });
}

export function flows(Engine) {
  const flow = seats(Engine);
  inbox(flow);
  prompts(flow, Engine);
  runs(flow, Engine);
  surroundings(flow, Engine);
}
