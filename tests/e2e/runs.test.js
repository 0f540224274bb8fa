// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ask, ended, folderOf, start, startElsewhere } from './lib/runs.js';
import { staged } from './lib/stage.js';

const kFixture = new URL('../../web/src/runs/fixtures/agot.ndjson', import.meta.url);

test(
  'a started run is watched to its reply with calls and steps',
  staged(async (stage) => {
    const folder = folderOf(stage, { 'a.txt': 'The till opens at nine.\n' });
    const { page } = await stage.person();
    await start(page, { folder, message: 'read the file a.txt' });
    await ended(page, 'finished');
    const tool = page.locator('[data-test=tool][data-phase=done]').first();
    await tool.waitFor();
    await tool.locator('[data-test=tool-line]').click();
    assert.match(await tool.innerText(), /The till opens at nine\./);
    assert.match(await page.locator('[data-test=timeline]').innerText(), /nine/);
    assert.ok((await page.locator('[data-test=graph-node]').count()) >= 2, 'the steps are drawn');
    await page.locator('[data-test=tab-state]').click();
    assert.ok((await page.locator('[data-test=step] option').count()) >= 2, 'there is a state after each step');
    await page.locator('[data-test=changes]').waitFor();
  }),
);

test(
  'every kind of agent can be chosen and finishes',
  staged(async (stage) => {
    const folder = folderOf(stage, { 'a.txt': 'The till opens at nine.\n' });
    const { page } = await stage.person();
    for (const agent of ['react', 'dup', 'tot', 'got', 'agot']) {
      const run = await start(page, { agent, folder, message: 'read the file a.txt' });
      await ended(page, 'finished');
      assert.match(await run.innerText(), new RegExp(`\\b${agent}\\b`));
      await page.locator('[data-test=tool][data-phase=done]').first().waitFor();
    }
  }),
);

test(
  'a call that needs approval is allowed in place and runs',
  staged(async (stage) => {
    const folder = folderOf(stage, { 'a.txt': 'one\n' });
    const { page } = await stage.person();
    await start(page, { approve: 'ask', folder, message: 'read the file a.txt' });
    await page.locator('[data-test=approval] [data-test=allow]').click();
    await ended(page, 'finished');
    await page.locator('[data-test=tool][data-phase=done]').first().waitFor();
  }),
);

test(
  'a denied call does not run',
  staged(async (stage) => {
    const folder = folderOf(stage, { 'a.txt': 'secret\n' });
    const { page } = await stage.person();
    await start(page, { approve: 'ask', folder, message: 'read the file a.txt' });
    await page.locator('[data-test=reason]').click();
    await page.locator('[data-test=reason-field]').fill('Not this file.');
    await page.locator('[data-test=deny]').click();
    await page.locator('[data-test=tool][data-phase=failed]').first().waitFor();
    assert.doesNotMatch(await page.locator('[data-test=timeline]').innerText(), /secret/);
  }),
);

test(
  'a fork from a checkpoint is a separate run and changes nothing',
  staged(async (stage) => {
    const folder = folderOf(stage, { 'a.txt': 'one\n' });
    const { page } = await stage.person();
    await start(page, { folder, message: 'read the file a.txt' });
    await ended(page, 'finished');
    const first = page.url();
    const replies = await page.locator('[data-test=reply]').count();
    await page.locator('[data-test=tab-state]').click();
    await page.locator('[data-test=fork]').click();
    await page.locator('[data-test=fork-message]').fill('read the file a.txt');
    await page.locator('[data-test=fork-begin]').click();
    await page.waitForURL((url) => url.toString() !== first);
    await ended(page, 'finished');
    await page.goto(first);
    await ended(page, 'finished');
    assert.equal(await page.locator('[data-test=reply]').count(), replies);
  }),
);

test(
  'a fork starts behind the selected step',
  staged(async (stage) => {
    const folder = folderOf(stage, { 'a.txt': 'one\n' });
    const { page } = await stage.person();
    await start(page, { folder, message: 'read the file a.txt' });
    await ended(page, 'finished');
    const first = page.url();
    await page.locator('[data-test=empty-steps]').click();
    await page.locator('[data-test=node]').nth(1).click();
    await page.locator('[data-test=selected-panel] [data-test=fork]').click();
    await page.locator('[data-test=fork-begin]').click();
    await page.waitForURL((url) => url.toString() !== first);
    await ended(page, 'finished');
    await page.locator('[data-test=empty-steps][aria-pressed=false]').click();
    const steps = (await page.locator('[data-test=node] .name').allInnerTexts()).join(' ');
    assert.match(steps, /^observe think/, 'what comes after "act"');
  }),
);

test(
  'the list filters runs by words and state',
  staged(async (stage) => {
    const folder = folderOf(stage, { 'a.txt': 'one\n', 'b.txt': 'two\n' });
    const { page } = await stage.person();
    for (const name of ['a.txt', 'b.txt']) {
      await start(page, { folder, message: `read the file ${name}` });
      await ended(page, 'finished');
    }
    await page.locator('[data-test=to-runs]').click();
    await page.locator('[data-test=run]').nth(1).waitFor();
    await page.locator('[data-test=search]').fill('b.txt');
    await page.locator('[data-test=run-list][data-count="1"]').waitFor();
    await page.locator('[data-test=filter-state]').selectOption('failed');
    await page.locator('[data-test=run-list]').waitFor({ state: 'detached' });
  }),
);

const askedElsewhere = async (stage, message, token) =>
  (await startElsewhere(stage, { message, approve: 'ask' }, token)).id;

test(
  'runs started elsewhere appear and change in the list with one request',
  staged(async (stage) => {
    const { page } = await stage.person();
    const pages = [];
    page.on('request', (request) => {
      if (/\/v1\/runs\?/.test(request.url())) pages.push(request.url());
    });
    await page.locator('[data-test=nav-runs]').first().click();
    await page.locator('[data-test=no-runs]').waitFor();
    const id = await askedElsewhere(stage, 'read the file a.txt');
    const row = page.locator(`[data-test=run][data-id="${id}"]`);
    await row.locator('[data-state=waiting]').waitFor();
    await ask(stage.server, 'POST', `/v1/runs/${id}/cancel`, {});
    await row.locator('[data-state=cancelled]').waitFor();
    assert.equal(pages.length, 1);
    await stage.server.kill();
    await stage.server.start();
    await row.waitFor();
    const later = await askedElsewhere(stage, 'read the file b.txt');
    await page.locator(`[data-test=run][data-id="${later}"] [data-state=waiting]`).waitFor();
  }),
);

test(
  'a missing or foreign run is not shown; the page leads on',
  staged(async (stage) => {
    const other = await stage.server.createToken('other');
    const theirs = await askedElsewhere(stage, 'read the file a.txt', other);
    const { page } = await stage.person();
    for (const id of ['run-nothing', theirs]) {
      await page.goto(`${stage.server.url}/#/runs/${id}`);
      const gone = page.locator('[data-test=run-gone][data-reason=notFound]');
      await gone.waitFor();
      assert.match(await gone.innerText(), new RegExp(`no such run[^]*${id}[^]*another token`));
      assert.equal(await page.locator('[data-test=cancel-run], [data-test=save-run], [data-test=timeline]').count(), 0);
      await gone.locator('a').click();
      await page.locator('[data-test=runs][data-phase=ready]').waitFor();
    }
  }),
);

test(
  'a run is started, answered and viewed with the keyboard alone',
  staged(async (stage) => {
    const folder = folderOf(stage, { 'a.txt': 'one\n' });
    const { page } = await stage.person();
    await page.goto(`${stage.server.url}/#/runs`);
    await page.locator('[data-test=run-message]').focus();
    await page.keyboard.type('read the file a.txt');
    await page.locator('[data-test=run-folder]').focus();
    await page.keyboard.type(folder);
    await page.locator('[data-test=approve-ask]').focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Control+Enter');
    await page.locator('[data-test=approval]').waitFor();
    await page.locator('[data-test=approval] [data-settling=false]').waitFor();
    await page.locator('[data-test=allow]').focus();
    await page.keyboard.press('Enter');
    await page.locator('[data-test=confirm-bar][data-held=false]').waitFor(); // a key alone allows nothing
    await page.locator('[data-test=confirm]').focus();
    await page.keyboard.press('Enter');
    await ended(page, 'finished');
    await page.locator('[data-test=graph]').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.locator('[data-test=graph-node][aria-selected=true]').waitFor();
    // The focused element must have a visible outline.
    for (let step = 0; step < 12; step += 1) {
      await page.keyboard.press('Tab');
      const unseen = await page.evaluate(() => {
        const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
        const isShown = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
        return isShown ? '' : `${outlineStyle} ${outlineWidth} ${document.activeElement.outerHTML.slice(0, 300)}`;
      });
      assert.equal(unseen, '', `the focus is not seen at step ${step}`);
    }
  }),
);

test(
  'a run continues in the page after a killed server returns',
  staged(async (stage) => {
    const folder = folderOf(stage, { 'a.txt': 'one\n' });
    const { page } = await stage.person();
    await start(page, { approve: 'ask', folder, message: 'read the file a.txt' });
    await page.locator('[data-test=approval]').waitFor();
    const before = await page.locator('[data-test=node]').count();
    await stage.server.kill();
    await stage.server.start();
    await page.locator('[data-test=run-page][data-state=interrupted]').waitFor();
    await page.locator('[data-test=tool][data-phase=stopped]').waitFor();
    assert.equal(await page.locator('[data-test=approval]').count(), 0, 'nothing is asked while nothing runs');
    assert.match(await page.locator('[data-test=run-note]').innerText(), /Resume/);
    await page.locator('[data-test=resume-run]').click();
    await page.locator('[data-test=approval] [data-test=allow]').last().click();
    await ended(page, 'finished');
    assert.ok((await page.locator('[data-test=node]').count()) >= before, 'what was there is still there');
  }),
);

test(
  'a recorded run is opened from a file, and oddities are named',
  staged(async (stage) => {
    const { page } = await stage.person();
    const lines = readFileSync(kFixture, 'utf8').trimEnd().split('\n');
    const file = join(stage.server.home, 'run.ndjson');
    writeFileSync(file, [...lines.slice(0, 10), 'broken', ...lines.slice(10)].join('\n'));
    await page.goto(`${stage.server.url}/#/runs/file`);
    await page.locator('[data-test=file-input]').first().setInputFiles(file);
    await page.locator('[data-test=run-page][data-state=finished]').waitFor();
    await page.locator('[data-test=findings][data-wrong="1"]').waitFor();
    assert.equal(await page.locator('[data-test=graph-node]').count(), 8);
  }),
);

test(
  'text of an agent cannot run in the page',
  staged(async (stage) => {
    const { page } = await stage.person();
    const evil = '<img src=x onerror="window.evil=1"> [click](javascript:window.evil=2) **bold**';
    const frames = [
      { type: 'run_start', message: evil },
      { type: 'node_enter', id: evil },
      { type: 'message_chunk', content: evil, id: evil },
      { type: 'tool_call', call_id: 'c', name: evil, arguments: { path: evil } },
      { type: 'tool_end', call_id: 'c', name: evil, result: evil, is_error: true },
      { reply: evil },
    ];
    const file = join(stage.server.home, 'evil.ndjson');
    writeFileSync(file, frames.map((frame) => JSON.stringify(frame)).join('\n'));
    await page.goto(`${stage.server.url}/#/runs/file`);
    await page.locator('[data-test=file-input]').first().setInputFiles(file);
    await page.locator('[data-test=text] strong').waitFor();
    assert.equal(await page.evaluate(() => window.evil), undefined);
    assert.equal(await page.locator('[onerror], a[href^="javascript:"]').count(), 0);
  }),
);
