// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Takes screenshots of the researcher's pages of the built console against the mock server:
//   node scripts/look_studies.mjs FOLDER [--only SUBSTRING]
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { studyLog } from '../mock/study_log.mjs';

const folder = process.argv[2];
if (!folder) {
  console.error('Usage: node scripts/look_studies.mjs FOLDER [--only SUBSTRING]');
  process.exit(2);
}
const only = process.argv[3] === '--only' ? (process.argv[4] ?? '') : '';
mkdirSync(folder, { recursive: true });
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const kSizes = { 1440: 900, 1024: 768, 375: 720 };
const profile = mkdtempSync(join(tmpdir(), 'parley-look-'));
const logFile = join(profile, 'elsewhere.jsonl');
writeFileSync(logFile, `${studyLog().map((line) => JSON.stringify(line)).join('\n')}\nnot a record\n`);
const problems = [];

function serve(...args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, 'mock', 'server.mjs'), '--port', '0', '--items', '0', '--pending', '0', ...args]);
    child.stdout.once('data', (line) => resolve({ child, url: /http\S+/.exec(String(line))[0] }));
    child.stderr.on('data', (line) => process.stderr.write(line));
    child.once('exit', () => reject(new Error('the mock server ended')));
  });
}

const browser = await chromium.launchPersistentContext(profile, {
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  headless: true,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});

async function visit(name, url, { lang, size, theme }, act) {
  if (!name.includes(only)) return;
  const page = await browser.newPage();
  page.on('console', (line) => {
    if (['error', 'warning'].includes(line.type())) problems.push(`${name}: ${line.text()}`);
  });
  page.on('pageerror', (error) => problems.push(`${name}: ${error.message}`));
  await page.setViewportSize({ width: Number(size), height: kSizes[size] });
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
  await page.addInitScript(
    (settings) => window.localStorage.setItem('parley.settings', settings),
    JSON.stringify({ nickname: lang === 'zh' ? '安静的水獭' : 'Calm Otter', language: lang }),
  );
  await page.goto(url);
  try {
    await act(page);
    await page.waitForTimeout(250);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
    if (wide) problems.push(`${name}: wider than the window`);
  } catch (error) {
    problems.push(`${name}: ${error.message.split('\n')[0]}`);
  }
  await page.screenshot({ path: join(folder, `${name}.png`) });
  console.log(name);
  await page.close();
}

const listed = (page) => page.waitForSelector('.studies[data-phase="ready"]');

async function replayAt(page, share) {
  await page.waitForSelector('[data-test="feed"][data-phase="complete"]', { state: 'attached' });
  const box = await page.locator('[data-test="timeline"]').boundingBox();
  await page.mouse.click(box.x + 8 + (box.width - 16) * share, box.y + 30);
  await page.waitForSelector('[data-test="stage"], [data-test="no-stage"]');
}

async function studyId(url) {
  const response = await fetch(new URL('/v1/studies', url), { headers: { Authorization: 'Bearer mock' } });
  const { studies } = await response.json();
  return studies[0].id;
}

async function looks(url, count, id, look) {
  const tail = `${look.lang}-${look.theme}-${look.size}`;
  await visit(`studies-${count}-${tail}`, `${url}#/studies`, look, listed);
  if (count !== '3') return;
  await visit(`details-${tail}`, `${url}#/studies/${id}`, look, async (page) => {
    await page.click('[data-test="verify"]');
    await page.waitForSelector('.whole');
  });
  await visit(`summary-${tail}`, `${url}#/studies`, look, async (page) => {
    await listed(page);
    await page.click('[data-test="view-summary"]');
  });
  await visit(`invite-${tail}`, `${url}#/studies`, look, async (page) => {
    await listed(page);
    await page.click('[data-test="invite-button"]');
    await page.waitForSelector('[data-test="invite"]');
  });
  for (const [name, share] of [['movie', 0.25], ['seat', 0.8], ['end', 0.97]]) {
    await visit(`replay-${name}-${tail}`, `${url}#/studies/${id}/replay`, look, (page) => replayAt(page, share));
  }
  await visit(`refused-${tail}`, `${url}#/studies/${id}/replay`, look, async (page) => {
    await replayAt(page, 0.1);
    await page.keyboard.press('e');
    await page.keyboard.press('i');
    await page.waitForSelector('[data-test="drawer"]');
  });
  await visit(`file-${tail}`, `${url}#/studies/file/replay`, look, async (page) => {
    await page.setInputFiles('[data-test="file-input"]', logFile);
    await replayAt(page, 0.5);
  });
  if (look.size === '375') {
    await visit(`events-${tail}`, `${url}#/studies/${id}/replay`, look, async (page) => {
      await replayAt(page, 0.6);
      await page.click('.pane:nth-child(2)');
    });
  }
}

for (const lang of ['en', 'zh']) {
  for (const count of ['0', '3', '3000']) {
    const { child, url } = await serve('--studies', count, '--lang', lang);
    const id = count === '3' ? await studyId(url) : '';
    for (const size of Object.keys(kSizes)) {
      for (const theme of ['light', 'dark']) await looks(url, count, id, { lang, size, theme });
    }
    child.removeAllListeners('exit');
    child.kill();
  }
  const { child, url } = await serve('--studies', '3', '--live', '--lang', lang);
  const id = await studyId(url);
  for (const size of Object.keys(kSizes)) {
    await visit(`live-${lang}-${size}`, `${url}#/studies/${id}/replay`, { lang, size, theme: 'light' }, (page) =>
      page.waitForSelector('[data-test="feed"][data-phase="live"]', { state: 'attached' }),
    );
  }
  child.removeAllListeners('exit');
  child.kill();
}

await browser.close();
rmSync(profile, { recursive: true, force: true });
for (const problem of problems) console.error(problem);
process.exit(problems.length > 0 ? 1 : 0);
