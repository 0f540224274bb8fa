// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Actions of tests on runs, on the page and over the API.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

// Starts a run on the page and waits for the page of the run.
export async function start(page, { approve = 'preset', folder, message, agent }) {
  await page.locator('[data-test=nav-runs]').first().click();
  await page.locator('[data-test=runs][data-phase=ready]').waitFor();
  const fresh = page.locator('[data-test=no-runs]');
  if ((await fresh.count()) === 0) await page.locator('[data-test=new-run]').click();
  await page.locator('[data-test=run-message]').fill(message);
  await page.locator('[data-test=run-folder]').fill(folder);
  if (agent) await page.locator('[data-test=run-agent]').selectOption(agent);
  await page.locator(`[data-test=approve-${approve}]`).check();
  await page.locator('[data-test=run-start]').click();
  const run = page.locator('[data-test=run-page]');
  await run.waitFor();
  return run;
}

export const ended = (page, state) =>
  page.locator(`[data-test=run-page][data-state=${state}][data-feed=complete]`).waitFor();

// A working folder with files.
export function folderOf(stage, files) {
  const folder = join(stage.server.home, 'shop');
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

export function ask(server, method, path, body, token = server.token) {
  return fetch(`${server.url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

// Starts a run over the API; resolves with the server's answer.
export async function startElsewhere(stage, wanted, token = stage.server.token) {
  let response = await ask(stage.server, 'POST', '/v1/runs', wanted, token);
  // The server looks for new tokens once a second.
  for (let tries = 0; response.status === 401 && tries < 50; tries += 1) {
    await sleep(200);
    response = await ask(stage.server, 'POST', '/v1/runs', wanted, token);
  }
  assert.equal(response.status, 201);
  return response.json();
}
