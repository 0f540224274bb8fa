// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Patches on cards: their lines and numbers, files that were viewed, both files side by side, thousands of files.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from './lib/person.js';
import { linkTo, post } from './lib/reading.js';
import { staged } from './lib/stage.js';

const kPhone = { width: 375, height: 812 };
const kWide = { width: 1440, height: 900 };

const fileOf = (name, count = 1) =>
  `diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}\n@@ -98,${count + 1} +98,${count + 1} @@ fn()\n same ${'long '.repeat(60)}\n${Array.from({ length: count }, (_, at) => `-const before${at} = 1;\n+const after${at} = 2;`).join('\n')}\n`;

async function asked(stage, page, text, labels = []) {
  const choices = labels.map((label) => ({ label, description: '' }));
  const questions = labels.length > 0 ? [{ text, header: 'Edit', choices, custom: true }] : [];
  await post(stage.server, '/v1/interactions', { key: 'it', prompt: { text, questions } });
  await page.goto(linkTo(stage.server, 'it'));
  const card = page.locator('[data-card=it]');
  await card.locator('[data-test=patch-file]').first().waitFor();
  return card;
}

for (const viewport of [kPhone, kWide]) {
  test(
    `a patch has both line numbers on one line each, and whole lines, at ${viewport.width}`,
    staged(async (stage) => {
      const { page } = await stage.person(undefined, viewport);
      const card = await asked(stage, page, fileOf('src/shop.ts', 3));
      const cells = await card.locator('td.number').evaluateAll((all) =>
        all.map((it) => ({
          text: it.dataset.line,
          width: it.getBoundingClientRect().width,
          height: parseFloat(getComputedStyle(it).lineHeight),
          wraps: getComputedStyle(it).whiteSpace,
        })),
      );
      assert.deepEqual(
        cells.slice(0, 6).map(({ text }) => text),
        ['98', '98', '99', '', '', '99'],
      );
      assert.ok(cells.every(({ width, wraps }) => width > 0 && wraps === 'nowrap'));
      assert.ok(await card.locator('.lines').evaluate((it) => it.scrollWidth <= it.clientWidth), 'whole lines');
      assert.deepEqual((await card.locator('td b').allInnerTexts()).slice(0, 2), ['before0', '1']);
      if (process.env.PARLEY_PICTURES)
        await page.screenshot({ path: `${process.env.PARLEY_PICTURES}/patch-${viewport.width}.png` });
    }),
  );
}

test(
  'a file that was viewed is folded, in the list and side by side too',
  staged(async (stage) => {
    const { page } = await stage.person(undefined, kWide);
    const card = await asked(stage, page, ['a.ts', 'b.ts', 'c.ts'].map((name) => fileOf(name, 2)).join(''));
    await card.locator('[data-test=patch-list-open]').click();
    const rows = card.locator('[data-test=patch-list] button');
    assert.deepEqual(
      (await rows.allInnerTexts()).map((it) => it.replace(/\s+/g, ' ').trim()),
      ['a.ts +2 −2', 'b.ts +2 −2', 'c.ts +2 −2'],
    );
    const first = card.locator('[data-test=patch-file]').first();
    await first.locator('[data-test=viewed]').check();
    await first.locator('table').waitFor({ state: 'detached' });
    await card.getByText('1 of 3 viewed').waitFor();
    if (process.env.PARLEY_PICTURES) await page.screenshot({ path: `${process.env.PARLEY_PICTURES}/viewed.png` });
    await card.locator('[data-test=patch-split]').click();
    const sheet = page.locator('[data-test=patch-sheet]');
    const files = sheet.locator('[data-test=patch-file]');
    await files.nth(1).locator('td.removed + td.words.removed').first().waitFor();
    assert.equal(await files.first().locator('table').count(), 0, 'it was viewed');
    const beside = await files.nth(1).locator('tr').nth(2).locator('td.words').allInnerTexts();
    assert.deepEqual(beside, ['const before0 = 1;', 'const after0 = 2;']);
    const shares = await files
      .nth(1)
      .locator('tr')
      .nth(2)
      .locator('td.words')
      .evaluateAll((all) =>
        all.map((it) => it.getBoundingClientRect().width / it.closest('table').getBoundingClientRect().width),
      );
    assert.ok(
      shares.every((share) => share > 0.4),
      `the lines have the room: ${shares}`,
    );
    if (process.env.PARLEY_PICTURES) await page.screenshot({ path: `${process.env.PARLEY_PICTURES}/split.png` });
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    await rows.first().click();
    await first.locator('table').waitFor();
  }),
);

test(
  '2,000 files are listed and drawn in parts, and allowed when all were seen',
  staged(async (stage) => {
    const { page } = await stage.person(undefined, kWide);
    const card = await asked(
      stage,
      page,
      Array.from({ length: 2_000 }, (_, at) => fileOf(`src/file${at}.ts`)).join(''),
      ['Allow once', 'Deny'],
    );
    assert.equal(await card.locator('[data-test=patch-file]').count(), 40);
    await card.getByText('2000 files').first().waitFor();
    await card.locator('[data-test=locked]').filter({ hasText: 'Open the folded parts' }).waitFor();
    await card.locator('[data-test=locked]').scrollIntoViewIfNeeded();
    assert.equal(await card.locator('button.choice.is-allow').isDisabled(), true);
    await card.locator('[data-test=more-files]').click();
    await until(async () => (await card.locator('[data-test=patch-file]').count()) === 140, 'more files');
    assert.equal(await card.locator('button.choice.is-allow').isDisabled(), true);
    await card.locator('button.choice.is-refuse').click();
    await card.locator('[data-test=confirm]').click();
    await page.locator('[data-card=it][data-state=answered]').waitFor();
  }),
);

test(
  'a long file of a patch is allowed when its lines were shown',
  staged(async (stage) => {
    const { page } = await stage.person(undefined, kWide);
    const card = await asked(stage, page, fileOf('long.ts', 200), ['Allow once', 'Deny']);
    const allow = card.locator('button.choice.is-allow');
    await card.locator('[data-test=locked]').scrollIntoViewIfNeeded();
    await card.locator('[data-test=locked]').filter({ hasText: 'Open the folded parts' }).waitFor();
    assert.equal(await allow.isDisabled(), true);
    await card.getByRole('button', { name: /^Show \d+ more lines$/ }).click();
    await card.locator('[data-test=locked]').filter({ hasText: 'Read to the end' }).waitFor();
    await card.locator('[data-test=locked]').scrollIntoViewIfNeeded();
    await until(async () => !(await allow.isDisabled()), 'all was seen');
  }),
);
