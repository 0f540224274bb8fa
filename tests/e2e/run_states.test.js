// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The pages of runs in error states, and with unusual displays and settings.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Model } from './lib/model.js';
import { ask, ended, folderOf, startElsewhere } from './lib/runs.js';
import { until } from './lib/person.js';
import { staged } from './lib/stage.js';

const fixture = (name) => readFileSync(new URL(`../../web/src/runs/fixtures/${name}.ndjson`, import.meta.url), 'utf8');
const part = (page, name) => page.locator(`[data-test=${name}]`);

// A test function with a server whose runs use a model of the test.
const withModel = (play, settings = '') =>
  staged(async (stage) => {
    const model = await Model.start();
    try {
      stage.server.configure(`${model.settings}${settings}`);
      await stage.server.kill();
      await stage.server.start();
      await play(stage, model);
    } finally {
      await model.end();
    }
  });

async function openRun(page, stage, id) {
  await page.goto(`${stage.server.url}/#/runs/${id}`);
  await part(page, 'timeline').waitFor();
}

test(
  'a watched run survives the end of its server without loss',
  withModel(async (stage, model) => {
    const { page } = await stage.person();
    await page.clock.install();
    await page.reload();
    const asked = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    model.holdAt(20);
    const { id } = await startElsewhere(stage, { message: 'Say your words.' });
    await openRun(page, stage, id);
    const text = part(page, 'text');
    await text.filter({ hasText: 'word20' }).waitFor();
    await page.clock.runFor(10_000);
    assert.equal(
      asked.filter((path) => path === `/v1/runs/${id}`).length,
      1,
      'what the stream tells is not asked for again and again',
    );

    await stage.server.kill();
    const note = part(page, 'line-note');
    await note.waitFor();
    assert.match(await note.innerText(), /not reachable. Trying again in \d+ s\./);
    const took = await part(page, 'took').innerText();
    await page.clock.runFor(5_000);
    assert.equal(await part(page, 'took').innerText(), took, 'the clock stands still while nobody knows');
    assert.equal(
      await page.evaluate(() => document.querySelector('[data-test=run-page]').getAnimations({ subtree: true }).length),
      0,
    );

    await stage.server.start();
    await page.locator('[data-test=run-page][data-state=interrupted]').waitFor();
    await note.waitFor({ state: 'detached' });
    assert.match(await text.innerText(), /word1 .*word20$/, 'what was there is still there');
    model.release();
    await part(page, 'resume-run').click();
    await ended(page, 'finished');
    assert.equal((await text.allInnerTexts()).join('').trim(), model.words.join('').trim());
    assert.equal(await part(page, 'thought').count(), 1, 'what the killed step had said is folded away');
    const shown = await page.locator('[data-test=timeline] [data-row]').count();
    await page.reload();
    await ended(page, 'finished');
    await text.waitFor();
    assert.equal((await text.allInnerTexts()).join('').trim(), model.words.join('').trim());
    assert.equal(
      await page.locator('[data-test=timeline] [data-row]').count(),
      shown,
      'who was there and who comes later see the same',
    );
  }),
);

test(
  'the list reports a lost server and reconnects',
  staged(async (stage) => {
    const { page } = await stage.person();
    await startElsewhere(stage, { message: 'read the file a.txt', approve: 'ask' });
    await part(page, 'nav-runs').first().click();
    await page.locator('[data-test=run] [data-state=waiting]').waitFor();
    await stage.server.kill();
    assert.match(await part(page, 'line-note').innerText(), /not reachable/);
    await stage.server.start();
    await part(page, 'try-now')
      .click({ timeout: 1000 })
      .catch(() => undefined); // it may have reconnected before
    await page.locator('[data-test=run] [data-state=interrupted]').waitFor();
    await part(page, 'line-note').waitFor({ state: 'detached' });
  }),
);

test(
  'a revoked token leads to the sign-in and back to the run',
  staged(async (stage) => {
    const token = await stage.server.createToken('second');
    await startElsewhere(stage, { message: 'read the file a.txt', approve: 'ask' }, token);
    const { id } = await startElsewhere(stage, { message: 'read the file b.txt', approve: 'ask' });
    const person = await stage.person(token);
    const { page } = person;
    await page.goto(`${stage.server.url}/#/runs/${id}`);
    await part(page, 'run-gone').waitFor();
    stage.server.revokeToken('second');
    await part(page, 'sign-in').waitFor();
    assert.match(await part(page, 'sign-in').innerText(), /does not accept this token/);
    await part(page, 'token').fill(stage.server.token);
    await page.keyboard.press('Enter');
    await page.locator('[data-test=run-page][data-state=waiting]').waitFor();
    assert.ok(page.url().endsWith(`#/runs/${id}`));
  }),
);

test(
  'a token revoked in the stream leads to a sign-in',
  staged(async (stage) => {
    const token = await stage.server.createToken('second');
    const { id } = await startElsewhere(stage, { message: 'read the file a.txt', approve: 'ask' }, token);
    const { page } = await stage.person();
    // As behind a proxy that blocks WebSockets.
    await page.routeWebSocket(/\/ws/, () => undefined);
    const gate = `${stage.server.url}/?token=${encodeURIComponent(token)}`;
    const list = await page.context().newPage();
    await list.routeWebSocket(/\/ws/, () => undefined);
    await list.goto(`${gate}#/runs`);
    await page.goto(`${gate}#/runs/${id}`);
    await part(page, 'approval').waitFor();
    await part(list, 'run').waitFor();
    stage.server.revokeToken('second');
    for (const each of [page, list]) {
      const note = each.locator('[data-test=line-note][data-trouble=signedOut]');
      await note.waitFor();
      assert.match(await note.innerText(), /does not accept this token any more/);
      await part(each, 'sign-in-again').click();
      await part(each, 'sign-in').waitFor();
    }
  }),
);

test(
  'a refused run keeps its text, and the field shows the reason',
  withModel(async (stage, model) => {
    const folder = folderOf(stage, {});
    const { page } = await stage.person();
    await page.evaluate(() =>
      sessionStorage.setItem('parley.run-draft', JSON.stringify({ message: 'Do it.', model: 'scripted/gone' })),
    );
    await part(page, 'nav-runs').first().click();
    const problem = part(page, 'run-problem');
    const refused = async (field, words) => {
      await part(page, 'run-start').click();
      await page.locator(`[data-test=run-problem][data-field="${field}"]`).waitFor();
      assert.match(await problem.innerText(), words);
      assert.equal(await part(page, 'run-message').inputValue(), 'Do it.');
    };
    await refused('model', /no model "gone"/);
    await part(page, 'run-model').selectOption('');
    await problem.waitFor({ state: 'detached' });
    await part(page, 'run-folder').fill('/not/there');
    await refused('working_folder', /does not exist/);
    await part(page, 'run-folder').fill(folder);
    model.holdAt(1);
    await startElsewhere(stage, { message: 'First.' });
    await part(page, 'new-run').click();
    await refused('', /Too many runs go on/);
    await page.keyboard.press('Escape');
    await part(page, 'run').waitFor();
    await part(page, 'new-run').click();
    assert.equal(await part(page, 'run-message').inputValue(), 'Do it.');
  }, '[runs]\nlive_per_token = 1\n'),
);

test(
  'a message to a busy conversation stays in its field',
  withModel(async (stage, model) => {
    const { page } = await stage.person();
    const { id } = await startElsewhere(stage, { message: 'First.', session_id: 'talk' });
    await openRun(page, stage, id);
    await ended(page, 'finished');
    model.holdAt(1);
    await startElsewhere(stage, { message: 'Second.', session_id: 'talk' });
    await part(page, 'say-more').fill('And a third.');
    await part(page, 'say-more-send').click();
    await page.getByRole('alert').filter({ hasText: 'of this session goes on' }).waitFor();
    assert.equal(await part(page, 'say-more').inputValue(), 'And a third.');
  }),
);

test(
  'reduced motion moves nothing and hides nothing',
  withModel(async (stage, model) => {
    const { page } = await stage.person();
    model.holdAt(5);
    const { id } = await startElsewhere(stage, { message: 'Say your words.' });
    await openRun(page, stage, id);
    await part(page, 'text').filter({ hasText: 'word5' }).waitFor();
    await part(page, 'time-plot').locator('rect').first().waitFor();
    const moving = () =>
      page.evaluate(() => document.getAnimations().filter(({ playState }) => playState === 'running').length);
    assert.ok((await moving()) > 0, 'a running step turns, and the text has a cursor');
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await until(async () => (await moving()) === 0, 'nothing moves');
    const cursor = await page.evaluate(
      () => getComputedStyle(document.querySelector('.text.open > :last-child'), '::after').opacity,
    );
    assert.equal(cursor, '1');
    await part(page, 'to-runs').click();
    await part(page, 'new-run').click();
    await part(page, 'composer').waitFor();
    await until(async () => (await moving()) === 0, 'nothing moves in the list either');
  }),
);

test(
  'runs of a deleted session leave open lists and pages',
  staged(async (stage) => {
    const folder = folderOf(stage, { 'a.txt': 'one\n' });
    const person = await stage.person();
    const { page } = person;
    const wanted = { message: 'read the file a.txt', working_folder: folder };
    const kept = await startElsewhere(stage, { ...wanted, session_id: 'kept' });
    const gone = await startElsewhere(stage, { ...wanted, session_id: 'gone' });
    const list = await page.context().newPage();
    await list.goto(`${stage.server.url}/?token=${stage.server.token}#/runs`);
    await list.locator(`[data-test=run][data-id="${gone.id}"] [data-state=finished]`).waitFor();
    await openRun(page, stage, gone.id);
    await ended(page, 'finished');
    await part(page, 'say-more').waitFor();
    assert.match(
      await part(page, 'run-id').getAttribute('title'),
      new RegExp(gone.id),
      'the id can be copied, for the command line',
    );
    assert.equal((await ask(stage.server, 'DELETE', '/v1/run-sessions/gone')).status, 200);
    await list.locator('[data-test=run-list][data-count="1"]').waitFor();
    await list.locator(`[data-test=run][data-id="${kept.id}"]`).waitFor();
    await page.locator('[data-test=run-note]').filter({ hasText: 'deleted' }).waitFor();
    await part(page, 'tab-state').click();
    assert.equal(
      await page.locator('[data-test=say-more], [data-test=fork], [data-test=resume-run]').count(),
      0,
      'nothing that would need it at the server',
    );
    assert.ok((await part(page, 'node').count()) > 0, 'what is here can still be read');
    const [file] = await Promise.all([page.waitForEvent('download'), part(page, 'save-run').click()]);
    assert.equal(file.suggestedFilename(), `${gone.id}.ndjson`);
  }),
);

test(
  'a run resumed elsewhere continues in an open page',
  withModel(async (stage, model) => {
    const { page } = await stage.person();
    model.holdAt(3);
    const { id } = await startElsewhere(stage, { message: 'Say your words.' });
    await openRun(page, stage, id);
    await part(page, 'text').filter({ hasText: 'word3' }).waitFor();
    await part(page, 'cancel-run').click();
    await ended(page, 'cancelled');
    await part(page, 'resume-run').waitFor();
    model.release();
    assert.equal((await ask(stage.server, 'POST', `/v1/runs/${id}/resume`, {})).status, 200);
    await ended(page, 'finished');
    await part(page, 'text').filter({ hasText: 'word40' }).waitFor();
  }),
);

test(
  'a recorded run is dropped on the page',
  staged(async (stage) => {
    const { page } = await stage.person();
    await part(page, 'nav-runs').first().click();
    await part(page, 'no-runs').waitFor();
    const carried = await page.evaluateHandle((text) => {
      const data = new DataTransfer();
      data.items.add(new File([text], 'tree.ndjson', { type: 'application/x-ndjson' }));
      return data;
    }, fixture('tot'));
    for (const event of ['dragenter', 'dragover', 'drop'])
      await part(page, 'runs').dispatchEvent(event, { dataTransfer: carried });
    await page.locator('[data-test=run-page][data-state=finished]').waitFor();
    await page.locator('[data-test=graph-pane][data-picture=tree]').waitFor();
    const badges = await page.locator('[data-test=graph-node] .badge').allTextContents();
    assert.ok(badges.includes('0.91'), 'the tree has its scores');
  }),
);

// A plan whose middle tasks are parallel.
function plan(tasks) {
  const middle = Array.from({ length: tasks }, (_, at) => `shop_${at + 1}`);
  const nodes = ['gather', ...middle, 'merge'].map((id) => ({
    id,
    description: `The work of ${id} for the yearly report`,
  }));
  const edges = middle.flatMap((id) => [
    ['gather', id],
    [id, 'merge'],
  ]);
  const node_states = Object.fromEntries(nodes.map(({ id }) => [id, { status: id === 'gather' ? 'done' : 'pending' }]));
  const frames = [
    { type: 'run_start', message: 'The yearly report', agent: 'got' },
    { type: 'got_plan', node_count: nodes.length, edge_count: edges.length, node_ids: nodes.map(({ id }) => id) },
    { type: 'values', state: { task_graph: { nodes, edges }, node_states } },
  ];
  return frames.map((frame, at) => JSON.stringify({ session_id: 's', event_id: at + 1, ...frame })).join('\n');
}

test(
  'pictures fit usual windows, and no page exceeds its window width',
  staged(async (stage) => {
    const { page } = await stage.person();
    const views = [
      ['plan', plan(8), [1440, 1024, 1920]],
      ['tree', fixture('tot'), [1440, 1024, 1920]],
      ['plan', fixture('agot'), [1440, 1024, 1920, 375]],
    ];
    for (const [picture, text, widths] of views) {
      for (const [at, width] of widths.entries()) {
        await page.setViewportSize({ width, height: 800 });
        await page.emulateMedia({ colorScheme: at % 2 === 0 ? 'light' : 'dark' });
        await page.goto('about:blank');
        await page.goto(`${stage.server.url}/?token=${stage.server.token}#/runs/file`);
        await part(page, 'file-input')
          .first()
          .setInputFiles({ name: 'run.ndjson', mimeType: 'application/x-ndjson', buffer: Buffer.from(text) });
        const pane = page.locator(`[data-test=graph-pane][data-picture=${picture}]`);
        await pane.waitFor({ state: 'attached' });
        if (width < 720) await part(page, 'pane-graph').click();
        await pane.waitFor();
        const cut = () =>
          page.evaluate(() => {
            const frame = document.querySelector('[data-test=graph]').getBoundingClientRect();
            const nodes = [...document.querySelectorAll('[data-test=graph-node]')].map((node) =>
              node.getBoundingClientRect(),
            );
            const isOut = (box) =>
              box.left < frame.left - 1 ||
              box.right > frame.right + 1 ||
              box.top < frame.top - 1 ||
              box.bottom > frame.bottom + 1;
            return `${nodes.filter(isOut).length} of ${nodes.length}, wide ${document.documentElement.scrollWidth > window.innerWidth}`;
          });
        await until(async () => /^0 of [1-9]\d*, wide false$/.test(await cut()), `the ${picture} is whole at ${width}`);
      }
    }
  }),
);
