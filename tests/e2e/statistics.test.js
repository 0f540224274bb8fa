// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The page of statistics, on the figures of the real server.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from './lib/person.js';
import { staged } from './lib/stage.js';

const part = (page, name) => page.locator(`[data-test=${name}]`);

async function openStatistics(page, server, query = '') {
  await page.goto(`${server.url}/#/statistics${query}`);
  await page.locator('[data-test=statistics-page][data-phase=ready]').waitFor();
}

test(
  'questions are counted and drawn, with a table beside each chart',
  staged(async (stage) => {
    const agent = await stage.agent();
    const person = await stage.person();
    const { page } = person;
    const answered = agent.ask('Is the till open?', { agent_name: 'Coder' });
    await person.answer('Is the till open?', 'Yes.');
    await answered;
    agent.ask('Is the door open?', { agent_name: 'Coder' }).catch(() => undefined);
    await person.card('Is the door open?').waitFor();
    // The figures follow the events, those of each question by themselves.
    const kTiles = { answered: /^Answered\s+1\b/, open: /\b1\b/, asked: /\b2\b/ };
    const shows = async ([name, figure]) =>
      (await part(page, `tile-${name}`).count()) === 1 && figure.test(await part(page, `tile-${name}`).innerText());
    await until(async () => {
      await openStatistics(page, stage.server);
      const found = (await Promise.all(Object.entries(kTiles).map(shows))).every(Boolean);
      if (!found) await page.reload();
      return found;
    }, 'one question is answered, and one is open');
    for (const chart of ['chart-day', 'chart-time']) {
      await page.locator(`[data-test=${chart}][data-drawn=true] canvas`).waitFor();
      await part(page, chart).locator('summary').click();
      assert.equal(await part(page, chart).locator('tbody tr').count(), 30);
    }
    assert.match(await part(page, 'chart-day').locator('tbody tr').last().innerText(), /2\s+1$/);
    assert.match(await part(page, 'by-agent').innerText(), /Coder/);
    assert.match(await part(page, 'by-project').innerText(), /shop/);
    await part(page, 'range-7').click();
    await until(() => page.url().endsWith('?days=7'), 'the period is in the address');
    await until(async () => (await part(page, 'chart-day').locator('tbody tr').count()) === 7, 'the table has 7 days');
  }),
);

test(
  'a server without questions says what will appear',
  staged(async (stage) => {
    const { page } = await stage.person();
    await openStatistics(page, stage.server);
    await part(page, 'statistics-none').waitFor();
  }),
);

test(
  'a failure has its sentence, and trying again helps',
  staged(async (stage) => {
    const { page } = await stage.person();
    await page.route('**/v1/statistics?*', (route) => route.abort(), { times: 1 });
    await page.goto(`${stage.server.url}/#/statistics`);
    await page.locator('[data-test=statistics-page][data-phase=failed]').waitFor();
    await part(page, 'statistics-retry').click();
    await page.locator('[data-test=statistics-page][data-phase=ready]').waitFor();
  }),
);

// WebKitGTK with the locale C: the library throws while it is loaded.
test(
  'a chart that cannot be drawn leaves its table, and blames no server',
  staged(async (stage) => {
    await stage.server.settle('Is the till open?', 'Yes.');
    const { page } = await stage.person();
    await page.addInitScript(() => {
      const real = Intl.NumberFormat;
      Intl.NumberFormat = function NumberFormat(language, ...more) {
        if (language === navigator.language) throw new RangeError('invalid language tag: C');
        return new real(language, ...more);
      };
    });
    await page.goto(`${stage.server.url}/#/statistics`);
    await page.reload();
    const chart = page.locator('figure[data-failed=true]').first();
    await chart.waitFor();
    await chart.locator('details[open] table').waitFor();
    assert.doesNotMatch(await page.locator('body').innerText(), /not reachable/);
    await page.getByText('A part of this page has failed').first().waitFor();
  }),
);
