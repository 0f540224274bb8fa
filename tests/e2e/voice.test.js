// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Voice notes from a microphone that beeps once a second, and dictation.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useWholeBrowser } from './lib/browser.js';
import { field, part } from './lib/composer.js';
import { until } from './lib/person.js';
import { staged } from './lib/stage.js';

useWholeBrowser();

const kDevice = '--use-fake-device-for-media-stream';
const kGranted = '--use-fake-ui-for-media-stream';
const speaker = (stage, flags = [kDevice, kGranted]) => stage.person(undefined, undefined, { flags });

async function askedFor(person, agent, question) {
  const contents = agent.askFor(question);
  contents.catch(() => undefined); // a test may leave the question open
  await person.card(question).waitFor();
  return [person.card(question), contents];
}

async function record(card) {
  await part(card, 'record').click();
  await part(card, 'voice-panel').and(card.page().locator('[data-phase=recording]')).waitFor();
  const loudest = () => part(card, 'level').evaluateAll((all) => Math.max(...all.map((it) => it.offsetHeight)));
  await until(async () => (await loudest()) > 4, 'the level shows the beep');
  await part(card, 'voice-time')
    .getByText(/^(?!0:00)\d:\d\d of 5:00$/)
    .waitFor();
}

test(
  'a voice note is recorded, heard and sent as audio',
  staged(async (stage) => {
    const person = await speaker(stage);
    const agent = await stage.agent();
    const [card, contents] = await askedFor(person, agent, 'Say it?');
    await field(card).fill('Listen:');
    await record(card);
    assert.ok(await part(card, 'send').isDisabled());
    await field(card).press('Control+Enter');
    await part(card, 'answer-problems').getByText('Stop the recording first.').waitFor();
    await part(card, 'voice-stop').click();
    const note = part(card, 'answer-file');
    assert.equal(await note.getAttribute('data-kind'), 'sound');
    assert.match(await note.innerText(), /Voice note/);
    assert.match(await part(note, 'sound-time').innerText(), /^(?!0:00)\d:\d\d$/);
    await part(note, 'play').click();
    await until(() => note.locator('audio').evaluate((audio) => audio.currentTime > 0.2), 'the note is heard');
    await part(card, 'send').click();
    const got = await contents;
    assert.equal(got[0].text, 'Listen:');
    const sound = got.find(({ type }) => type === 'audio');
    assert.equal(sound.mimeType, 'audio/webm');
    const bytes = Buffer.from(sound.data, 'base64');
    assert.equal(bytes.subarray(0, 4).toString('hex'), '1a45dfa3', 'a file of WebM');
    assert.ok(bytes.length > 2000, `${bytes.length} bytes`);
  }),
);

test(
  'a discarded note leaves the typed text alone',
  staged(async (stage) => {
    const person = await speaker(stage);
    const agent = await stage.agent();
    const [card, contents] = await askedFor(person, agent, 'Say nothing?');
    await field(card).fill('typed');
    await record(card);
    await part(card, 'voice-discard').click();
    await part(card, 'voice-panel').waitFor({ state: 'detached' });
    await record(card);
    await part(card, 'voice-stop').click();
    await part(card, 'answer-file').locator('[data-test=remove-file]').click();
    assert.equal(await part(card, 'answer-file').count(), 0);
    await part(card, 'send').click();
    assert.deepEqual(
      (await contents).map(({ text }) => text),
      ['typed'],
    );
  }),
);

test(
  'a recording that is left behind is kept with the draft',
  staged(async (stage) => {
    const person = await speaker(stage);
    const agent = await stage.agent();
    const [card] = await askedFor(person, agent, 'Left behind?');
    await record(card);
    await person.openSettings();
    await person.openInbox();
    await part(card, 'answer-file')
      .getByText(/^Voice note/)
      .waitFor();
  }),
);

test(
  'a refused microphone is explained, and works once allowed',
  staged(async (stage) => {
    const person = await speaker(stage, [kDevice, '--deny-permission-prompts']);
    const agent = await stage.agent();
    const [card] = await askedFor(person, agent, 'May I?');
    await field(card).fill('typed');
    await part(card, 'record').click();
    await part(card, 'answer-problems').getByText('The microphone was refused.').waitFor();
    assert.equal(await field(card).inputValue(), 'typed');
    await person.page.context().grantPermissions(['microphone']);
    await record(card);
    assert.equal(await part(card, 'answer-problems').count(), 0);
    await part(card, 'voice-stop').click();
    await part(card, 'answer-file').waitFor();
    assert.equal(await field(card).inputValue(), 'typed');
  }),
);

test(
  'a missing microphone is explained',
  staged(async (stage) => {
    const person = await speaker(stage, [kGranted]);
    await person.page.addInitScript(() => {
      navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('none', 'NotFoundError'));
    });
    await person.page.reload();
    const agent = await stage.agent();
    const [card] = await askedFor(person, agent, 'With what?');
    await field(card).fill('typed');
    await part(card, 'record').click();
    await part(card, 'answer-problems').getByText('No microphone was found.').waitFor();
    assert.equal(await field(card).inputValue(), 'typed');
  }),
);

test(
  'a page over plain HTTP from elsewhere explains what it needs',
  staged(async (stage) => {
    stage.server.configure('allowed_origins = ["*"]\n');
    await stage.server.kill();
    await stage.server.start();
    const person = await speaker(stage, [kDevice, kGranted, '--host-resolver-rules=MAP parley.test 127.0.0.1']);
    const agent = await stage.agent();
    const url = new URL(stage.server.url);
    await person.page.goto(`http://parley.test:${url.port}/?token=${stage.server.token}`);
    await person.untilOnline();
    assert.equal(await person.page.evaluate(() => window.isSecureContext), false);
    const [card] = await askedFor(person, agent, 'Over HTTP?');
    await field(card).fill('typed');
    await part(card, 'record').click();
    await part(card, 'answer-problems').getByText('Open this page over HTTPS.').waitFor();
    assert.equal(await part(card, 'dictate').count(), 0);
    assert.equal(await field(card).inputValue(), 'typed');
  }),
);

// A stand-in for the speech service, which no test can reach: window.hear(words, final), window.fail(error).
function standIn() {
  window.SpeechRecognition = class {
    start() {
      window.spoken = this;
    }
    stop() {
      this.onend();
    }
    abort() {
      this.onend();
    }
  };
  window.hear = (transcript, isFinal) =>
    window.spoken.onresult({ resultIndex: 0, results: [Object.assign([{ transcript }], { isFinal })] });
  window.fail = (error) => {
    window.spoken.onerror({ error });
    window.spoken.onend();
  };
}

test(
  'dictated words go in at the caret',
  staged(async (stage) => {
    const person = await stage.person();
    const { page } = person;
    await page.addInitScript(standIn);
    await page.reload();
    const agent = await stage.agent();
    const [card] = await askedFor(person, agent, 'Dictate?');
    await field(card).fill('Paint the door please.');
    await field(card).evaluate((area) => area.setSelectionRange(14, 14));
    await part(card, 'dictate').click();
    assert.equal(await page.evaluate(() => window.spoken.lang), 'en-US');
    await page.evaluate(() => window.hear('gre', false));
    await part(card, 'answer-hint').getByText('gre').waitFor();
    assert.equal(await field(card).inputValue(), 'Paint the door please.');
    await page.evaluate(() => window.hear('green', true));
    await until(
      async () => (await field(card).inputValue()) === 'Paint the door green please.',
      'the words are in the field',
    );
    await page.keyboard.type(' today');
    assert.equal(await field(card).inputValue(), 'Paint the door green today please.');
    await part(card, 'dictate').click();
    await part(card, 'dictate').and(page.locator('[aria-pressed=false]')).waitFor();
    await part(card, 'dictate').click();
    await page.evaluate(() => window.fail('network'));
    await part(card, 'answer-problems').getByText('The browser cannot reach its service for dictation.').waitFor();
    assert.equal(await field(card).inputValue(), 'Paint the door green today please.');
  }),
);

test(
  'dictation is hidden where the browser offers none',
  staged(async (stage) => {
    const person = await stage.person();
    await person.page.addInitScript(() => {
      delete window.SpeechRecognition;
      delete window.webkitSpeechRecognition;
    });
    await person.page.reload();
    const agent = await stage.agent();
    const [card] = await askedFor(person, agent, 'Silent?');
    await part(card, 'record').waitFor();
    assert.equal(await part(card, 'dictate').count(), 0);
  }),
);
