// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The browser of a test file. Each person has a context of their own in it, which shares nothing with the others:
// starting a browser takes longer than most tests.
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const kPatience = 60_000;
const kIdleMs = 1000; // without a context; then the browser ends, so that the process can
export const kFlags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const kWhole = process.env.CHROMIUM ?? '/usr/bin/chromium';
// The engine of the same version without windows, menus and extensions: half of the processor time.
const kShell = '/usr/bin/chromium-headless-shell';
export const kBrowser = process.env.CHROMIUM ?? (existsSync(kShell) ? kShell : kWhole);
let executablePath = kBrowser;

// For the tests of a file about what a browser offers around its pages.
export function useWholeBrowser() {
  executablePath = kWhole;
}

const launch = (flags) => chromium.launch({ executablePath, args: [...kFlags, ...flags] });

let shared; // a promise of the browser
let contexts = 0;
let idle;

async function acquire() {
  clearTimeout(idle);
  contexts += 1;
  shared ??= launch([]).then((browser) => {
    browser.on('disconnected', () => (shared = undefined));
    return browser;
  });
  return shared;
}

function release() {
  contexts -= 1;
  if (contexts > 0) return;
  idle = setTimeout(() => {
    const ended = shared;
    shared = undefined;
    void ended?.then((browser) => browser.close());
  }, kIdleMs);
}

// Opens a context. `flags`, if any, are those of a browser of its own. Resolves with the context and a function that
// ends it.
export async function openContext({ flags = [], ...options }) {
  const own = flags.length > 0;
  const browser = own ? await launch(flags) : await acquire();
  const context = await browser.newContext({ locale: 'en-US', ...options });
  context.setDefaultTimeout(kPatience);
  const end = async () => {
    await context.close().catch(() => undefined); // a test may have ended the browser
    if (own) await browser.close();
    else release();
  };
  return { context, end };
}
