// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// A long thread: few cards of 10,000 questions are rendered, and none that is visible moves by itself.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from './lib/person.js';
import { linkTo, post, withHistory } from './lib/reading.js';
import { staged } from './lib/stage.js';

const kMany = 10_000;
const kPageEvents = 4000;
const kFrames = 240; // at most, for one direction
const kMaxRendered = 170; // kWindowMax in web/src/inbox/window.ts, and open questions

async function withMany(stage, count, pageSize) {
  const person = await stage.person(null);
  await withHistory(person.page, count, pageSize);
  await person.page.goto(`${stage.server.url}/?token=${stage.server.token}`);
  await person.closedCard(`Made question ${count}?`).waitFor();
  return person;
}

const rendered = (person) => person.page.locator('[data-card]').count();

// Scrolls by so many pixels in each frame, to the end of what is loaded, and returns the times of the frames.
const framesOfScroll = (page, step) =>
  page.evaluate(
    ({ by, most }) =>
      new Promise((done) => {
        const thread = document.querySelector('[data-test=thread]');
        const times = [];
        let before = performance.now();
        let still = 0;
        const next = (now) => {
          times.push(now - before);
          before = now;
          const top = thread.scrollTop;
          thread.scrollTop += by;
          still = thread.scrollTop === top ? still + 1 : 0;
          if (still > 20 || times.length >= most) done(times.slice(1));
          else requestAnimationFrame(next);
        };
        requestAnimationFrame(next);
      }),
    { by: step, most: kFrames },
  );

test('10,000 questions are scrolled through with few cards in the page', async (t) => {
  await staged(async (stage) => {
    const person = await withMany(stage, kMany, kPageEvents);
    await person.page.goto(linkTo(stage.server, 'made-1'));
    await person.closedCard('Made question 1?').locator('[aria-expanded=true]').waitFor();
    assert.ok((await rendered(person)) <= kMaxRendered);
    for (const [words, step] of [
      ['down', 120],
      ['up', -120],
    ]) {
      const times = (await framesOfScroll(person.page, step)).sort((a, b) => a - b);
      const at = (share) => times[Math.floor((times.length - 1) * share)].toFixed(1);
      t.diagnostic(
        `${kMany} questions, ${words}, ${times.length} frames: median ${at(0.5)} ms, 95 % ${at(0.95)} ms, longest ${at(1)} ms`,
      );
      assert.ok((await rendered(person)) <= kMaxRendered);
    }
    await person.page.locator('.jump-button').click();
    await person.closedCard(`Made question ${kMany}?`).waitFor();
  })();
});

// Records layout shifts whose moved elements are in the thread.
const watchShifts = () => {
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { sources, value } of list.getEntries()) {
      const moved = sources
        .filter(({ node }) => node instanceof Element && node.closest('[data-test=thread]'))
        .map(
          ({ currentRect, node, previousRect }) =>
            `${node.outerHTML.slice(0, 120)} ${previousRect.top} → ${currentRect.top}`,
        );
      if (moved.length > 0) window.shifts.push({ value, moved });
    }
  }).observe({ type: 'layout-shift', buffered: true });
};

const places = (page) =>
  page.evaluate(() => {
    const thread = document.querySelector('[data-test=thread]').getBoundingClientRect();
    return Object.fromEntries(
      [...document.querySelectorAll('[data-card]')]
        .map((card) => [
          card.dataset.card,
          Math.round(card.getBoundingClientRect().top),
          card.getBoundingClientRect().bottom,
        ])
        .filter(([, top, bottom]) => bottom > thread.top && top < thread.bottom)
        .map(([key, top]) => [key, top]),
    );
  });

test(
  'arriving questions and answers move nothing that is read',
  staged(async (stage) => {
    const person = await withMany(stage, 300);
    await person.page.locator('[data-test=thread]').evaluate((it) => it.scrollTo({ top: it.scrollHeight / 2 }));
    await person.page.locator('.jump-button').waitFor();
    await until(
      () =>
        person.page.evaluate(
          () =>
            new Promise((done) => {
              const thread = document.querySelector('[data-test=thread]');
              const { scrollTop } = thread;
              requestAnimationFrame(() => requestAnimationFrame(() => done(thread.scrollTop === scrollTop)));
            }),
        ),
      'the thread is at rest',
    );
    await person.page.evaluate(watchShifts);
    const before = await places(person.page);
    assert.ok(Object.keys(before).length > 3);
    for (const key of ['live-1', 'live-2', 'live-3'])
      await post(stage.server, '/v1/interactions', {
        key,
        prompt: { text: `${key}?\n\n\`\`\`ts\nconst a = 1;\n\`\`\`` },
      });
    await person.page.locator('.jump-button').filter({ hasText: '3 waiting below' }).waitFor();
    await post(stage.server, '/v1/interactions/live-2/answer', { text: 'Done.' });
    await person.page.locator('.jump-button').filter({ hasText: '2 waiting below' }).waitFor();
    assert.deepEqual(await places(person.page), before);
    // The observer reports a frame later.
    await person.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    assert.deepEqual(await person.page.evaluate(() => window.shifts), []);
  }),
);
