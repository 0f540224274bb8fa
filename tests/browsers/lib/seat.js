// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// A person at a browser, and a server of the test.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { inTime, Stage } from '../../e2e/lib/stage.js';

export const kWide = { width: 1280, height: 800 };

// Resolves with a function that defines tests in one browser of the engine. Each has a server of its own, at which the
// person signs in by its link.
export function seats(Engine) {
  let page;
  before(async () => (page = await Engine.launch()));
  after(() => page?.close());
  return (name, play) =>
    test(`${Engine.title}: ${name}`, async () => {
      const stage = new Stage();
      stage.folder = join(stage.server.home, 'desk');
      mkdirSync(stage.folder);
      stage.server.configure(`[runs]\nworking_folder = "${stage.folder}"\n`);
      try {
        await stage.server.start();
        await inTime(async () => {
          await page.resize(kWide.width, kWide.height);
          await signIn(page, stage.server);
          await play(stage, page);
        });
      } catch (error) {
        if (process.env.PARLEY_PICTURES)
          await page
            .screenshot(join(process.env.PARLEY_PICTURES, `${Engine.title}-failed-${name.replaceAll(/\W+/g, '-')}.png`))
            .catch(() => undefined);
        throw error;
      } finally {
        await page?.open('about:blank').catch(() => undefined); // a browser that is stuck fails the next test
        await stage.end();
      }
    });
}

export async function signIn(page, server) {
  await page.open(`${server.url}/?token=${encodeURIComponent(server.token)}`);
  await page.part('[data-test=strip][data-phase=online]').shown();
}

// Changes the kept settings, and loads the page again.
export async function choose(page, settings) {
  await page.evaluate((change) => {
    const kept = JSON.parse(localStorage.getItem('parley.settings') ?? '{}');
    localStorage.setItem('parley.settings', JSON.stringify({ ...kept, ...change }));
  }, settings);
  await page.reload();
}

// Opens an address within the console.
export async function visit(page, server, address) {
  await page.open(`${server.url}/#${address}`);
  await page.part('main').shown();
}
