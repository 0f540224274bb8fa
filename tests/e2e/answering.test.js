// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The form of an answer in a real browser: what is written, added, attached and kept.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { attach, attached, chip, field, give, holdFrames, kPicture, part, picture, plainFile } from './lib/composer.js';
import { until } from './lib/person.js';
import { staged } from './lib/stage.js';

// Larger than the buffers of a socket; the MCP client of the tests takes lines of 10 MiB.
const kBigBytes = 6 * 1024 * 1024;

const send = (card) => part(card, 'send').click();

// Asks, and shows the card: [card, answer]. A test may leave the question open.
async function asked(person, agent, question, more) {
  const answer = agent.ask(question, more);
  answer.catch(() => undefined);
  await person.card(question).waitFor();
  return [person.card(question), answer];
}

// The same; the answer is a list of contents.
async function askedFor(person, agent, question) {
  const contents = agent.askFor(question);
  await person.card(question).waitFor();
  return [person.card(question), contents];
}

async function setAffixes(person, prefix, suffix) {
  await person.openSettings();
  await part(person.page, 'prefix').fill(prefix);
  await part(person.page, 'suffix').fill(suffix);
  await person.openInbox();
}

test(
  'prefix and suffix are added, shown before, and left out on wish',
  staged(async (stage) => {
    const person = await stage.person();
    const agent = await stage.agent();
    const [first, firstAnswer] = await asked(person, agent, 'How is the first?');
    assert.equal(await part(first, 'affixes').count(), 0);
    await setAffixes(person, 'In short: ', '\nRun the tests.');
    await person.openSettings();
    assert.match(await part(person.page, 'affix-sample').innerText(), /^In short: Yes, go on\.\nRun the tests\.$/);
    await person.page.reload();
    await person.openInbox();
    assert.equal(await part(first, 'affixes').getAttribute('aria-pressed'), 'true');
    await field(first).fill('fine');
    await part(first, 'preview-toggle').click();
    assert.match(await part(first, 'preview').innerText(), /In short: fine\s+Run the tests\./);
    await field(first).press('Control+Enter');
    assert.equal(await firstAnswer, 'In short: fine\nRun the tests.');

    const [second, secondAnswer] = await asked(person, agent, 'How is the second?');
    await field(second).fill('bare');
    await field(second).press('Control+Shift+Enter');
    assert.equal(await secondAnswer, 'bare');

    const [third, thirdAnswer] = await asked(person, agent, 'How is the third?');
    await field(third).press('ArrowUp');
    await field(third).press('ArrowUp');
    assert.equal(await field(third).inputValue(), 'fine', 'the history has the text without prefix and suffix');
    await part(third, 'send').click({ modifiers: ['Shift'] });
    assert.equal(await thirdAnswer, 'fine');

    const [fourth, fourthAnswer] = await asked(person, agent, 'How is the fourth?');
    await part(fourth, 'affixes').click();
    assert.equal(await part(fourth, 'affixes').getAttribute('aria-pressed'), 'false');
    await chip(fourth, 'Go on').click();
    assert.equal(await fourthAnswer, 'Go on');
  }),
);

test(
  'an open question draws nothing while nothing happens',
  staged(async (stage) => {
    const person = await stage.person();
    const agent = await stage.agent();
    await asked(person, agent, 'Is it calm?');
    await person.page.waitForFunction(() => document.getAnimations().length === 0);
    const busy = await person.page.evaluate(async () => {
      let frames = 0;
      for (let i = 0; i < 120; i += 1) {
        await new Promise((resolve) => requestAnimationFrame(resolve));
        if (document.getAnimations().length > 0) frames += 1;
      }
      return frames;
    });
    assert.equal(busy, 0, 'frames with an animation, of 120');
  }),
);

test(
  'prefix and suffix go around a structured answer once',
  staged(async (stage) => {
    const person = await stage.person();
    const agent = await stage.agent();
    await setAffixes(person, 'Note.', 'Thanks.');
    const questions = [
      {
        question: 'Which door?',
        header: 'Door',
        options: [
          { label: 'Front', description: '' },
          { label: 'Back', description: '' },
        ],
      },
      { question: 'Which colour?', header: 'Colour', options: [{ label: 'Red', description: '' }] },
    ];
    const answer = agent.ask(undefined, { questions });
    const card = part(person.page, 'question-card');
    await card.getByRole('button', { name: 'Back' }).click();
    await card.getByRole('button', { name: 'Red' }).click();
    await send(card);
    assert.equal(await answer, 'Note.\nQ: Door\nA: Back\nQ: Colour\nA: Red\nThanks.');

    const choices = { questions: [questions[0]] };
    const chosen = agent.ask(undefined, choices);
    await card.getByRole('button', { name: 'Front' }).click();
    assert.equal(await chosen, 'Note.FrontThanks.');
    const bare = agent.ask(undefined, choices);
    await card.getByRole('button', { name: 'Back' }).click({ modifiers: ['Shift'] });
    assert.equal(await bare, 'Back');

    const report = agent.finish('The door is painted.');
    await send(person.taskCard('The door is painted.'));
    assert.equal(await report, 'Task confirmed as finished.');
  }),
);

test(
  'own replies come back with the arrow keys, Escape restores',
  staged(async (stage) => {
    const person = await stage.person();
    const agent = await stage.agent();
    for (const words of ['one', 'two', 'two']) {
      const [card, answer] = await asked(person, agent, `Which number, ${words}?`);
      await field(card).fill(words);
      await field(card).press('Control+Enter');
      assert.equal(await answer, words);
    }
    await person.page.reload();
    await person.untilOnline();
    const [card] = await asked(person, agent, 'Which one now?');
    const here = field(card);
    await here.press('ArrowUp');
    assert.equal(await here.inputValue(), 'two');
    await here.press('ArrowUp');
    assert.equal(await here.inputValue(), 'one', 'the same reply is kept once');
    await here.press('ArrowUp');
    assert.equal(await here.inputValue(), 'one');
    await here.press('ArrowDown');
    assert.equal(await here.inputValue(), 'two');
    await here.press('Escape');
    assert.equal(await here.inputValue(), '');
    assert.ok(
      await here.evaluate((element) => document.activeElement === element),
      'Escape left the focus in the field',
    );
    await here.press('ArrowUp');
    await here.press('ArrowDown');
    assert.equal(await here.inputValue(), '');
    await here.fill('typed');
    await here.press('ArrowUp');
    assert.equal(await here.inputValue(), 'typed');

    await person.openSettings();
    assert.match(await part(person.page, 'replies-kept').innerText(), /Kept now: 2/);
    await part(person.page, 'replies-forget').click();
    await person.openInbox();
    await here.fill('');
    await here.press('ArrowUp');
    assert.equal(await here.inputValue(), '');
  }),
);

test(
  'own replies of two accounts on one device stay apart',
  staged(async (stage) => {
    const person = await stage.person();
    const agent = await stage.agent();
    const secondToken = await stage.server.createToken('second');
    const [card, answer] = await asked(person, agent, 'Mine?');
    await field(card).fill('of the first account');
    await send(card);
    assert.equal(await answer, 'of the first account');
    const other = await stage.agent(secondToken);
    await person.page.goto(`${stage.server.url}/?token=${secondToken}`);
    await person.untilOnline();
    const [theirs] = await asked(person, other, 'Theirs?');
    await field(theirs).press('ArrowUp');
    assert.equal(await field(theirs).inputValue(), '');
    assert.ok(!(await person.page.evaluate(() => localStorage.getItem('parley.replies'))).includes(stage.server.token));
  }),
);

test(
  'quick replies are edited and sent by click and key',
  staged(async (stage) => {
    const person = await stage.person();
    const { page } = person;
    const agent = await stage.agent();
    await person.openSettings();
    const rows = part(page, 'quick-words');
    assert.deepEqual(await rows.evaluateAll((all) => all.map((it) => it.value)), ['Go on', 'Explain first', 'Stop']);
    await part(page, 'quick-new').fill('Ship it');
    await part(page, 'quick-new').press('Enter');
    await page.getByRole('button', { name: 'Move “Ship it” up' }).press('Enter');
    await page.keyboard.press('Enter');
    await part(page, 'quick-row').nth(2).locator('[data-test=quick-remove]').click();
    await rows.nth(0).fill('Sure');
    await rows.nth(0).blur();
    await part(page, 'quick-new').fill('Sure');
    await part(page, 'quick-add').click();
    assert.match(await part(page, 'quick-problem').innerText(), /already/);
    assert.equal(await part(page, 'quick-new').inputValue(), 'Sure');
    const wanted = ['Sure', 'Ship it', 'Stop'];
    assert.deepEqual(await rows.evaluateAll((all) => all.map((it) => it.value)), wanted);
    await page.reload();
    await person.openInbox();

    const [first, firstAnswer] = await asked(person, agent, 'Shall I?');
    assert.deepEqual(await part(first, 'quick-reply').allInnerTexts(), wanted);
    await page.locator('[data-settling=false]').waitFor();
    await field(first).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.innerText), 'Ship it');
    await page.keyboard.press('Enter');
    assert.equal(await firstAnswer, 'Ship it');

    const [second, secondAnswer] = await asked(person, agent, 'And then?');
    await field(second).fill('Go on,');
    await chip(second, 'Ship it').click();
    assert.equal(await field(second).inputValue(), 'Go on, Ship it');
    await send(second);
    assert.equal(await secondAnswer, 'Go on, Ship it');

    await person.openSettings();
    await part(page, 'quick-reset').click();
    await page.getByText('中文').click();
    await until(async () => (await rows.nth(0).inputValue()) === '继续', 'the usual ones of the language');
    await person.openInbox();
    const [third, thirdAnswer] = await asked(person, agent, 'Chinese?');
    await chip(third, '继续').click();
    assert.equal(await thirdAnswer, '继续');
  }),
);

test(
  'files are attached by picker, drop and paste, and sent',
  staged(async (stage) => {
    const person = await stage.person();
    const { page } = person;
    await page.addInitScript(() => {
      window.urls = new Set();
      const { createObjectURL, revokeObjectURL } = URL;
      URL.createObjectURL = (of) => {
        const url = createObjectURL.call(URL, of);
        window.urls.add(url);
        return url;
      };
      URL.revokeObjectURL = (url) => {
        window.urls.delete(url);
        revokeObjectURL.call(URL, url);
      };
    });
    await page.reload();
    await person.untilOnline();
    const agent = await stage.agent();
    const [card, contents] = await askedFor(person, agent, 'Any files?');
    await attach(card, picture(), plainFile('notes.txt', 'some notes'));
    await attached(card, 'door.png').locator('[data-test=thumb]').waitFor();
    assert.equal(
      await attached(card, 'door.png')
        .locator('img')
        .evaluate((image) => image.decode().then(() => image.naturalWidth)),
      1,
    );
    await attached(card, 'notes.txt').getByText('10 B').waitFor();
    const base64 = kPicture.toString('base64');
    assert.equal(
      await give(part(card, 'send'), 'drop', { files: [{ name: 'dropped.png', type: 'image/png', base64 }] }),
      false,
    );
    await attached(card, 'dropped.png').waitFor();
    assert.equal(
      await give(field(card), 'paste', { files: [{ name: 'pasted.png', type: 'image/png', base64 }] }),
      false,
    );
    await attached(card, 'pasted.png').waitFor();
    assert.equal(
      await give(field(card), 'paste', { text: { 'text/plain': 'file:///srv/shop/floor%20plan.pdf' } }),
      false,
    );
    await attached(card, 'floor plan.pdf').getByText('Only the path is sent').waitFor();
    assert.equal(
      await give(field(card), 'paste', { text: { 'text/plain': 'see file:///srv/shop/plan.pdf' } }),
      true,
      'other text is pasted as usual',
    );
    const table = {
      files: [{ name: 'image.png', type: 'image/png', base64 }],
      text: { 'text/plain': 'a table', 'text/html': '<b>a table</b>' },
    };
    assert.equal(await give(field(card), 'paste', table), true, 'text with a picture of itself is pasted as text');
    assert.match(await part(card, 'files-used').innerText(), /^0\.0 of 11 MB$/);
    assert.equal(await page.evaluate(() => window.urls.size), 3);
    await attached(card, 'dropped.png').locator('[data-test=remove-file]').click();
    await attached(card, 'dropped.png').waitFor({ state: 'detached' });
    assert.equal(await page.evaluate(() => window.urls.size), 2);
    await field(card).fill('These.');
    await send(card);

    const got = await contents;
    assert.equal(got[0].text, 'These.');
    assert.deepEqual(
      got.filter(({ type }) => type === 'image').map(({ data, mimeType }) => [mimeType, data]),
      [
        ['image/png', base64],
        ['image/png', base64],
      ],
    );
    const notes = got.find((it) => it.resource?.uri === 'file://notes.txt').resource;
    assert.equal(Buffer.from(notes.blob, 'base64').toString(), 'some notes');
    assert.ok(
      got.some((it) => it.type === 'text' && it.text.includes('file:///srv/shop/floor%20plan.pdf')),
      JSON.stringify(got).slice(0, 2000),
    );
    await person.closedCard('Any files?').waitFor();
    await until(() => page.evaluate(() => window.urls.size === 0), 'all object URLs are revoked');
  }),
);

test(
  'an attachment that does not fit or is no picture is explained',
  staged(async (stage) => {
    const person = await stage.person();
    const agent = await stage.agent();
    const [card, contents] = await askedFor(person, agent, 'A big one?');
    await field(card).fill('half a sentence');
    const megabytes = (count, name) => {
      const path = join(stage.server.home, name);
      writeFileSync(path, Buffer.alloc(count * 1024 * 1024, 1));
      return path;
    };
    await attach(card, megabytes(30, 'huge.png'));
    const problems = part(card, 'answer-problems');
    await problems.getByText('huge.png has 30 MB. An answer has room for 11 MB, so it was left out.').waitFor();
    assert.equal(await part(card, 'answer-file').count(), 0);
    await attach(card, megabytes(8, 'log.bin'), megabytes(4, 'more.bin'));
    await problems.getByText('more.bin has 4.0 MB, and only 3.0 MB are left. It was left out.').waitFor();
    assert.match(await part(card, 'files-used').innerText(), /^8\.0 of 11 MB$/);
    assert.equal(await card.getByRole('meter').getAttribute('aria-valuenow'), '8.0');
    await attached(card, 'log.bin').locator('[data-test=remove-file]').click();
    await attach(card, { name: 'fake.png', mimeType: 'image/png', buffer: Buffer.from('<html>no picture</html>') });
    await problems.getByText('fake.png cannot be shown as a picture. It will be sent as a file.').waitFor();
    assert.equal(await attached(card, 'fake.png').getAttribute('data-kind'), 'file');
    await attach(card, plainFile('first.txt', 'x'));
    await attached(card, 'first.txt').waitFor();
    await attach(card, ...Array.from({ length: 20 }, (_, at) => plainFile(`n${at}.txt`, 'x')));
    await problems.getByText('An answer takes 20 attachments. n19.txt was left out.').waitFor();
    await part(card, 'remove-file').nth(1).press('Enter');
    assert.ok(
      await part(card, 'remove-file')
        .nth(1)
        .evaluate((button) => document.activeElement === button),
      'the focus is on the next file',
    );
    await person.page.evaluate(() => {
      File.prototype.arrayBuffer = () => Promise.reject(new DOMException('a folder', 'NotReadableError'));
    });
    await attach(card, plainFile('folder', ''));
    await problems.getByText('folder could not be read. If it is a folder, attach its files.').waitFor();
    assert.equal(await field(card).inputValue(), 'half a sentence');
    await send(card);
    const got = await contents;
    assert.equal(got[0].text, 'half a sentence');
    const fake = got.find((it) => it.resource?.uri === 'file://fake.png').resource;
    assert.equal(fake.mimeType, 'application/octet-stream');
    assert.equal(got.filter(({ type }) => type === 'image').length, 0);
  }),
);

test(
  'a file that is dropped beside the form does not replace the page',
  staged(async (stage) => {
    const person = await stage.person();
    const agent = await stage.agent();
    await asked(person, agent, 'Here?');
    assert.equal(
      await give(person.page.locator('body'), 'drop', {
        files: [{ name: 'a.txt', type: 'text/plain', base64: 'eA==' }],
      }),
      false,
    );
  }),
);

test(
  'Markdown is previewed while it is written, without scripts',
  staged(async (stage) => {
    const person = await stage.person();
    const agent = await stage.agent();
    const [card] = await asked(person, agent, 'Formatted?');
    await part(card, 'preview-toggle').click();
    assert.equal(await part(card, 'preview').innerText(), 'Nothing to show yet.');
    await field(card).fill('**bold** and `code`\n\n- item\n\n<img src=x onerror="window.evil=1">');
    await part(card, 'preview').locator('strong').getByText('bold').waitFor();
    assert.equal(await part(card, 'preview').locator('li').innerText(), 'item');
    assert.equal(await part(card, 'preview').locator('[onerror]').count(), 0);
    assert.equal(await person.page.evaluate(() => window.evil), undefined);
    await part(card, 'preview-toggle').click();
    await part(card, 'preview').waitFor({ state: 'detached' });
    assert.equal((await field(card).inputValue()).length > 10, true);
  }),
);

test(
  'drafts with attachments survive other pages and questions',
  staged(async (stage) => {
    const person = await stage.person();
    const { page } = person;
    const agent = await stage.agent();
    const other = await stage.agent();
    const [card, contents] = await askedFor(person, agent, 'Kept?');
    await other.ask.call(other, 'Unrelated?', { project_directory: '/src/other', timeout: 1 }).catch(() => undefined);
    await field(card).fill('half');
    await attach(card, plainFile('kept.txt', 'kept'));
    await attached(card, 'kept.txt').waitFor();
    await page.evaluate(() => {
      location.hash = '#/inbox/nowhere';
    });
    await card.waitFor({ state: 'detached' });
    await person.openSettings();
    await person.openInbox();
    await page.evaluate(() => {
      location.hash = '#/inbox/all';
    });
    await attached(card, 'kept.txt').waitFor();
    assert.equal(await field(card).inputValue(), 'half');
    await send(card);
    const got = await contents;
    assert.equal(got[0].text, 'half');
    assert.ok(got.some((it) => it.resource?.uri === 'file://kept.txt'));
  }),
);

test(
  'a text draft survives a reload; the browser asks about files',
  staged(async (stage) => {
    const person = await stage.person();
    const { page } = person;
    const agent = await stage.agent();
    const [card, answer] = await asked(person, agent, 'Reloaded?');
    await field(card).fill('still here');
    await attach(card, plainFile('gone.txt', 'x'));
    await attached(card, 'gone.txt').waitFor();
    const dialogs = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.type());
      void dialog.accept();
    });
    await page.reload();
    await card.waitFor();
    assert.deepEqual(dialogs, ['beforeunload']);
    assert.equal(await field(card).inputValue(), 'still here');
    assert.equal(await part(card, 'answer-file').count(), 0);
    await send(card);
    assert.equal(await answer, 'still here');
  }),
);

test(
  'a losing answer is shown as not used, also after a reload',
  staged(async (stage) => {
    const ann = await stage.person();
    const bob = await stage.person(undefined, undefined, { permissions: ['clipboard-read', 'clipboard-write'] });
    await ann.setNickname('Ann');
    const held = await holdFrames(bob.page);
    await bob.page.reload();
    await bob.untilOnline();
    const agent = await stage.agent();
    const answer = agent.ask('Who is first?');
    const card = bob.card('Who is first?');
    await card.waitFor();
    await field(card).fill('Bob thinks\nof two lines.');
    await attach(card, plainFile('bob.txt', 'x'));
    await attached(card, 'bob.txt').waitFor();
    held.on = true;
    await send(card);
    await until(() => held.count > 0, 'the answer of Bob is under way');
    await ann.answer('Who is first?', 'Ann is.');
    assert.equal(await answer, 'Ann is.');
    for (const reloaded of [false, true]) {
      if (reloaded) {
        held.on = false;
        await bob.page.reload();
      }
      const lost = part(bob.closedCard('Who is first?'), 'lost-answer');
      await lost.getByText('this-run answered first. Your answer was not used:').waitFor();
      assert.equal(await part(lost, 'lost-text').innerText(), 'Bob thinks\nof two lines.');
      await lost.getByText('Not sent: bob.txt').waitFor();
      await lost.getByRole('button', { name: 'Copy' }).click();
      await lost.getByText('Copied').waitFor();
      assert.equal(await bob.page.evaluate(() => navigator.clipboard.readText()), 'Bob thinks\nof two lines.');
    }
    await part(bob.page, 'lost-forget').click();
    await part(bob.page, 'lost-answer').waitFor({ state: 'detached' });
  }),
);

test(
  'words that were not sent yet are kept when another answers',
  staged(async (stage) => {
    const ann = await stage.person();
    const bob = await stage.person();
    const agent = await stage.agent();
    const answer = agent.ask('Still writing?');
    await bob.card('Still writing?').waitFor();
    await field(bob.card('Still writing?')).fill('I was about to say');
    await ann.answer('Still writing?', 'Done.');
    assert.equal(await answer, 'Done.');
    assert.equal(await part(bob.closedCard('Still writing?'), 'lost-text').innerText(), 'I was about to say');
  }),
);

test(
  'an upload that the server leaves is sent when it is back',
  staged(async (stage) => {
    const person = await stage.person();
    const agent = await stage.agent();
    const [card, contents] = await askedFor(person, agent, 'A long upload?');
    await field(card).fill('with a file');
    await attach(card, { name: 'big.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(kBigBytes, 7) });
    await attached(card, 'big.bin').waitFor();
    stage.server.stall();
    await send(card);
    await part(person.page, 'sending').getByText('Sending…').waitFor();
    await stage.server.kill();
    await person.untilOffline();
    await part(person.page, 'sending').getByText('Will be sent when the server is back.').waitFor();
    assert.match(await part(person.page, 'sending').innerText(), /with a file · 1 attachment/);
    await stage.server.start();
    const got = await contents;
    assert.equal(got[0].text, 'with a file');
    assert.equal(Buffer.from(got.find((it) => it.resource).resource.blob, 'base64').length, kBigBytes);
    await person.closedCard('A long upload?').waitFor();
  }),
);

test(
  'an answer that is taken back has its text and files again',
  staged(async (stage) => {
    const person = await stage.person();
    const agent = await stage.agent();
    const [card, answer] = await asked(person, agent, 'Taken back?');
    await field(card).fill('not yet');
    await attach(card, plainFile('a.txt', 'x'));
    await attached(card, 'a.txt').waitFor();
    await stage.server.kill();
    await person.untilOffline();
    await send(card);
    await part(person.page, 'sending').getByRole('button', { name: 'Take back' }).click();
    assert.equal(await field(card).inputValue(), 'not yet');
    await attached(card, 'a.txt').locator('[data-test=remove-file]').click();
    await field(card).fill('now');
    await stage.server.start();
    await person.untilOnline();
    await send(card);
    assert.equal(await answer, 'now');
  }),
);

test(
  'an ended login keeps the draft and its files for the next one',
  staged(async (stage) => {
    const [name, password] = ['bo', 'correct-horse-4'];
    await stage.server.createUser(name, password);
    const auth = (what, body, token) =>
      fetch(`${stage.server.url}/api/v1/auth/${what}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...(token ? { Authorization: `Bearer ${token}` } : {}) },
        body: JSON.stringify(body),
      });
    const login = await auth('login', { email: name, password });
    const person = await stage.person(null);
    const { page } = person;
    const signIn = async () => {
      await part(page, 'sign-in-by-password').click();
      await part(page, 'user').fill(name);
      await part(page, 'password').fill(password);
      await part(page, 'password').press('Enter');
      await person.untilOnline();
    };
    await signIn();
    const agent = await stage.agent((await login.json()).data.accessToken);
    const [card, contents] = await askedFor(person, agent, 'Signed out?');
    await field(card).fill('before');
    await attach(card, plainFile('before.txt', 'x'));
    await attached(card, 'before.txt').waitFor();
    const token = await page.evaluate(() => JSON.parse(sessionStorage.getItem('parley.token')));
    assert.equal((await auth('logout', {}, token)).status, 200);
    await part(page, 'denied').waitFor();
    await signIn();
    await card.waitFor();
    assert.equal(await field(card).inputValue(), 'before');
    await attached(card, 'before.txt').waitFor();
    await send(card);
    const got = await contents;
    assert.equal(got[0].text, 'before');
    assert.ok(got.some((it) => it.resource?.uri === 'file://before.txt'));
  }),
);

test(
  'signing out removes what was written and answered',
  staged(async (stage) => {
    const person = await stage.person();
    const { page } = person;
    const agent = await stage.agent();
    const [card, answer] = await asked(person, agent, 'To forget?');
    await field(card).fill('a secret reply');
    await send(card);
    assert.equal(await answer, 'a secret reply');
    const kept = () => page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    assert.match(await kept(), /a secret reply/);
    await person.openSettings();
    await part(page, 'sign-out').click();
    await part(page, 'sign-in').waitFor();
    assert.doesNotMatch(await kept(), /a secret reply/);
  }),
);
