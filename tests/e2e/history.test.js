// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from './lib/person.js';
import { staged } from './lib/stage.js';

const kSettled = 120; // more than two pages of history hold

test(
  'older cards load on scrolling up, to the first one',
  staged(async (stage) => {
    for (let i = 1; i <= kSettled; i += 1) await stage.server.settle(`Question ${i}.`, `Answer ${i}.`);
    const person = await stage.person();
    const pages = [];
    person.page.on('request', (request) => {
      if (request.url().includes('/v1/interactions?state=all')) pages.push(request.url());
    });
    await person.closedCard(`Question ${kSettled}.`).waitFor();
    assert.equal(await person.closedCard('Question 1.').count(), 0, 'not everything is loaded at once');
    await until(async () => {
      await person.scrollUp();
      return (await person.closedCard('Question 1.').count()) === 1;
    }, 'the first question is shown');
    assert.ok(pages.length >= 2, `history was loaded in pages: ${pages.length}`);
    assert.match(await person.closedCard('Question 1.').innerText(), /Answer 1\./);
  }),
);
