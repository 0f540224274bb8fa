// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The first load of the console: compressed bytes of scripts, asserted; times, printed only.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settled } from './lib/pages.js';
import { staged } from './lib/stage.js';

const kMaxScriptBytes = 200 * 1024;

// Collects long tasks before the page's own scripts run.
function watchTasks() {
  window.longTasks = [];
  new PerformanceObserver((list) =>
    window.longTasks.push(...list.getEntries().map(({ duration }) => duration)),
  ).observe({ type: 'longtask', buffered: true });
}

async function firstLoad(stage, t, what, token) {
  // Without the worker, whose answers have no compressed size.
  const { page } = await stage.person(null, undefined, { serviceWorkers: 'block' });
  await page.goto('about:blank');
  await page.addInitScript(watchTasks);
  await page.goto(token === null ? `${stage.server.url}/` : `${stage.server.url}/?token=${token}`);
  await page.locator(token === null ? '[data-test=sign-in]' : '[data-test=strip][data-phase=online]').waitFor();
  const usableAt = await page.evaluate(() => performance.now());
  await settled(page);
  const { scripts, tasks } = await page.evaluate(() => ({
    scripts: performance
      .getEntriesByType('resource')
      .filter(({ name }) => /\.m?js($|\?)/.test(name))
      .map(({ encodedBodySize, name }) => ({ name: new URL(name).pathname, bytes: encodedBodySize })),
    tasks: window.longTasks,
  }));
  const bytes = scripts.reduce((sum, script) => sum + script.bytes, 0);
  for (const script of scripts) t.diagnostic(`${String(script.bytes).padStart(7)} ${script.name}`);
  t.diagnostic(
    `${what}: ${(bytes / 1024).toFixed(1)} KiB of scripts in ${scripts.length} files; usable after ${Math.round(usableAt)} ms; ${tasks.length} long tasks, ${Math.round(tasks.reduce((sum, each) => sum + each, 0))} ms in all`,
  );
  assert.ok(scripts.length >= 3, 'scripts were measured');
  assert.ok(
    scripts.every((script) => script.bytes > 0),
    'every script has its size',
  );
  return bytes;
}

test('the first load of the inbox has at most 200 KiB of scripts', async (t) => {
  await staged(async (stage) => {
    const bytes = await firstLoad(stage, t, 'inbox', stage.server.token);
    assert.ok(bytes <= kMaxScriptBytes, `${bytes} bytes`);
  })();
});

test('the first load without a token has at most 200 KiB of scripts', async (t) => {
  await staged(async (stage) => {
    const bytes = await firstLoad(stage, t, 'sign in', null);
    assert.ok(bytes <= kMaxScriptBytes, `${bytes} bytes`);
  })();
});
