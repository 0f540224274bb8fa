// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// No page of the console scrolls sideways or loses something at its edge, from 320 to 2560 pixels.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { addresses, choose, resized, seed, visit } from './lib/pages.js';
import { inTime, Stage } from './lib/stage.js';

const kWidths = [320, 375, 1024, 1440, 2560];

// Finds elements that are wider than their place: panes that scroll down and would scroll sideways too, and visible
// elements outside the window. Elements that are made to scroll sideways (tables, code, graphs, tabs) are left out.
function tooWide() {
  const found = [];
  const nameOf = (element) =>
    `${element.tagName.toLowerCase()}.${String(element.className?.baseVal ?? element.className)
      .trim()
      .replace(/\s+/g, '.')}`;
  const root = document.scrollingElement;
  if (root.scrollWidth > root.clientWidth) found.push(`the document: ${root.scrollWidth} of ${root.clientWidth}`);
  const ownBox = (element) => element.closest('.scroll-x, pre, svg, [data-wide]') !== null;
  const clips = (element) => {
    for (
      let box = element.parentElement;
      box && box.tagName !== 'MAIN' && box !== document.body;
      box = box.parentElement
    ) {
      if (getComputedStyle(box).overflowX !== 'visible') return true;
    }
    return false;
  };
  for (const element of document.querySelectorAll('body *')) {
    if (
      ownBox(element) ||
      element.closest('.visually-hidden') ||
      !element.checkVisibility({ checkVisibilityCSS: true })
    )
      continue;
    const { overflowX, textOverflow } = getComputedStyle(element);
    const scrolls = overflowX === 'auto' || overflowX === 'scroll';
    if (
      (scrolls || element.tagName === 'MAIN') &&
      textOverflow !== 'ellipsis' &&
      element.scrollWidth > element.clientWidth + 1
    ) {
      found.push(`${nameOf(element)} scrolls: ${element.scrollWidth} of ${element.clientWidth}`);
    }
    const { left, right, width } = element.getBoundingClientRect();
    if (width > 0 && !clips(element) && (right > window.innerWidth + 1 || left < -1))
      found.push(`${nameOf(element)} is at ${Math.round(left)} to ${Math.round(right)}`);
  }
  return found;
}

// The languages side by side, each in a page of its own: most of the time is waiting for pages to settle.
describe('no page scrolls sideways at any width (long: every page at each width)', { concurrency: true }, () => {
  const stage = new Stage();
  let seeded;

  before(async () => {
    await stage.server.start();
    await inTime(async () => (seeded = await seed(stage)));
  });
  after(() => inTime(() => stage.end()));

  for (const language of ['en', 'zh']) {
    test(language, () =>
      inTime(async () => {
        const { page } = await stage.person();
        await choose(page, { language });
        const found = [];
        for (const address of addresses(seeded)) {
          await visit(page, stage.server, address);
          for (const width of kWidths) {
            await page.setViewportSize({ width, height: 800 });
            await resized(page);
            found.push(...(await page.evaluate(tooWide)).map((what) => `${address} at ${width}: ${what}`));
          }
        }
        assert.deepEqual(found, []);
      }),
    );
  }
});
