// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// As many open questions as a session may have, at once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from './lib/person.js';
import { post } from './lib/reading.js';
import { staged } from './lib/stage.js';

const kMany = 1000; // pending interactions of a session, docs/limits.md
const kAtOnce = 50;
const kMaxRendered = 170; // kWindowMax in web/src/inbox/window.ts, and a few

const ask = (server, number) =>
  post(server, '/v1/interactions', {
    key: `k${number}`,
    prompt: { text: `Question number ${number}?`, agent_name: 'Coder' },
  });

test(
  '1,000 questions at once are counted, few are drawn, and one is answered',
  staged(async (stage) => {
    const person = await stage.person();
    const { page } = person;
    const begin = Date.now();
    for (let first = 0; first < kMany; first += kAtOnce)
      await Promise.all(Array.from({ length: kAtOnce }, (_, index) => ask(stage.server, first + index)));
    const posted = Date.now();
    await until(async () => /1[,.\s]?000/.test(await page.title()), 'the title has the number');
    console.log(`${kMany} questions, posted in ${posted - begin} ms, all shown after ${Date.now() - begin} ms`);
    assert.ok((await page.locator('[data-card]').count()) <= kMaxRendered);
    await assert.rejects(ask(stage.server, kMany), /429/, 'one more is refused');
    const first = 'Question number 0?';
    await person.answer(first, 'Yes.');
    await person.closedCard(first).waitFor();
    await until(async () => /999/.test(await page.title()), 'the number follows');
  }),
);
