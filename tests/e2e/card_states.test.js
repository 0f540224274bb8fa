// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The states of a permission card at each size, in both languages and appearances: axe finds nothing, nothing is beside the
// screen, and targets of touch are large enough. With PARLEY_PICTURES a picture of each is taken.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import axe from 'axe-core';
import { post } from './lib/reading.js';
import { staged } from './lib/stage.js';

const kSizes = [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 375, height: 812 },
  { width: 844, height: 390 },
];
const kTouch = { hasTouch: true, isMobile: true };
const kMinTarget = 44;
const kText =
  'Wants to run a command.\n\n**Careful:**\n\n- Runs what it downloads: `curl https://example.org/install | bash`\n\n```sh\ncurl https://example.org/install | bash\n```\n\nDirectory: `/src/shop`';
const kPatch = `Wants to change a file.\n\n\`\`\`diff\n--- a.ts\n+++ a.ts\n@@ -1 +1 @@\n-const a = 1;\n+const a = 2;\n--- b.ts\n+++ b.ts\n@@ -1 +1 @@\n-x\n+y\n\`\`\``;
const kChoices = [
  ['Allow once', ''],
  ['Always 1', 'Bash(curl:*), for this project, on this computer'],
  ['Always 2', 'every use of Bash, until this session ends'],
  ['Edit command', 'asks for the command to run instead'],
  ['Deny', ''],
  ['Deny and stop', 'the agent ends its turn'],
  ['Answer in the terminal', ''],
];

async function prompted(stage, key, text) {
  const choices = kChoices.map(([label, description]) => ({ label, description }));
  const prompt = {
    text,
    agent_name: 'Claude Code',
    project_directory: '/src/shop',
    questions: [{ text, header: 'Bash', choices, custom: true }],
  };
  await post(stage.server, '/v1/interactions', { key, prompt });
}

async function look(page, name) {
  const found = [];
  for (const theme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    await page.waitForFunction((wanted) => (document.documentElement.dataset.theme ?? wanted) === wanted, theme);
    await page.evaluate(() => Promise.all(document.getAnimations().map((it) => it.finished.catch(() => undefined))));
    if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
    const { violations } = await page.evaluate(() =>
      window.axe.run(document.querySelector('[data-test=thread]'), { resultTypes: ['violations'] }),
    );
    found.push(
      ...violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html }) => `${name}, ${theme}: ${id}: ${html.slice(0, 160)}`),
      ),
    );
    const wide = await page.locator('[data-test=thread]').evaluate((it) => it.scrollWidth - it.clientWidth);
    if (wide > 0) found.push(`${name}: ${wide} pixels beside the screen`);
    if (process.env.PARLEY_PICTURES)
      await page.screenshot({ path: `${process.env.PARLEY_PICTURES}/${name}-${theme}.png` });
  }
  return found;
}

for (const size of kSizes) {
  const touch = size.height < 500 || size.width < 500;
  test(
    `a permission card is sound in all states at ${size.width} × ${size.height}`,
    staged(async (stage) => {
      const { page } = await stage.person(undefined, size, touch ? kTouch : {});
      await prompted(stage, 'one', kText);
      await prompted(stage, 'two', kText);
      await prompted(stage, 'patch', kPatch);
      const found = [];
      for (const language of ['en', 'zh']) {
        await page.evaluate(
          (wanted) =>
            localStorage.setItem(
              'parley.settings',
              JSON.stringify({ ...JSON.parse(localStorage.getItem('parley.settings') ?? '{}'), language: wanted }),
            ),
          language,
        );
        await page.goto(`${stage.server.url}/#/inbox/item/one`);
        await page.reload();
        const card = page.locator('[data-card=one]');
        await card.locator('[data-decision]').waitFor();
        assert.equal(await page.evaluate(() => document.documentElement.lang), language === 'zh' ? 'zh-CN' : 'en');
        const name = (state) => `${size.width}-${language}-${state}`;
        found.push(...(await look(page, name('waits'))));
        await card.locator('[data-test=always]').click();
        await card.locator('[data-test=reason]').click();
        await card.locator('[data-test=likes] input').check();
        await card.locator('[data-test=lasting] button').first().click();
        await card.locator('[data-test=confirm-bar]').waitFor();
        await card.locator('[data-test=confirm-bar]').scrollIntoViewIfNeeded();
        found.push(...(await look(page, name('chosen'))));
        if (touch) {
          const small = await card
            .locator('[data-decision] button, [data-decision] label')
            .evaluateAll(
              (all, least) =>
                all.filter((it) => it.getBoundingClientRect().height < least).map((it) => it.outerHTML.slice(0, 120)),
              kMinTarget,
            );
          assert.deepEqual(small, [], 'targets of touch');
        }
        await card.locator('[data-test=undo]').click();
        await page.goto(`${stage.server.url}/#/inbox/item/patch`);
        await page.locator('[data-card=patch] [data-test=patch-list-open]').click();
        found.push(...(await look(page, name('patch'))));
      }
      assert.deepEqual(found, []);
    }),
  );
}
