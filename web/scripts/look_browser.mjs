// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const kSizes = { 1440: 900, 1024: 768, 375: 720 };
const kArguments = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

const root = dirname(dirname(fileURLToPath(import.meta.url)));

// The folder and the part of the names from the command line: FOLDER [--only SUBSTRING].
export function wanted(script) {
  const [folder, option, only] = process.argv.slice(2);
  if (folder) return { folder, only: option === '--only' ? (only ?? '') : '' };
  console.error(`Usage: node scripts/${script} FOLDER [--only SUBSTRING]`);
  return process.exit(2);
}

function server(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, 'mock', 'server.mjs'), '--port', '0', ...args]);
    child.stdout.once('data', (line) => resolve({ child, url: /http\S+/.exec(String(line))[0] }));
    child.stderr.on('data', (line) => process.stderr.write(line));
    child.once('exit', () => reject(new Error('the mock server ended')));
  });
}

// Opens a browser for `act`, which serves and visits; then says what was wrong with the pages and
// ends the process. `only`: names of screens that do not contain it are passed over. A visit that is
// `faulty` is to a server that breaks.
export async function look({ folder, only }, act) {
  mkdirSync(folder, { recursive: true });
  const profile = mkdtempSync(join(tmpdir(), 'parley-look-'));
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  const browser = await chromium.launchPersistentContext(profile, { executablePath, headless: true, args: kArguments });
  const problems = [];

  async function visit(name, url, { lang, size, theme, faulty = false }, prepare) {
    if (!name.includes(only)) return;
    const page = await browser.newPage();
    page.setDefaultTimeout(12_000);
    page.on('console', (line) => {
      const expected = faulty && /^(Failed to load resource|WebSocket connection)/.test(line.text());
      if (['error', 'warning'].includes(line.type()) && !expected) problems.push(`${name}: ${line.text()}`);
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

  await act({ serve: (...args) => server(args), visit, sizes: kSizes });
  await browser.close();
  rmSync(profile, { recursive: true, force: true });
  for (const problem of problems) console.error(problem);
  process.exit(problems.length > 0 ? 1 : 0);
}
