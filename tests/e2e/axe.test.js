// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// axe-core on every page of the console, in two sizes and both appearances, finds nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import axe from 'axe-core';
import { addresses, seed, settled, visit } from './lib/pages.js';
import { until } from './lib/person.js';
import { staged } from './lib/stage.js';

const kSizes = [
  { width: 1440, height: 900 },
  { width: 375, height: 812 },
];
// The rules whose findings depend on the appearance. The document is the same in both, so that the other rules run
// in one of them.
const kColourRules = { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } };

// The findings on the page as it is: "rule: element: what is wrong".
async function findings(page, rules) {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const { violations } = await page.evaluate(
    (more) => window.axe.run(document, { resultTypes: ['violations'], ...more }),
    rules,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(
      ({ any, html, none, target }) =>
        `${id}: ${target.join(' ')}: ${html.slice(0, 160)} ${[...any, ...none].map(({ message }) => message).join('; ')}`,
    ),
  );
}

// Changes the appearance of the system, which the page follows, and waits until its colours have changed.
async function appear(page, theme) {
  await page.emulateMedia({ colorScheme: theme });
  await page.waitForFunction((wanted) => (document.documentElement.dataset.theme ?? wanted) === wanted, theme);
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

// The findings in both appearances.
async function look(page, what) {
  const light = await findings(page, {});
  await appear(page, 'dark');
  const dark = await findings(page, kColourRules);
  await appear(page, 'light');
  return [
    ...light.map((finding) => `${what}, light: ${finding}`),
    ...dark.map((finding) => `${what}, dark: ${finding}`),
  ];
}

async function lookAtPanels(page, server) {
  await visit(page, server, '/inbox');
  await page.keyboard.press('Control+k');
  await page.locator('[data-test=palette]').waitFor();
  await settled(page);
  const found = await look(page, 'the palette');
  await page.locator('[data-test=palette-close]').click();
  await page.locator('[data-test=palette]').waitFor({ state: 'detached' });
  // The palette returns the focus, perhaps to a field, which takes the key as text.
  await until(async () => {
    await page.evaluate(() => document.activeElement?.blur());
    await page.keyboard.press('?');
    return (await page.locator('[data-test=keys]').count()) > 0;
  }, 'the sheet of keys opens');
  await settled(page);
  return [...found, ...(await look(page, 'the keys'))];
}

// One page for all addresses at a size; those without a token come last.
async function lookAtAll(stage, seeded, size) {
  const person = await stage.person(undefined, size, { colorScheme: 'light', reducedMotion: 'reduce' });
  const { page } = person;
  const found = [];
  for (const address of addresses(seeded)) {
    await visit(page, stage.server, address);
    found.push(...(await look(page, address)));
  }
  found.push(...(await lookAtPanels(page, stage.server)));
  await page.goto(`${stage.server.url}/offline.html`);
  found.push(...(await look(page, 'the offline page')));
  await page.evaluate(() => {
    localStorage.clear();
    sessionStorage.clear();
  });
  await page.goto(`${stage.server.url}/`);
  await page.locator('[data-test=sign-in]').waitFor();
  await settled(page);
  found.push(...(await look(page, 'sign in')));
  await person.close();
  return found.map((finding) => `${size.width}: ${finding}`);
}

test(
  'axe finds nothing on any page (long: every page)',
  staged(async (stage) => {
    const seeded = await seed(stage);
    const found = await Promise.all(kSizes.map((size) => lookAtAll(stage, seeded, size)));
    assert.deepEqual([...new Set(found.flat())], []);
  }),
);
