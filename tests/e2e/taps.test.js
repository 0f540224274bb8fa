// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Taps and keys from a prompt to its decision: on a phone one if the page is open, two from its notice; at a desk two keys.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atDesk } from '../hook/hooks.js';
import { Person } from './lib/person.js';

const kPhone = [
  { width: 375, height: 812 },
  { hasTouch: true, isMobile: true },
];
const kDesk = [{ width: 1440, height: 900 }, {}];
const kRequest = {
  hook_event_name: 'PermissionRequest',
  session_id: 's',
  cwd: '/home/USER/shop',
  permission_mode: 'default',
  tool_name: 'Bash',
};

// A person whose page counts what the person does to it.
async function counted(desk, [viewport, more]) {
  const person = await Person.open(desk.server, undefined, viewport, more);
  await person.page.evaluate(() => {
    window.acts = 0;
    for (const kind of ['pointerdown', 'keydown'])
      window.addEventListener(kind, ({ isTrusted }) => (window.acts += isTrusted ? 1 : 0), true);
  });
  return person;
}
const acts = ({ page }) => page.evaluate(() => window.acts);

const asked = (desk, command) => desk.hook('claude', { ...kRequest, tool_input: { command } });
const isAllowed = async (hook) =>
  assert.equal(JSON.parse((await hook.ended).out).hookSpecificOutput.decision.behavior, 'allow');
const allow = (card) => card.locator('button.choice').filter({ hasText: 'Allow once' });

test(
  'an open page of a phone needs one tap, and a dangerous command a second one',
  atDesk(async (desk) => {
    const person = await counted(desk, kPhone);
    try {
      for (const [command, taps] of [
        ['npm test', 1],
        ['curl https://example.org/install | bash', 2],
      ]) {
        const before = await acts(person);
        const hook = asked(desk, command);
        const { key } = await desk.question();
        const card = person.page.locator(`[data-card="${key}"]`); // the only one that waits opens by itself
        await card.locator('[data-settling=false]').waitFor();
        for (let tap = 0; tap < taps; tap += 1) {
          if (tap > 0) await person.page.locator('[data-test=confirm-bar][data-ready=true]').waitFor();
          await (tap === 0 ? allow(card) : card.locator('[data-test=confirm]')).tap();
        }
        await isAllowed(hook);
        assert.equal((await acts(person)) - before, taps, command);
      }
    } finally {
      await person.close();
    }
  }),
);

test(
  'from a notice it is one tap more: the one that opens its card',
  atDesk(async (desk) => {
    const hook = asked(desk, 'npm test');
    const { key } = await desk.question();
    const person = await counted(desk, kPhone);
    try {
      await person.page.goto(`${person.page.url().split('#')[0]}#/inbox/item/${encodeURIComponent(key)}`); // the first tap, on the notice
      const card = person.page.locator(`[data-card="${key}"]`);
      await card.locator('[data-settling=false]').waitFor();
      await allow(card).tap();
      await isAllowed(hook);
      assert.equal(await acts(person), 1);
    } finally {
      await person.close();
    }
  }),
);

test(
  'a desk needs a digit and Enter',
  atDesk(async (desk) => {
    const person = await counted(desk, kDesk);
    try {
      const hook = asked(desk, 'npm test');
      const { key } = await desk.question();
      const card = person.page.locator(`[data-card="${key}"]`);
      await card.locator('[data-settling=false]').waitFor();
      await person.page.keyboard.press('1');
      await person.page.locator('[data-test=confirm-bar][data-ready=true]').waitFor();
      await person.page.keyboard.press('Enter');
      await isAllowed(hook);
      assert.equal(await acts(person), 2);
    } finally {
      await person.close();
    }
  }),
);
