// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const kSizes = { 1440: 900, 1024: 768, 375: 720 };
const kArguments = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

function server(root, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, 'mock', 'server.mjs'), '--port', '0', ...args]);
    child.stdout.once('data', (line) => resolve({ child, url: /http\S+/.exec(String(line))[0] }));
    child.stderr.on('data', (line) => process.stderr.write(line));
    child.once('exit', () => reject(new Error('the mock server ended')));
  });
}

// Opens a browser for `act`, which serves and visits; then says what was wrong with the pages and
// ends the process. `only`: names of screens that do not contain it are passed over.
export async function look({ root, folder, only }, act) {
  mkdirSync(folder, { recursive: true });
  const profile = mkdtempSync(join(tmpdir(), 'parley-look-'));
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  const browser = await chromium.launchPersistentContext(profile, { executablePath, headless: true, args: kArguments });
  const problems = [];

  async function visit(name, url, { lang, size, theme }, prepare) {
    if (!name.includes(only)) return;
    const page = await browser.newPage();
    page.setDefaultTimeout(8_000);
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
    await prepare(page).catch((error) => problems.push(`${name}: ${error.message}`));
    await page.waitForTimeout(250);
    await page.screenshot({ path: join(folder, `${name}.png`) });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
    if (wide) problems.push(`${name}: wider than the window`);
    console.log(name);
    await page.close();
  }

  await act({ serve: (...args) => server(root, args), visit, sizes: kSizes });
  await browser.close();
  rmSync(profile, { recursive: true, force: true });
  for (const problem of problems) console.error(problem);
  process.exit(problems.length > 0 ? 1 : 0);
}
