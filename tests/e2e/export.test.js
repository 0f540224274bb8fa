// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { post, withHistory } from './lib/reading.js';
import { staged } from './lib/stage.js';

const menu = async (person, form) => {
  await person.page.locator('[data-test=thread-menu]').click();
  await person.page.locator(`[data-test=export-${form}]`).click();
};

async function saved(person, form) {
  const [download] = await Promise.all([person.page.waitForEvent('download'), menu(person, form)]);
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') };
}

test(
  'a conversation is exported with everything in it',
  staged(async (stage) => {
    const { server } = stage;
    const data = Buffer.from('a,b\n').toString('base64');
    await post(server, '/v1/interactions', {
      key: 'one',
      prompt: { text: 'Use `a` or **b**?', project_directory: '/src/shop', agent_name: 'claude' },
    });
    await post(server, '/v1/interactions/one/answer', {
      contents: [
        { type: 'text', text: 'Use `a`.' },
        { type: 'resource', mime_type: 'text/csv', uri: 'file://table.csv', data },
      ],
    });
    await post(server, '/v1/interactions', {
      key: 'two',
      prompt: { text: 'Another project?', project_directory: '/src/bank', agent_name: 'codex' },
    });
    const person = await stage.person();
    await person.page.locator('[data-test=conversation]').filter({ hasText: 'claude' }).click();
    await person.closedCard('Use a or b?').waitFor();

    const markdown = await saved(person, 'markdown');
    assert.match(markdown.name, /^parley-shop-claude-\d{4}-\d\d-\d\d\.md$/);
    for (const part of ['> Use `a` or **b**?', 'Use `a`.', '- table.csv (text/csv, 4 bytes)', '/src/shop'])
      assert.ok(markdown.text.includes(part), part);
    assert.ok(!markdown.text.includes('Another project?'));
    await person.page.locator('[data-test=export][data-state=done]').filter({ hasText: markdown.name }).waitFor();

    const json = await saved(person, 'json');
    assert.match(json.name, /^parley-shop-claude-\d{4}-\d\d-\d\d\.json$/);
    const { entries, format } = JSON.parse(json.text);
    assert.equal(format, 'parley-conversation');
    assert.deepEqual(
      entries.map((entry) => [entry.key, entry.state]),
      [['one', 'answered']],
    );
    assert.deepEqual(entries[0].outcome.contents[1], {
      type: 'resource',
      name: 'table.csv',
      mime_type: 'text/csv',
      uri: 'file://table.csv',
      bytes: 4,
      data,
    });
  }),
);

test(
  'an export loads the whole history first',
  staged(async (stage) => {
    const person = await stage.person(null);
    await withHistory(person.page, 400);
    await person.page.goto(`${stage.server.url}/?token=${stage.server.token}`);
    await person.closedCard('Made question 400?').waitFor();
    assert.equal(await person.closedCard('Made question 1?').count(), 0);
    const { name, text } = await saved(person, 'json');
    assert.match(name, /^parley-made-maker-/);
    const { entries } = JSON.parse(text);
    assert.deepEqual(
      [entries.length, entries[0].prompt.text, entries[399].prompt.text],
      [400, 'Made question 1?', 'Made question 400?'],
    );
  }),
);

test(
  'an export can be cancelled, and says when the history cannot be loaded',
  staged(async (stage) => {
    const person = await stage.person(null);
    await withHistory(person.page, 2000);
    await person.page.goto(`${stage.server.url}/?token=${stage.server.token}`);
    await person.closedCard('Made question 2000?').waitFor();
    // The next page of the history does not arrive until it is allowed to.
    let held;
    const isHeld = new Promise((resolve) => (held = resolve));
    let release;
    const mayGo = new Promise((resolve) => (release = resolve));
    await person.page.route('**/v1/interactions?state=all*', async (route) => {
      held();
      await mayGo;
      await route.abort();
    });
    const files = [];
    person.page.on('download', (download) => files.push(download.suggestedFilename()));
    const line = person.page.locator('[data-test=export]');
    await menu(person, 'json');
    await isHeld;
    await line.filter({ hasText: /Loading the history: \d+ questions so far/ }).waitFor();
    await line.getByRole('button', { name: 'Cancel' }).click();
    await line.waitFor({ state: 'detached' });
    await menu(person, 'markdown');
    release();
    await line.filter({ hasText: 'nothing was saved' }).waitFor();
    assert.deepEqual(files, []);
  }),
);
