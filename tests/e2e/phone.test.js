// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The console on a phone, upright and on its side: tabs, the sheet of further pages, what waits, and targets for fingers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settled } from './lib/pages.js';
import { until } from './lib/person.js';
import { staged } from './lib/stage.js';

const kUpright = { width: 375, height: 812 };
const kOnItsSide = { width: 844, height: 390 };
const kTouch = { hasTouch: true, isMobile: true };
const kTarget = 44; // CSS pixels
const kPages = [
  '/inbox',
  '/runs',
  '/chat',
  '/search',
  '/statistics',
  '/studies',
  '/people',
  '/settings',
  '/settings/devices',
  '/settings/rules',
  '/settings/notifications',
];

const part = (page, name) => page.locator(`[data-test=${name}]`);

async function ask(stage, key, text, agent = 'Coder', project = '/src/till') {
  const answer = await fetch(`${stage.server.url}/v1/interactions`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${stage.server.token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ key, prompt: { text, agent_name: agent, project_directory: project } }),
  });
  assert.equal(answer.status, 201, await answer.text());
}

const picture = async (page, name) =>
  process.env.PARLEY_PICTURES && page.screenshot({ path: `${process.env.PARLEY_PICTURES}/${name}.png` });

test(
  'four tabs, and a sheet with the other pages',
  staged(async (stage) => {
    const { page } = await stage.person(undefined, kUpright, kTouch);
    const bar = page.locator('nav.rail');
    await settled(page);
    assert.deepEqual(
      (await bar.locator('a:visible, button:visible').allInnerTexts()).map((words) => words.trim()),
      ['Inbox', 'Runs', 'Chat', 'More'],
    );
    for (const name of [
      'search',
      'statistics',
      'studies',
      'people',
      'settings-devices',
      'settings-notifications',
      'settings',
    ]) {
      await part(page, 'open-more').click();
      await part(page, 'more').waitFor();
      await settled(page);
      const sheet = await part(page, 'more').boundingBox();
      assert.deepEqual(
        [sheet.x, sheet.width, Math.round(sheet.y + sheet.height)],
        [0, kUpright.width, kUpright.height],
      );
      if (name === 'search') await picture(page, 'more');
      await part(page, `more-${name}`).click();
      await part(page, 'more').waitFor({ state: 'detached' });
      await page.waitForURL((url) => url.hash.startsWith(`#/${name.replace('-', '/')}`));
    }
  }),
);

test(
  'the only question is open at once, also one that arrives beside the list',
  staged(async (stage) => {
    await ask(stage, 'first', 'Deploy the till?');
    const person = await stage.person(undefined, kUpright, kTouch);
    const { page } = person;
    await page.locator('[data-card=first]').waitFor();
    await picture(page, 'only');
    assert.match(
      await page.locator('header').first().innerText(),
      /Coder[\s\S]*till/,
      'the title bar names agent and project',
    );
    // Back in the list, the person stays there.
    await page.locator('header a.back').click();
    await part(page, 'conversation').first().waitFor();
    await settled(page);
    assert.equal(await page.locator('[data-card=first]').isVisible(), false);
    await picture(page, 'list');
    await part(page, 'conversation').filter({ hasText: 'Coder' }).click();
    await person.answer('Deploy the till?', 'Yes.');
    await page.locator('[data-card=first][data-state=answered]').waitFor();
    await page.locator('header a.back').click();
    await part(page, 'conversation').first().waitFor();
    await ask(stage, 'second', 'And the shop?', 'Other', '/src/shop');
    await page.locator('[data-card=second]').waitFor();
    assert.match(await page.locator('header').first().innerText(), /Other[\s\S]*shop/);
  }),
);

// Buttons, links and fields that a finger cannot hit well. Links in running text are as high as their line.
function tooSmall(least) {
  const found = [];
  const isHidden = (element) =>
    element.closest('.visually-hidden, [inert]') !== null ||
    !element.checkVisibility({ checkVisibilityCSS: true, checkOpacity: true });
  for (const element of document.querySelectorAll(
    'button, a[href], select, summary, input, textarea, [role=button], [role=tab], [role=radio], [role=switch]',
  )) {
    const { display } = getComputedStyle(element);
    if (
      isHidden(element) ||
      display === 'inline' ||
      element.matches('input[type=checkbox], input[type=radio], input[type=file]')
    )
      continue;
    const { height, width } = element.getBoundingClientRect();
    if (width === 0 || (width >= least - 0.5 && height >= least - 0.5)) continue;
    found.push(
      `${element.tagName.toLowerCase()}.${[...element.classList].join('.')} "${(element.getAttribute('aria-label') ?? element.innerText ?? '').slice(0, 30)}" ${Math.round(width)} x ${Math.round(height)}`,
    );
  }
  return found;
}

for (const [what, size] of [
  ['upright', kUpright],
  ['on its side', kOnItsSide],
]) {
  test(
    `targets have 44 pixels and nothing scrolls the page away, ${what}`,
    staged(async (stage) => {
      const long = 'An agent with a name that is longer than any phone is wide, and then some';
      await ask(stage, 'long-name', 'Run `make`?\n\n1. one', long, '/src/a-project-with-a-long-name-too');
      await ask(stage, 'numbers', '9998. nearly\n9999. last\n10000. beyond');
      const { page } = await stage.person(undefined, size, kTouch);
      const found = [];
      for (const address of kPages) {
        await page.goto(`${stage.server.url}/#${address}`);
        await settled(page);
        await picture(page, `${what.replaceAll(' ', '-')}${address.replaceAll('/', '-')}`);
        found.push(...(await page.evaluate(tooSmall, kTarget)).map((it) => `${address}: ${it}`));
        const { bottom, top } = await page.evaluate(() => ({
          top: document.querySelector('.app').getBoundingClientRect().top,
          bottom: document.querySelector('nav.rail').scrollHeight,
        }));
        assert.equal(top, 0, `${address}: the page has not scrolled`);
        assert.ok(bottom <= size.height, `${address}: the rail is ${bottom} high`);
        const last = await page.locator('nav.rail [data-test=open-more]').boundingBox();
        assert.ok(last.y + last.height <= size.height && last.x >= 0, `${address}: the last tab is on the screen`);
      }
      assert.deepEqual([...new Set(found)], []);
    }),
  );
}

test(
  'names, numbers and directions stay in their card',
  staged(async (stage) => {
    const name = 'agent-'.repeat(20);
    await ask(stage, 'names', '9998. nearly\n9999. last', name);
    await ask(stage, 'hebrew', 'להריץ את הפקודה?\n\nThen in English.', 'עברית');
    const { page } = await stage.person(undefined, kUpright, kTouch);
    await page.goto(`${stage.server.url}/#/inbox/all`);
    const card = page.locator('[data-card=names]');
    await card.waitFor();
    await settled(page);
    const outside = await card.evaluate((it) => {
      const edge = it.getBoundingClientRect();
      const clipped = (each) => {
        for (let box = each.parentElement; box !== it; box = box.parentElement)
          if (getComputedStyle(box).overflowX !== 'visible') return true;
        return false;
      };
      return [...it.querySelectorAll('*')]
        .filter(
          (each) => each.checkVisibility() && !clipped(each) && each.getBoundingClientRect().right > edge.right + 1,
        )
        .map((each) => each.className);
    });
    assert.deepEqual(outside, []);
    const room = await card
      .locator('ol')
      .evaluate(
        (it) => parseFloat(getComputedStyle(it).paddingInlineStart) / parseFloat(getComputedStyle(it).fontSize),
      );
    assert.ok(room > 3, `room for four digits: ${room} em`);
    const [first, second] = await page
      .locator('[data-card=hebrew] .markdown p')
      .evaluateAll((all) => all.map((it) => getComputedStyle(it).direction));
    assert.deepEqual([first, second], ['rtl', 'ltr']);
    await page.goto(`${stage.server.url}/#/inbox`);
    const line = part(page, 'conversation').filter({ hasText: 'עברית' }).locator('.last');
    await until(async () => (await line.count()) > 0, 'the list has it');
    assert.equal(await line.evaluate((it) => getComputedStyle(it).direction), 'rtl');
  }),
);
