// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// A server with something on every page of the console, and the addresses of all its pages.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { book, buildHost, HeadlessHosts } from './booking.js';
import { until } from './person.js';
import { ask, folderOf, startElsewhere } from './runs.js';

const kAddresses = new URL('../../../web/src/shell/addresses.ts', import.meta.url);
const kQuietMs = 400; // without a change of the document: the page is complete
const kResizedMs = 100; // the same for a page that was complete and only changes its size: nothing is loaded
const kOptions = [
  { label: 'In the database', description: 'one file to back up' },
  { label: 'In files beside it', description: 'fast, needs a migration' },
];

async function answerOf(response) {
  assert.ok(response.ok, `${response.url}: ${response.status}`);
  return response.json();
}

async function seedInbox(stage) {
  await stage.server.settle(
    'Is **the till** open on Sunday? `till --open`',
    'Yes, from ten to four.\n\n- and on holidays',
  );
  const agent = await stage.agent(undefined, 'terminal');
  const where = { agent_name: 'Coder', reasoning_model_name: 'large-2', timeout: 3600 };
  const question = 'Two ways to store attachments. Which one?';
  // Not answered: they end with their agent.
  agent.ask(question, { ...where, questions: [{ question, options: kOptions }] }).catch(() => undefined);
  agent.finish('Each test now asks for a free port.', where).catch(() => undefined);
  await until(async () => (await stage.server.pending()).length === 2, 'two questions wait');
}

async function seedRun(stage) {
  const folder = folderOf(stage, { 'notes.txt': 'The till opens at nine.\n' });
  const { id } = await startElsewhere(stage, {
    message: 'read the file notes.txt',
    agent: 'agot',
    working_folder: folder,
    approve: 'auto',
  });
  await until(
    async () => (await answerOf(await ask(stage.server, 'GET', `/v1/runs/${id}`))).state === 'finished',
    'the run has finished',
  );
  return id;
}

async function seedStudy(stage) {
  buildHost();
  const hosts = await HeadlessHosts.start(stage.server, 'PAGES', 1);
  try {
    const { code, lines, study } = await book(stage.server, 'PAGES-1');
    assert.equal(code, 0, lines.join('\n'));
    return study;
  } finally {
    await hosts.end();
  }
}

// Seeds every kind of thing; resolves with the values of the parameters of routes.
export async function seed(stage) {
  await seedInbox(stage);
  const run = await seedRun(stage);
  const session = (
    await answerOf(await ask(stage.server, 'POST', '/api/v1/sessions', { title: 'A picture of the shop' }))
  ).data;
  const study = await seedStudy(stage);
  const { interactions } = await answerOf(await ask(stage.server, 'GET', '/v1/interactions?state=pending'));
  return { conversation: 'all', run, session, study, person: 'nobody', item: interactions[0].key };
}

// The address of each route of the console, optional parameters left out and filled in, from the tables of its routes.
export function addresses(seeded) {
  const paths = [...readFileSync(kAddresses, 'utf8').matchAll(/^ {2}\S+: '(\/[^']*)'/gm)].map(([, path]) => path);
  assert.ok(paths.length >= 12, 'the table of routes is read');
  const found = paths.flatMap((path) =>
    path.endsWith('?') ? [path.replace(/\/:\w+\?$/, ''), path.slice(0, -1)] : [path],
  );
  const filled = found.map((path) =>
    path.replace(/:(\w+)/g, (_, name) => {
      assert.ok(seeded[name], `the route ${path} has a value for its parameter "${name}"`);
      return encodeURIComponent(seeded[name]);
    }),
  );
  return [...new Set([...filled, '/search?q=till', '/chat/new'])];
}

// Waits until the page has not changed for a while.
export async function settled(page, quiet = kQuietMs) {
  await page.evaluate(
    async ([quietMs, longest]) => {
      await document.fonts.ready;
      await new Promise((resolve) => {
        let timer = setTimeout(resolve, quietMs);
        new MutationObserver(() => {
          clearTimeout(timer);
          timer = setTimeout(resolve, quietMs);
        }).observe(document.body, { subtree: true, childList: true });
        setTimeout(resolve, longest);
      });
    },
    [quiet, 10 * kQuietMs],
  );
}

// Waits until a complete page has followed a new size of its window: two frames, in which the listeners and observers
// of sizes run, and no change after them.
export async function resized(page) {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  await settled(page, kResizedMs);
}

export async function visit(page, server, address) {
  await page.goto(`${server.url}/#${address}`);
  // The host page is a document of its own, which replaces the console's, or is replaced by it.
  await page.waitForFunction(
    (isHost) => 'document' in document.documentElement.dataset === isHost,
    /^\/(host|study)\b/.test(address),
  );
  await page.locator('main').first().waitFor();
  await settled(page);
}

// Chooses the appearance and the language of the page, and loads it again. A change of the address before the page is
// complete would be lost.
export async function choose(page, chosen) {
  await page.evaluate((change) => {
    const kept = JSON.parse(localStorage.getItem('parley.settings'));
    localStorage.setItem('parley.settings', JSON.stringify({ ...kept, ...change }));
  }, chosen);
  await page.reload();
  await settled(page);
}

// The server of a test listens on this computer only, and says so. nameOrigin() replaces its answer by one that names an
// address of the local network.
export const kOrigin = 'http://192.168.1.5:22080';

export async function nameOrigin(page, { mode = 'off', origins = [kOrigin] } = {}) {
  const body = {
    mode,
    fingerprint: mode === 'auto' ? 'AA:BB:CC' : null,
    expires_at: null,
    authority_expires_at: null,
    origins,
  };
  await page.route('**/v1/tls', (route) => route.fulfill({ json: body }));
}
