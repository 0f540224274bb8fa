// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// What a shell command touches, where a run or a chat asks for it: the same in every view, and a danger is confirmed.
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { atRest, call, direct, newChat, part, press, say } from './lib/chat.js';
import { staged as stagedChat } from './lib/chat_stage.js';
import { until } from './lib/person.js';
import { ask, folderOf, start } from './lib/runs.js';
import { staged } from './lib/stage.js';

const kWidths = [
  [1440, 900],
  [1024, 768],
  [375, 812],
  [844, 390],
];
const ready = (page, held) => page.locator(`[data-test=confirm-bar][data-held=${held}][data-ready=true]`).waitFor();

// Pictures of what asks, for a person to look at.
async function pictured(page, name) {
  const folder = process.env.PARLEY_PICTURES;
  if (!folder) return;
  for (const [width, height] of kWidths) {
    await page.setViewportSize({ width, height });
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      await page.locator('[data-test=dangers]').first().scrollIntoViewIfNeeded();
      await page.screenshot({ path: join(folder, `explained_${name}_${width}_${colorScheme}.png`) });
    }
  }
  await page.setViewportSize({ width: 1440, height: 900 });
}

const kDanger = 'rm -rf *';

const decided = (server, count) =>
  until(
    async () => (await (await ask(server, 'GET', '/v1/decisions')).json()).decisions.length === count,
    `${count} decisions are indexed`,
  );

const waitingOf = async (stage) =>
  (await (await ask(stage.server, 'GET', '/v1/interactions?state=pending')).json()).interactions;

test(
  'a run names the dangers of its command, on its page and in the inbox, and each is confirmed',
  staged(async (stage) => {
    const folder = folderOf(stage, { 'a.txt': 'one\n' });
    const victim = join(folder, 'a.txt');
    const { page } = await stage.person();
    await start(page, { folder, message: direct('bash', { command: kDanger }) });
    const asks = page.locator('[data-test=tool][data-phase=asking]');
    await asks
      .locator('[data-test=dangers]')
      .filter({ hasText: 'Deletes more than single files of the project' })
      .waitFor();
    assert.match(await part(page, 'touches').innerText(), /Programs: rm/);
    await pictured(page, 'run');
    await asks.locator('[data-test=approval] [data-settling=false]').waitFor();
    await part(page, 'allow').click();
    await ready(page, false); // one press is not enough
    await part(page, 'undo').click();

    const [asked] = await waitingOf(stage);
    assert.match(
      asked.prompt.text,
      /^Allow `bash` to run\?\n\n\*\*Careful:\*\*\n\n- Deletes more than single files of the project/,
    );
    await page.goto(`${stage.server.url}/#/inbox/item/${encodeURIComponent(asked.key)}`);
    const card = page.locator('[data-test=question-card]');
    await card.getByText('Careful:').waitFor();
    await card.locator('[data-settling=false]').waitFor();
    await card.locator('button.choice').filter({ hasText: 'Allow' }).click();
    await ready(page, false);
    assert.equal(existsSync(victim), true);
    await part(page, 'confirm').click();
    await until(() => !existsSync(victim), 'the confirmed command ran');
  }),
);

test(
  'a harmless command of a run names what it touches, and one press allows it',
  staged(async (stage) => {
    const folder = folderOf(stage, { 'a.txt': 'one\n' });
    const { page } = await stage.person();
    await start(page, { folder, message: direct('bash', { command: 'wc -l a.txt' }) });
    await part(page, 'touches').filter({ hasText: 'Programs: wc' }).waitFor();
    assert.equal(await part(page, 'dangers').count(), 0);
    await page.locator('[data-test=approval] [data-settling=false]').waitFor();
    await part(page, 'allow').click();
    await page.locator('[data-test=confirm-bar][data-held=true]').waitFor();
    await page.locator('[data-test=tool][data-phase=done]').first().waitFor();

    await decided(stage.server, 1);
    await start(page, { folder, message: direct('bash', { command: 'wc -l a.txt' }) });
    await part(page, 'decided-before')
      .filter({ hasText: 'wc -l a.txt: allowed once before. Last: allowed by' })
      .waitFor();
  }),
);

test(
  'a chat names the dangers of a command in the language of the page, and is confirmed',
  stagedChat(async (stage) => {
    const victim = stage.file('a.txt');
    writeFileSync(victim, 'one');
    const { page } = await stage.person();
    await newChat(page, stage.server);
    await say(page, direct('bash', { command: kDanger }));
    await part(page, 'dangers').filter({ hasText: 'Deletes more than single files of the project' }).waitFor();
    await pictured(page, 'chat');
    await page.evaluate(() =>
      localStorage.setItem(
        'parley.settings',
        JSON.stringify({ ...JSON.parse(localStorage.getItem('parley.settings') ?? '{}'), language: 'zh' }),
      ),
    );
    await page.reload();
    await part(page, 'dangers').filter({ hasText: '删除范围不限于项目中的单个文件' }).waitFor();
    await page.locator('[data-test=approval] [data-settling=false]').waitFor();
    await part(page, 'allow-once').click();
    await ready(page, false);
    assert.equal(existsSync(victim), true);
    await part(page, 'confirm').click();
    await call(page, 'done').waitFor();
    assert.equal(existsSync(victim), false);

    await atRest(page);
    await say(page, direct('bash', { command: 'wc -l nothing' }));
    await part(page, 'touches').filter({ hasText: 'wc' }).waitFor();
    await press(page, 'deny');
    await call(page, 'denied').waitFor();

    await decided(stage.server, 2);
    await atRest(page);
    await say(page, direct('bash', { command: 'wc -l nothing' }));
    await part(page, 'decided-before').filter({ hasText: 'wc -l nothing： 此前拒绝过 1 次。' }).waitFor();
  }),
);
