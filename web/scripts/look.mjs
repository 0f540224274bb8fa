// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Takes screenshots of the built page against the mock server:
//   node scripts/look.mjs FOLDER [--only SUBSTRING]
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const folder = process.argv[2];
if (!folder) {
  console.error('Usage: node scripts/look.mjs FOLDER [--only SUBSTRING]');
  process.exit(2);
}
const only = process.argv[3] === '--only' ? (process.argv[4] ?? '') : '';
mkdirSync(folder, { recursive: true });
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const kSizes = { 1440: 900, 1024: 768, 375: 720 };

function serve(...args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, 'mock', 'server.mjs'), '--port', '0', ...args]);
    child.stdout.once('data', (line) => resolve({ child, url: /http\S+/.exec(String(line))[0] }));
    child.stderr.on('data', (line) => process.stderr.write(line));
    child.once('exit', () => reject(new Error('the mock server ended')));
  });
}

const profile = mkdtempSync(join(tmpdir(), 'parley-look-'));
const browser = await chromium.launchPersistentContext(profile, {
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  headless: true,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
const problems = [];

async function shot(page, name) {
  await page.waitForTimeout(250);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
  if (wide) problems.push(`${name}: wider than the window`);
  console.log(name);
}

async function visit(name, url, { lang, size, theme }, act) {
  if (!name.includes(only)) return;
  const page = await browser.newPage();
  page.on('console', (line) => {
    if (['error', 'warning'].includes(line.type())) problems.push(`${name}: ${line.text()}`);
  });
  page.on('pageerror', (error) => problems.push(`${name}: ${error.message}`));
  await page.setViewportSize({ width: Number(size), height: kSizes[size] });
  await page.emulateMedia({ colorScheme: theme });
  await page.addInitScript(
    (settings) => window.localStorage.setItem('parley.settings', settings),
    JSON.stringify({ nickname: lang === 'zh' ? '安静的水獭' : 'Calm Otter', language: lang }),
  );
  await page.goto(url);
  await act(page);
  await shot(page, name);
  await page.close();
}

const ready = (page) => page.waitForSelector('[data-phase="online"]');

for (const lang of ['en', 'zh']) {
  for (const [count, pending] of [['0', '0'], ['3', '3'], ['3000', '1']]) {
    const { child, url } = await serve('--items', count, '--pending', pending, '--lang', lang);
    for (const size of Object.keys(kSizes)) {
      for (const theme of ['light', 'dark']) {
        const look = { lang, size, theme };
        const tail = `${lang}-${theme}-${size}`;
        await visit(`inbox-${count}-${tail}`, url, look, async (page) => {
          await ready(page);
          await page.waitForTimeout(200);
        });
        if (count === '3' && size === '375') {
          await visit(`thread-${count}-${tail}`, `${url}#/inbox/all`, look, ready);
        }
        if (count === '3' && size !== '1024') {
          await visit(`settings-${tail}`, `${url}#/settings`, look, ready);
          await visit(`people-${tail}`, `${url}#/people/mock-Ada`, look, async (page) => {
            await ready(page);
            await page.fill('[data-test="chat-field"]', 'hello');
            await page.keyboard.press('Enter');
          });
          await visit(`signin-${tail}`, url.replace('mock', 'wrong'), look, (page) =>
            page.waitForSelector('[data-test="sign-in"]'),
          );
        }
      }
    }
    child.removeAllListeners('exit');
    child.kill();
  }
}

await browser.close();
rmSync(profile, { recursive: true, force: true });
for (const problem of problems) console.error(problem);
process.exit(problems.length > 0 ? 1 : 0);
