// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// What was decided before, on the card, and the rules that are made from it. The settings of this computer's agents stay as they are: the
// requests that would change them are answered here.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prompted } from './lib/decisions.js';
import { until } from './lib/person.js';
import { ask } from './lib/runs.js';
import { staged } from './lib/stage.js';

const kPhone = { width: 375, height: 812 };
const kTimes = 5;

async function decided(stage, key, command, answer) {
  await prompted(stage, key, command);
  assert.equal((await ask(stage.server, 'POST', `/v1/interactions/${key}/answer`, { text: answer })).status, 200);
}

const tally = async (stage, key) => (await (await ask(stage.server, 'GET', `/v1/decisions?like=${key}`)).json()).like;

test(
  'a card says what was decided for the like, and a habit becomes a rule',
  staged(async (stage) => {
    for (let i = 0; i < kTimes; i += 1) await decided(stage, `run${i}`, 'make check-all', 'Allow once');
    await decided(stage, 'other', 'make clean-all', 'Deny');
    await prompted(stage, 'again', 'make check-all');
    await until(async () => (await tally(stage, 'again')).allowed === kTimes, 'the decisions are indexed');
    await prompted(stage, 'clean', 'make clean-all');
    const { page } = await stage.person();
    const before = page.locator('[data-card=again] [data-test=decided-before]');
    await before
      .filter({ hasText: `make check-all: allowed ${kTimes} times before, never denied. Last: allowed by` })
      .waitFor();
    await before.filter({ hasText: '(API), ' }).waitFor();
    const denied = page.locator('[data-card=clean] [data-test=decided-before]');
    await denied.filter({ hasText: 'make clean-all: denied once before. Last: denied by' }).waitFor();
    assert.equal(await denied.locator('[data-test=make-rule]').count(), 0, 'no rule for what was denied');
    if (process.env.PARLEY_PICTURES) await page.screenshot({ path: `${process.env.PARLEY_PICTURES}/before.png` });

    const sent = [];
    const rule = {
      id: 'r1',
      agent: 'claude',
      title: 'Claude Code',
      command: 'make check-all',
      rule: '',
      file: '',
      made_at: new Date().toISOString(),
      by: 'laptop',
      present: true,
      uses: { count: 41, last: [{ at: new Date().toISOString(), directory: '/src/shop' }] },
    };
    let state = 'proposed';
    await page.route('**/v1/rules**', async (route) => {
      const request = route.request();
      if (request.method() === 'GET')
        return state === 'proposed'
          ? route.continue()
          : route.fulfill({ json: { rules: state === 'made' ? [rule] : [], proposals: [] } });
      sent.push([request.method(), new URL(request.url()).pathname, request.postDataJSON()]);
      if (sent.length === 1)
        return route.fulfill({
          status: 409,
          json: { code: 'aborted', message: 'The rule is another one now. Look at it again, then decide.' },
        });
      state = request.method() === 'POST' ? 'made' : 'revoked';
      return route.fulfill(state === 'made' ? { status: 201, json: rule } : { status: 204 });
    });
    await before.locator('[data-test=make-rule]').click();
    const proposal = page.locator('[data-test=proposal][data-command="make check-all"]');
    await proposal.filter({ hasText: `Allowed ${kTimes} times, never denied` }).waitFor();
    assert.equal(await page.locator('[data-test=proposal]').count(), 1);
    await proposal.locator('[data-test=rule-make]').click();
    const sheet = page.locator('[data-test=make-rule-sheet]');
    await sheet.evaluate((it) =>
      Promise.all(it.ownerDocument.getAnimations().map(({ finished }) => finished.catch(() => undefined))),
    );
    const shown = {
      rule: await sheet.locator('[data-test=sheet-rule]').innerText(),
      file: await sheet.locator('[data-test=sheet-file]').innerText(),
    };
    assert.equal(shown.rule, 'Bash(make check-all)');
    assert.match(shown.file, /\/\.claude\/settings\.json$/);
    if (process.env.PARLEY_PICTURES) await page.screenshot({ path: `${process.env.PARLEY_PICTURES}/make_rule.png` });
    await sheet.locator('[data-test=rule-confirm]').click();
    await page.locator('[data-test=rules-notice]').filter({ hasText: 'The rule is another one now.' }).waitFor();
    await sheet.waitFor({ state: 'detached' });
    Object.assign(rule, shown);
    await proposal.locator('[data-test=rule-make]').click();
    await sheet.locator('[data-test=rule-confirm]').click();
    await until(() => sent.length === 2, 'it is sent again');
    assert.deepEqual(
      sent.at(-1),
      ['POST', '/v1/rules', { agent: 'claude', command: 'make check-all', ...shown }],
      'what was shown is what is written',
    );

    const made = page.locator('[data-test=rule]');
    await made.filter({ hasText: 'Let 41 runs through, last in /src/shop' }).waitFor();
    if (process.env.PARLEY_PICTURES) await page.screenshot({ path: `${process.env.PARLEY_PICTURES}/rules.png` });
    await made.locator('[data-test=rule-revoke]').click();
    await page.locator('[data-test=revoke-rule-sheet] [data-test=rule-confirm]').click();
    await made.waitFor({ state: 'detached' });
    assert.deepEqual(sent.at(-1), ['DELETE', '/v1/rules/r1', null]);
  }),
);

test(
  'a phone shows the rules, and a token without the right none',
  staged(async (stage) => {
    const { page } = await stage.person(undefined, kPhone, { hasTouch: true, isMobile: true });
    await page.goto(`${stage.server.url}/#/settings`);
    await page.locator('[data-test=rules-open]').click();
    await page.locator('[data-test=rules-page][data-ready=true]').waitFor();
    await page.getByText('Nothing to propose yet.').waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), kPhone.width);
    const made = await (
      await ask(stage.server, 'POST', '/v1/tokens', { name: 'reader', rights: ['read', 'answer'] })
    ).json();
    for (const [method, path] of [
      ['GET', '/v1/rules'],
      ['POST', '/v1/rules'],
      ['DELETE', '/v1/rules/r1'],
    ]) {
      const refused = await ask(stage.server, method, path, undefined, made.token);
      assert.equal(refused.status, 403, `${method} ${path}`);
    }
  }),
);
