// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Takes screenshots of the pages of runs of the built console against the mock server:
//   node scripts/look_runs.mjs FOLDER [--only SUBSTRING]
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runLog } from '../mock/run_log.mjs';
import { look, wanted } from './look_browser.mjs';

const how = wanted('look_runs.mjs');
const folder = mkdtempSync(join(tmpdir(), 'parley-look-runs-'));
const file = join(folder, 'elsewhere.ndjson');
const lines = runLog({ agent: 'agot' }).map((frame) => JSON.stringify(frame));
writeFileSync(file, [...lines.slice(0, 20), 'not an event', '{"type":"future_event","x":1}', ...lines.slice(22), lines[30]].join('\n'));

const complete = (page) => page.waitForSelector('[data-test="run-page"][data-feed="complete"]');
const pane = (page, size, name) => (size === '1440' ? undefined : page.click(`[data-test="pane-${name}"]`));

async function runOf(url, agent, state) {
  const response = await fetch(new URL('/v1/runs?limit=50', url), { headers: { Authorization: 'Bearer mock' } });
  const { runs } = await response.json();
  return runs.find((run) => run.agent === agent && (!state || run.state === state))?.id ?? 'none';
}

async function shots(visit, url, size, theme, lang) {
  const where = { lang, size, theme };
  const tail = `${lang}-${theme}-${size}`;
  for (const agent of ['react', 'tot', 'got', 'agot']) {
    const id = await runOf(url, agent, 'finished');
    await visit(`run-${agent}-${tail}`, `${url}#/runs/${id}`, where, complete);
    if (size === '375' && agent !== 'agot') {
      await visit(`run-${agent}-graph-${tail}`, `${url}#/runs/${id}`, where, async (page) => {
        await complete(page);
        await pane(page, size, 'graph');
      });
    }
    if (agent === 'tot') {
      await visit(`thought-${tail}`, `${url}#/runs/${id}`, where, async (page) => {
        await complete(page);
        if (size === '375') await pane(page, size, 'graph');
        await page.click('[data-test="graph-node"][data-mark="abandoned"]');
        await pane(page, size, 'inspector');
      });
    }
  }
  const react = await runOf(url, 'react', 'finished');
  await visit(`state-${tail}`, `${url}#/runs/${react}`, where, async (page) => {
    await complete(page);
    await pane(page, size, 'inspector');
    await page.click('[data-test="tab-state"]');
    await page.click('[data-test="step-before"]');
    await page.click('[data-test="fork"]');
  });
  await visit(`tool-${tail}`, `${url}#/runs/${react}`, where, async (page) => {
    await complete(page);
    await page.locator('[data-tool="bash"] [data-test="tool-line"]').click();
  });
  await visit(`asking-${tail}`, `${url}#/runs/${await runOf(url, 'react', 'waiting')}`, where, (page) => page.waitForSelector('[data-test="approval"]'));
  await visit(`failed-${tail}`, `${url}#/runs/${await runOf(url, 'react', 'failed')}`, where, complete);
  await visit(`compose-${tail}`, `${url}#/runs`, where, async (page) => {
    await page.click('[data-test="new-run"]');
    await page.fill('[data-test="run-message"]', lang === 'zh' ? '列出这里的文件' : 'List the files here');
  });
  await visit(`file-${tail}`, `${url}#/runs/file`, where, async (page) => {
    await page.setInputFiles('[data-test="file-input"]', file);
    await complete(page);
    await pane(page, size, 'inspector');
  });
}

await look(how, async ({ serve, visit, sizes }) => {
  for (const lang of ['en', 'zh']) {
    for (const count of ['0', '3', '3000']) {
      const { child, url } = await serve('--items', '0', '--pending', '0', '--runs', count, '--events', count === '3000' ? '3000' : '0', '--lang', lang);
      for (const size of Object.keys(sizes)) {
        for (const theme of ['light', 'dark']) {
          await visit(`runs-${count}-${lang}-${theme}-${size}`, `${url}#/runs`, { lang, size, theme }, (page) => page.waitForSelector('[data-test="runs"][data-phase="ready"]'));
          if (count === '3000') {
            await visit(`run-3000-${lang}-${theme}-${size}`, `${url}#/runs/${await runOf(url, 'react', 'finished')}`, { lang, size, theme }, complete);
          }
        }
      }
      child.removeAllListeners('exit');
      child.kill();
    }
    const { child, url } = await serve('--items', '0', '--pending', '0', '--runs', '40', '--lang', lang);
    for (const size of Object.keys(sizes)) for (const theme of ['light', 'dark']) await shots(visit, url, size, theme, lang);
    child.removeAllListeners('exit');
    child.kill();
    const going = await serve('--items', '0', '--pending', '0', '--runs', '3', '--live', '--lang', lang);
    await visit(`live-${lang}`, `${going.url}#/runs/run-0004`, { lang, size: '1440', theme: 'light' }, (page) => page.waitForSelector('[data-test="approval"]', { timeout: 30_000 }));
    going.child.removeAllListeners('exit');
    going.child.kill();
  }
  rmSync(folder, { recursive: true, force: true });
});
