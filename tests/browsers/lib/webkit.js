// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// WebKitGTK's MiniBrowser on an X server of its own, driven over WebDriver.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { kWindowEnv, startScreen } from '../../lib/screen.mjs';
import { freePort } from '../../lib/free_port.mjs';
import { Page } from './page.js';
import { Process } from './process.js';

const kScreen = '1600x1000x24';
const kLibraries = '/usr/lib';
const kPatienceMs = 60_000;
const kLongestMs = 2 * kPatienceMs; // of a command
const kPauseMs = 50;

// Its folder has the names of the processor and of WebKit's version.
function miniBrowser() {
  for (const processor of readdirSync(kLibraries)) {
    const program = join(kLibraries, processor, 'webkit2gtk-4.1', 'MiniBrowser');
    if (existsSync(program)) return program;
  }
  throw new Error('There is no MiniBrowser: install libwebkit2gtk-4.1-0 and webkit2gtk-driver');
}

export class WebKit extends Page {
  static title = 'WebKit';
  static minWidth = 450; // MiniBrowser has a toolbar

  #process = new Process();
  #display;
  #url;
  #session;

  static async launch() {
    const page = new WebKit();
    const screen = await startScreen(kScreen, page.#process.env);
    page.#process.add(screen.child);
    page.#display = screen.display;
    const port = await freePort();
    page.#process.start('WebKitWebDriver', [`--port=${port}`], { ...kWindowEnv, DISPLAY: screen.display });
    page.#url = `http://127.0.0.1:${port}`;
    await page.#untilReady();
    const capabilities = {
      alwaysMatch: { 'webkitgtk:browserOptions': { binary: miniBrowser(), args: ['--automation'] } },
    };
    page.#session = (await page.#send('POST', '/session', { capabilities })).sessionId;
    await page.#command('POST', '/timeouts', { script: kPatienceMs, pageLoad: kPatienceMs, implicit: 0 });
    return page;
  }

  async #untilReady() {
    const deadline = Date.now() + kPatienceMs;
    while (
      !(await fetch(`${this.#url}/status`).then(
        (answer) => answer.ok,
        () => false,
      ))
    ) {
      if (Date.now() > deadline) throw new Error('WebKitWebDriver does not answer');
      await new Promise((resolve) => setTimeout(resolve, kPauseMs));
    }
  }

  async #send(method, path, body) {
    const answer = await fetch(`${this.#url}${path}`, {
      method,
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(kLongestMs),
    });
    const { value } = await answer.json();
    if (!answer.ok) throw new Error(`${path}: ${value.error}: ${value.message}`);
    return value;
  }

  #command(method, path, body) {
    return this.#send(method, `/session/${this.#session}${path}`, body);
  }

  async run(source) {
    const script = `const done = arguments[0]; (${source}).then((text) => done({ text }), (error) => done({ error: String(error) }));`;
    const { error, text } = await this.#command('POST', '/execute/async', { script, args: [] });
    if (error !== undefined) throw new Error(error);
    return text;
  }

  async perform(actions) {
    await this.#command('POST', '/actions', { actions });
  }

  async open(url) {
    await this.#command('POST', '/url', { url });
  }

  async reload() {
    await this.#command('POST', '/refresh', {});
  }

  // Sizes are those of the page; the window has a toolbar besides.
  async resize(width, height) {
    const frame = await this.evaluate(() => ({ width: outerWidth - innerWidth, height: outerHeight - innerHeight }));
    await this.#command('POST', '/window/rect', { width: width + frame.width, height: height + frame.height });
    await this.until(`the page is ${width} wide`, (wanted) => innerWidth === wanted, width);
  }

  // Of the screen: the driver's own never comes for some pages.
  async picture() {
    return execFileSync('import', ['-window', 'root', '-crop', await this.#place(), 'png:-'], {
      env: { ...this.#process.env, DISPLAY: this.#display },
    }).toString('base64');
  }

  // Of the window, which has the upper left corner of the screen.
  #place() {
    return this.evaluate(() => `${outerWidth}x${outerHeight}+0+0`);
  }

  async close() {
    try {
      if (this.#session !== undefined) await this.#command('DELETE', '');
    } finally {
      await this.#process.end();
    }
  }
}
